/** JSON lines, one per fact. The job's own secrets are redacted here, and what looks like a secret by the patterns below. */
import { constants, openSync } from 'node:fs'
import { escapeLineSeparators } from '@standin/base/json-text.ts'
import { type DestinationStream, destination, pino } from 'pino'
import { hideKnownSecrets } from './process/known-secrets.ts'

export type LogFields = Record<string, unknown>

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Adds fields to every line of the child. */
  child(fields: LogFields): Logger
}

/** Names of fields, query parameters and headers that hold a secret. */
const SECRET_WORD =
  'token|secret|passw(?:or)?d|pwd|passcode|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie|credential|signature|jwt|bearer'
const SECRET_KEY = new RegExp(`${SECRET_WORD}|^(?:sig|zak|auth)$`, 'i')
/** Names whose value may be a secret even as a number; counts such as `tokens` are not. */
const NUMERIC_SECRET_KEY = /passw(?:or)?d|pwd|passcode|secret/i
/** Query parts that carry access: presigned S3 addresses, join passwords, tokens; also inside an escaped address. */
const SECRET_IN_URL = new RegExp(
  `((?:[?&;#]|%3F|%26|%23)(?:[a-z0-9_.-]{0,64}(?:${SECRET_WORD}|accesskeyid|secret|key|code|zak)|sig|tk|auth|p)(?:=|%3D))` +
    `(?:(?!%26|%23)[^&#\\s"'<>])+`,
  'gi',
)
/** `name=value` of settings and command lines. */
const SECRET_SETTING = new RegExp(
  `(?<![?&;#a-z0-9_.-])([a-z0-9_.-]{0,64}(?:${SECRET_WORD})=)(?:"[^"]*"|'[^']*'|[^\\s"',;&)\\]}]+)`,
  'gi',
)
/** `"name": "value"` of JSON, also within a JSON text, and `name: 'value'` of printed objects. */
const SECRET_QUOTED = new RegExp(
  `(?<![a-z0-9_.-])((?:[a-z0-9_.-]{0,64}(?:${SECRET_WORD})|zak|sig|tk)(?:\\\\{0,4}["'])?\\s{0,4}:\\s{0,4}\\\\{0,4})(?:"(?:[^"\\\\]|\\\\[^"])*\\\\?"|'[^']*')`,
  'gi',
)
/** A header's line, or a plain `password: …`. Other words before a colon are usually the place of a mistake. */
const SECRET_HEADER =
  /(?<![a-z0-9_.-])((?:proxy-|set-)?(?:authorization|cookie)\d?\s?:\s?|x-[a-z-]{0,40}(?:key|token|secret)\s?:\s?|passw(?:or)?d\s?:\s?|passcode\s?:\s?|pwd\s?:\s?|zak\s?:\s?)[^\r\n"'<>]+/gi
/** A JSON Web Token without a name before it. */
const BARE_JWT = /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g
/** Fields that a page fills in itself and passwords that were typed; what a page says about itself under a secret's name. */
const HIDDEN_INPUT =
  /(<input\b(?=[^>]{0,2000}?\btype\s{0,4}=\s{0,4}["']?(?:hidden|password)\b)[^>]{0,2000}?\bvalue\s{0,4}=\s{0,4})(?:"[^"]*"|'[^']*'|[^\s"'>]+)/gi
const SECRET_META = new RegExp(
  `(<meta\\b(?=[^>]{0,500}?\\bname=["']?[a-z0-9_.:-]{0,64}(?:${SECRET_WORD}|csrf|nonce))[^>]{0,500}?\\bcontent=)(?:"[^"]*"|'[^']*'|[^\\s"'>]+)`,
  'gi',
)
const BEARER = /\b(Bearer\s+)[A-Za-z0-9._~+/=-]+/gi
const USER_INFO = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^/\s?#"'<>]*@/gi
/** A line of a log is for reading; what is longer is cut. */
const MAX_TEXT_LENGTH = 32 * 1024
const MAX_DEPTH = 6
/** Most values of one line; a complete browser object that is logged by mistake must not stop the program. */
const MAX_VALUES = 5_000

/** Removes the job's own secrets, and what a pattern takes for a secret, from a text that may be logged or shown. */
export function redactText(text: string): string {
  return hideKnownSecrets(text)
    .replace(HIDDEN_INPUT, '$1"[redacted]"')
    .replace(SECRET_META, '$1"[redacted]"')
    .replace(BARE_JWT, '[redacted]')
    .replace(USER_INFO, '$1[redacted]@')
    .replace(SECRET_IN_URL, '$1[redacted]')
    .replace(SECRET_QUOTED, '$1[redacted]')
    .replace(SECRET_SETTING, '$1[redacted]')
    .replace(SECRET_HEADER, '$1[redacted]')
    .replace(BEARER, '$1[redacted]')
}

/** A copy that may be logged: fields named like secrets are replaced, texts are cleaned, errors become plain data. */
export function redact(value: unknown): unknown {
  return redactInner(value, 0, { values: 0 })
}

function redactInner(value: unknown, depth: number, budget: { values: number }): unknown {
  if (typeof value === 'string') return loggedText(value)
  if (typeof value === 'bigint') return String(value)
  if (value === null || typeof value !== 'object') return value
  if (depth > MAX_DEPTH) return '[too deep]'
  const inner = (item: unknown) => redactInner(item, depth + 1, budget)
  try {
    if (value instanceof Error) return redactError(value, inner)
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
    if (value instanceof URL) return loggedText(value.href)
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    if (Array.isArray(value) || value instanceof Set) return within(value, budget).map(inner)
    const entries = value instanceof Map ? value : Object.entries(value)
    return Object.fromEntries(
      within(entries, budget).map(([key, item]) => {
        const name = String(key)
        return [loggedText(name), isSecret(name, item) ? '[redacted]' : inner(item)]
      }),
    )
  } catch (error) {
    // A getter or a proxy that throws must not break the line that mentions it.
    return `[unreadable: ${error instanceof Error ? error.name : typeof error}]`
  }
}

/** As many items as the line still has room for. */
function within<T>(items: Iterable<T>, budget: { values: number }): T[] {
  const taken: T[] = []
  for (const item of items) {
    if (budget.values >= MAX_VALUES) break
    budget.values += 1
    taken.push(item)
  }
  return taken
}

function isSecret(key: string, item: unknown): boolean {
  if (!SECRET_KEY.test(key) || item === null || item === undefined || typeof item === 'boolean') return false
  return typeof item !== 'number' || NUMERIC_SECRET_KEY.test(key)
}

function redactError(error: Error, inner: (item: unknown) => unknown): Record<string, unknown> {
  return {
    name: inner(error.name),
    message: inner(error.message),
    ...('code' in error ? { code: inner(error.code) } : {}),
    ...(error.stack === undefined ? {} : { stack: inner(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: inner(error.cause) }),
    ...(error instanceof AggregateError ? { errors: inner(error.errors) } : {}),
  }
}

function loggedText(text: string): string {
  // Twice what is kept is searched, so that no cut goes through a secret that is then not recognized.
  const clean = redactText(text.slice(0, 2 * MAX_TEXT_LENGTH))
  if (text.length <= MAX_TEXT_LENGTH) return clean
  return `${clean.slice(0, MAX_TEXT_LENGTH)} [cut, ${text.length} characters]`
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
    { write: (line) => destination.write(escapeLineSeparators(line)) },
  )
  return wrap(base)
}

/** Characters that may wait for a slow disk; more is dropped. */
const MAX_WAITING = 1024 * 1024

/** A file to log into. A disk that is full, or gone, ends no recording for the log's sake: lines wait until it takes them.
 * Throws where the file cannot be opened, or is a link. */
export function logFile(path: string): DestinationStream {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
  const dest = openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600)
  const file = destination({ dest, sync: true, maxLength: MAX_WAITING })
  file.on('error', () => {
    // A failing log cannot be reported in the log.
  })
  return file
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
    inner[level](redact(fields ?? {}) as LogFields, loggedText(message))
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => wrap(inner.child(redact(fields) as LogFields)),
  }
}
