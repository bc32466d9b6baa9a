/**
 * Meaning of the errors of statements for their callers. While the database is away, the API answers 503, control links are
 * closed and their workers keep the events, and every loop of the service tries again after a longer rest.
 */

/**
 * PostgreSQL cannot be reached, refuses the user or the database, is full, shuts down, takes no writes, has ended the session or
 * is broken: every caller's statement fails.
 */
const LOST = /^(?:08|25006|25P0[34]|28|3D|53|57P|58)/
/** The server or a pooler ends the connection with such an error, whatever its code. */
const ENDS_CONNECTION = /^(?:FATAL|PANIC)$/
/** Another transaction was in the way, or the statement took too long. */
const IN_THE_WAY = /^(?:40001|40P01|55P03|57014)$/
const CONNECTION_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENETRESET', 'ECONNABORTED', 'EADDRNOTAVAIL', 'EMFILE'],
  ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
])
/** Errors of the client have no code. */
const CONNECTION_MESSAGES =
  /^(?:Connection (?:terminated|ended unexpectedly)|The server does not support SSL|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/

/** Whether the fault is the database's or the connection's and not the statement's. False for an error of an unknown kind. */
export function isDatabaseLost(error: unknown): boolean {
  const { code, message, severity } = (error ?? {}) as { code?: unknown; message?: unknown; severity?: unknown }
  if (typeof code === 'string' && (LOST.test(code) || CONNECTION_CODES.has(code))) return true
  if (ENDS_CONNECTION.test(String(severity))) return true
  return typeof message === 'string' && CONNECTION_MESSAGES.test(message)
}

/** Whether the same statement may succeed later. */
export function mayPassLater(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return isDatabaseLost(error) || (typeof code === 'string' && IN_THE_WAY.test(code))
}
