/** Problems by the failing answers of Microsoft. */
import { z } from 'zod'
import { ProviderError, type ProviderErrorKind } from '../../../platform/ports.ts'
import { list, part, shortText } from '../fields.ts'
import { type ProviderRequest, type ProviderResponse, pauseOf, providerText } from '../transport.ts'

const errorBody = z.object({ error: part(z.object({ code: shortText, message: shortText })) })
const tokenError = z.object({ error: shortText, error_description: shortText, error_codes: list(z.number()) })

const NO_MAILBOX = new Set(['mailboxnotenabledforrestapi', 'mailboxnotsupportedforrestapi'])
const DEAD_CURSOR = new Set(['syncstatenotfound', 'syncstateinvalid', 'resyncrequired'])

/** A call of Graph. */
export function graphProblem(response: ProviderResponse, request: ProviderRequest): ProviderError {
  const { code = null, message = null } = errorBody.safeParse(response.json).data?.error ?? {}
  return problem(kindOf(response.status, code?.toLowerCase() ?? '', request), response, request, [code, message])
}

function kindOf(status: number, code: string, { usesCursor }: ProviderRequest): ProviderErrorKind {
  if (NO_MAILBOX.has(code)) return 'no_mailbox'
  if (DEAD_CURSOR.has(code) || status === 410 || (status === 400 && usesCursor)) return 'cursor_gone'
  if (status === 429) return 'rate_limited'
  if (status === 401) return 'token_refused'
  if (status === 403) return 'permission_denied'
  if (status === 404 || code === 'errorinvalididmalformed') return 'not_found'
  return 'unavailable'
}

/** Numbers of AADSTS errors: the app or its secret is unknown or expired, or the tenant is unknown. */
const CLIENT_CODES = new Set([7000215, 7000222, 7000218, 700016, 90002, 900023, 50194])
const CLIENT_ERRORS = new Set<string | null>(['invalid_client', 'unauthorized_client'])
const REFUSED_GRANTS = new Set<string | null>(['invalid_grant', 'interaction_required', 'consent_required'])

/** The exchange of a refresh token. */
export function microsoftTokenProblem(response: ProviderResponse, request: ProviderRequest): ProviderError {
  const read = tokenError.safeParse(response.json).data
  const { error = null, error_description = null, error_codes = [] } = read ?? {}
  const isTemporary = response.status >= 500 || error === 'temporarily_unavailable'
  const kind: ProviderErrorKind =
    response.status === 429
      ? 'rate_limited'
      : isTemporary
        ? 'unavailable'
        : CLIENT_ERRORS.has(error) || error_codes.some((code) => CLIENT_CODES.has(code))
          ? 'client_refused'
          : REFUSED_GRANTS.has(error)
            ? 'revoked'
            : 'unavailable'
  return problem(kind, response, request, [error, error_description])
}

function problem(
  kind: ProviderErrorKind,
  response: ProviderResponse,
  request: ProviderRequest,
  said: (string | null)[],
) {
  const words = providerText(said.filter((word) => word !== null).join(': '), request)
  const message = `Microsoft answered ${response.status} to ${request.what}${words === '' ? '' : ` (${words})`}`
  return new ProviderError(kind, message, { retryAfterMs: pauseOf(response) })
}
