/** The refusals of Zoom's OAuth server and its REST API, word for word. Source: docs/platform-notes/zoom.md#oauth. */
export interface Answer {
  status: number
  body: unknown
  headers?: Record<string, string>
}

/** Of the token endpoint. */
export const INVALID_CODE: Answer = {
  status: 400,
  body: { reason: 'Invalid authorization code', error: 'invalid_grant' },
}
export const INVALID_REFRESH_TOKEN: Answer = { status: 400, body: { reason: 'Invalid Token!', error: 'invalid_grant' } }
export const INVALID_CLIENT: Answer = {
  status: 401,
  body: { reason: 'Invalid client_id or client_secret', error: 'invalid_client' },
}
export const REDIRECT_MISMATCH: Answer = {
  status: 400,
  body: { reason: 'Redirect URI mismatch.', error: 'invalid_request' },
}
export const INVALID_CHALLENGE: Answer = {
  status: 400,
  body: { reason: 'Invalid code verifier', error: 'invalid_grant' },
}

/** Of the REST API. */
export const INVALID_ACCESS_TOKEN: Answer = { status: 401, body: { code: 124, message: 'Invalid access token.' } }
export const EXPIRED_ACCESS_TOKEN: Answer = { status: 401, body: { code: 124, message: 'Access token is expired.' } }
export const missingScope = (scope: string): Answer => ({
  status: 400,
  body: { code: 4711, message: `Invalid access token, does not contain scopes:[${scope}].` },
})
export const userGone = (userId: string): Answer => ({
  status: 404,
  body: { code: 1001, message: `User does not exist: ${userId}.` },
})
export const badParameter = (message: string): Answer => ({ status: 400, body: { code: 300, message } })
export const tooManyRequests = (retryAfterSeconds: number): Answer => ({
  status: 429,
  body: { code: 429, message: 'You have reached the maximum per-second rate limit for this API. Try again later.' },
  headers: { 'retry-after': String(retryAfterSeconds) },
})
export const SERVER_ERROR: Answer = { status: 500, body: { code: 500, message: 'Internal error.' } }
