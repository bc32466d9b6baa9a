/**
 * Meaning of the errors of statements for their callers. While the database is away, the API answers 503, control links are
 * closed and their workers keep the events, and every loop of the service tries again after a longer rest.
 */

/** PostgreSQL cannot be reached, is full, shuts down, takes no writes or is broken: every caller's statement fails. */
const LOST = /^(?:08|25006|53|57P|58)/
/** Another transaction was in the way, or the statement took too long. */
const IN_THE_WAY = /^(?:40001|40P01|55P03|57014)$/
const CONNECTION_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
])
/** Errors of the client have no code. */
const CONNECTION_MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/

/** Whether the fault is the database's or the connection's and not the statement's. False for an error of an unknown kind. */
export function isDatabaseLost(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code === 'string' && (LOST.test(code) || CONNECTION_CODES.has(code))) return true
  return typeof message === 'string' && CONNECTION_MESSAGES.test(message)
}

/** Whether the same statement may succeed later. */
export function mayPassLater(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return isDatabaseLost(error) || (typeof code === 'string' && IN_THE_WAY.test(code))
}
