/** Errors in the shape of Google's APIs. */
import type { Reply } from '../../shared/scripted-server.ts'

export function refusal(code: number, reason: string, message: string, headers: Record<string, string> = {}): Reply {
  return {
    status: code,
    headers,
    body: { error: { code, message, errors: [{ domain: DOMAINS[reason] ?? 'global', reason, message }] } },
  }
}

const DOMAINS: Readonly<Record<string, string>> = {
  rateLimitExceeded: 'usageLimits',
  userRateLimitExceeded: 'usageLimits',
  quotaExceeded: 'usageLimits',
  fullSyncRequired: 'calendar',
  updatedMinTooLongAgo: 'calendar',
}

export const notFound = () => refusal(404, 'notFound', 'Not Found')
export const unauthorized = () => refusal(401, 'authError', 'Invalid Credentials')
export const missingScope = () =>
  refusal(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.')
export const syncTokenGone = () =>
  refusal(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.')
export const tooMany = () => refusal(403, 'rateLimitExceeded', 'Rate Limit Exceeded')
export const slowDown = (seconds: number) =>
  refusal(429, 'rateLimitExceeded', 'Too many requests', { 'retry-after': String(seconds) })
