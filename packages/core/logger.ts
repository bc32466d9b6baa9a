/** JSON lines, one per fact. The job's own secrets are redacted here, and what looks like a secret. */
import { constants, openSync } from 'node:fs'
import { LogSink } from '@standin/wire/process/log-sink.ts'
import { escapeLineSeparators } from '@standin/wire/text/json-text.ts'
import { hideSecrets, SECRET_WORD } from '@standin/wire/text/secret-patterns.ts'
import { type DestinationStream, pino } from 'pino'
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

const SECRET_KEY = new RegExp(`${SECRET_WORD}|^(?:sig|zak|auth)$`, 'i')
/** Names whose value may be a secret even as a number; counts such as `tokens` are not. */
const NUMERIC_SECRET_KEY = /passw(?:or)?d|pwd|passcode|secret/i
/** A line of a log is for reading; what is longer is cut. */
const MAX_TEXT_LENGTH = 32 * 1024
const MAX_DEPTH = 6
/** Most values of one line; a complete browser object that is logged by mistake must not stop the program. */
const MAX_VALUES = 5_000

/** Removes the job's own secrets, and what a pattern takes for a secret, from a text that may be logged or shown. */
export function redactText(text: string): string {
  return hideSecrets(hideKnownSecrets(text))
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
  if (destination instanceof LogSink) destination.onRecovery = (lines) => base.warn({ lines }, 'Log lines were lost')
  return wrap(base)
}

/** A file to log into. Throws if the file cannot be opened, or is a link. */
export function logFile(path: string): LogSink {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
  return new LogSink(openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600))
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
