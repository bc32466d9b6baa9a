/** Problems between the service and a provider to which it sends the browser. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { ProviderError } from '../../platform/ports.ts'

const UNREACHABLE = new Set(['EACCES', 'ETIMEDOUT', 'ECONNFAILED'])
/** Errors of the provider that a later try may not meet. */
const PASSING = new Set(['temporarily_unavailable', 'server_error'])

export function problemOf(error: unknown, what: string): ProviderError {
  if (error instanceof AuthorizationResponseError) return asSaid(error, `The provider answered the ${what} with`)
  if (error instanceof ResponseBodyError)
    return error.status >= 500 || error.status === 429
      ? new ProviderError('unavailable', `The provider answered the ${what} with status ${error.status}`)
      : asSaid(error, `The provider answered the ${what} with status ${error.status} and`)
  if (error instanceof WWWAuthenticateChallengeError)
    return new ProviderError('invalid', `The provider answered the ${what} with status ${error.status}`)
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code = (at as { code?: unknown }).code
    if (UNREACHABLE.has(String(code))) return new ProviderError('unavailable', at.message)
  }
  const status = statusOf(error)
  if (status !== null && (status >= 500 || status === 429))
    return new ProviderError('unavailable', `The provider answered the ${what} with status ${status}`)
  const code = error instanceof ClientError && error.code !== undefined ? ` (${error.code})` : ''
  const message = messageOf(error)
  return new ProviderError('invalid', `The answer to the ${what} is not valid: ${shown(message)}${code}`)
}

function asSaid(error: { error: string; error_description?: string | undefined }, start: string): ProviderError {
  const words = [error.error, error.error_description].filter((word) => word !== undefined).map(shown)
  const kind = PASSING.has(error.error) ? 'unavailable' : 'refused'
  return new ProviderError(kind, `${start} ${words.join(': ')}`, { code: error.error })
}

/** Of an answer that openid-client could not use. */
function statusOf(error: unknown): number | null {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Response ? cause.status : null
}

const shown = (text: string): string => text.replace(/[^\P{C}]/gu, '?').slice(0, 200)
