/** JSON lines, one per fact. Secrets, tokens and signed addresses are redacted here, once, for everybody. */
import { type DestinationStream, pino } from 'pino'

export type LogFields = Record<string, unknown>

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Adds fields to every line of the child. */
  child(fields: LogFields): Logger
}

const SECRET_KEY = /(token|secret|password|pwd|api_?key|authorization|cookie|credential)/i
/** Query parts that carry access: presigned S3 addresses, join passwords, tokens. */
const SECRET_IN_URL =
  /([?&;](?:x-amz-[a-z-]*(?:signature|credential|security-token)|[a-z_-]*(?:token|signature|password|pwd|key|secret|code|zak|tk))=)[^&#\s"']+/gi
const BEARER = /\b(Bearer\s+)[A-Za-z0-9._~+/=-]+/gi
const USER_INFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^/\s:@]+:[^/\s@]+@/gi

/** Removes what gives access from a text that may be logged or shown. */
export function redactText(text: string): string {
  return text.replace(SECRET_IN_URL, '$1[redacted]').replace(BEARER, '$1[redacted]').replace(USER_INFO, '$1[redacted]@')
}

/** A copy that may be logged: fields named like secrets are replaced, texts are cleaned, errors become plain data. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value)
  if (value === null || typeof value !== 'object') return value
  if (depth > 6) return '[too deep]'
  if (value instanceof Error)
    return {
      name: value.name,
      message: redactText(value.message),
      ...('code' in value ? { code: value.code } : {}),
      ...(value.stack === undefined ? {} : { stack: redactText(value.stack) }),
      ...(value.cause === undefined ? {} : { cause: redact(value.cause, depth + 1) }),
    }
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1))
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      SECRET_KEY.test(key) &&
      item !== null &&
      item !== undefined &&
      typeof item !== 'boolean' &&
      typeof item !== 'number'
        ? '[redacted]'
        : redact(item, depth + 1),
    ]),
  )
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Writes to `destination`, which `main.ts` chooses: the recording's log file, and standard error where asked for. */
export function createLogger(destination: DestinationStream, level: LogLevel = 'info'): Logger {
  const base = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
    },
    destination,
  )
  return wrap(base)
}

/** Says nothing; for tests and for parts that run without a bot. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
}

type PinoLogger = Pick<ReturnType<typeof pino>, LogLevel> & { child(fields: LogFields): PinoLogger }

function wrap(inner: PinoLogger): Logger {
  const write = (level: LogLevel) => (message: string, fields?: LogFields) =>
    inner[level](redact(fields ?? {}) as LogFields, redactText(message))
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => wrap(inner.child(redact(fields) as LogFields)),
  }
}
