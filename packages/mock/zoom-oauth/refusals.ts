/** The refusals of Zoom's OAuth server and its REST API, word for word. Source: docs/platform-notes/zoom.md#oauth. */
import type { Reply } from '../shared/scripted-server.ts'

/** Of the token endpoint. */
export const INVALID_CODE: Reply = {
  status: 400,
  body: { reason: 'Invalid authorization code', error: 'invalid_grant' },
}
export const INVALID_REFRESH_TOKEN: Reply = { status: 400, body: { reason: 'Invalid Token!', error: 'invalid_grant' } }
export const INVALID_CLIENT: Reply = {
  status: 401,
  body: { reason: 'Invalid client_id or client_secret', error: 'invalid_client' },
}
export const REDIRECT_MISMATCH: Reply = {
  status: 400,
  body: { reason: 'Redirect URI mismatch.', error: 'invalid_request' },
}
export const INVALID_CHALLENGE: Reply = {
  status: 400,
  body: { reason: 'Invalid code verifier', error: 'invalid_grant' },
}

/** Of the REST API. */
export const INVALID_ACCESS_TOKEN: Reply = { status: 401, body: { code: 124, message: 'Invalid access token.' } }
export const EXPIRED_ACCESS_TOKEN: Reply = { status: 401, body: { code: 124, message: 'Access token is expired.' } }
export const missingScope = (scope: string): Reply => ({
  status: 400,
  body: { code: 4711, message: `Invalid access token, does not contain scopes:[${scope}].` },
})
export const userGone = (userId: string): Reply => ({
  status: 404,
  body: { code: 1001, message: `User does not exist: ${userId}.` },
})
export const badParameter = (message: string): Reply => ({ status: 400, body: { code: 300, message } })
export const tooManyRequests = (retryAfterSeconds: number): Reply => ({
  status: 429,
  body: { code: 429, message: 'You have reached the maximum per-second rate limit for this API. Try again later.' },
  headers: { 'retry-after': String(retryAfterSeconds) },
})
export const SERVER_ERROR: Reply = { status: 500, body: { code: 500, message: 'Internal error.' } }
