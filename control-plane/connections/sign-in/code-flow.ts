/** The authorization code flow of sign-in and consent: state and PKCE, and requests by the guarded client. */
import {
  buildAuthorizationUrl,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { GuardedClient } from '../../platform/ports.ts'

const MAX_ANSWER_BYTES = 512 * 1024

/** The values of one attempt that the answer must match; only the browser that began it has them. */
export interface Attempt {
  state: string
  verifier: string
}

/** Where the browser goes. */
export async function beginAttempt(
  provider: Configuration,
  parameters: Record<string, string>,
): Promise<{ address: string; attempt: Attempt }> {
  const attempt = { state: randomState(), verifier: randomPKCECodeVerifier() }
  const address = buildAuthorizationUrl(provider, {
    ...parameters,
    state: attempt.state,
    code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  })
  return { address: address.href, attempt }
}

export function fetchThrough(
  client: Pick<GuardedClient, 'request'>,
  requestSeconds: number,
  maxBytes = MAX_ANSWER_BYTES,
): CustomFetch {
  return async (url, { method, headers, body }) => {
    const answer = await client.request({
      url,
      method: method as 'GET' | 'POST',
      headers,
      ...(body != null && { body: String(body) }),
      timeoutMs: requestSeconds * 1000,
      maxBytes,
    })
    // A cut document reads as a broken one.
    return new Response(answer.body.length === 0 ? null : Buffer.from(answer.body), answer)
  }
}
