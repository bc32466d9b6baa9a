/** Problems by the failing answers of Google. */
import { z } from 'zod'
import { ProviderError, type ProviderErrorKind } from '../../../platform/ports.ts'
import { list, part, shortText } from '../fields.ts'
import { type ProviderRequest, type ProviderResponse, pauseOf, providerText } from '../transport.ts'

const errorBody = z.object({
  error: part(z.object({ message: shortText, status: shortText, errors: list(z.object({ reason: shortText })) })),
})
const tokenError = z.object({ error: shortText, error_description: shortText })

const LIMITS = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'dailyLimitExceeded'])

/** A call of the calendar. */
export function googleProblem(response: ProviderResponse, request: ProviderRequest): ProviderError {
  const error = errorBody.safeParse(response.json).data?.error ?? null
  const reasons = error?.errors.flatMap(({ reason }) => reason ?? []) ?? []
  const said = [...reasons.slice(0, 1), ...(error?.message ? [providerText(error.message, request)] : [])].join(': ')
  const message = `Google answered ${response.status} to ${request.what}${said === '' ? '' : ` (${providerText(said, request)})`}`
  return new ProviderError(kindOf(response.status, reasons, request), message, {
    retryAfterMs: pauseOf(response),
  })
}

function kindOf(status: number, reasons: readonly string[], { usesCursor }: ProviderRequest): ProviderErrorKind {
  if (status === 429 || reasons.some((reason) => LIMITS.has(reason))) return 'rate_limited'
  if (reasons.includes('pushNotSupportedForRequestedResource')) return 'push_not_supported'
  if (status === 401) return 'token_refused'
  // The Calendar API is not switched on in the caller's project.
  if (reasons.includes('accessNotConfigured')) return 'client_refused'
  if (status === 403) return 'permission_denied'
  if (status === 404) return 'not_found'
  if (status === 410 || (status === 400 && usesCursor)) return 'cursor_gone'
  return 'unavailable'
}

const CLIENT_ERRORS = new Set<string | null>([
  'invalid_client',
  'unauthorized_client',
  'deleted_client',
  'org_internal',
])

/** The exchange of a refresh token. */
export function googleTokenProblem(response: ProviderResponse, request: ProviderRequest): ProviderError {
  const { error = null, error_description: description = null } = tokenError.safeParse(response.json).data ?? {}
  const said = [error, description].filter((text) => text !== null).join(': ')
  const message = `Google answered ${response.status} to ${request.what}${said === '' ? '' : ` (${providerText(said, request)})`}`
  const kind =
    response.status === 429
      ? 'rate_limited'
      : response.status >= 500
        ? 'unavailable'
        : error === 'invalid_grant'
          ? 'revoked'
          : CLIENT_ERRORS.has(error)
            ? 'client_refused'
            : 'unavailable'
  return new ProviderError(kind, message, { retryAfterMs: pauseOf(response) })
}
