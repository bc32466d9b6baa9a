/** Reads responses that are a success. */
import type { z } from 'zod'
import { readTokenAnswer } from '../../connections/token-answer.ts'
import { ProviderError, type TokenAnswer } from '../../platform/ports.ts'
import type { OAuthCredentials } from '../ports.ts'
import { type ProviderHttp, type ProviderRequest, type ProviderResponse, send } from './transport.ts'

/** The body in this shape; otherwise rejects with `unavailable`. */
export function bodyOf<T extends z.ZodType>(
  response: ProviderResponse,
  shape: T,
  provider: string,
  what: string,
): z.output<T> {
  const read = shape.safeParse(response.json)
  if (read.success && response.bodyProblem === null) return read.data
  const first = read.error?.issues[0]
  const reason = response.bodyProblem ?? `lacks ${first?.path.join('.') || 'an object'}`
  throw new ProviderError('unavailable', `${provider}'s answer to ${what} ${reason}`)
}

/** An id as a part of a path. */
export const segment = (id: string): string => encodeURIComponent(id)

/** Exchanges a refresh token for an access token. */
export async function refreshAt(
  http: ProviderHttp,
  { provider, url, scope }: { provider: string; url: string; scope?: string },
  { refreshToken, clientId, clientSecret }: OAuthCredentials,
  problemOf: (response: ProviderResponse, request: ProviderRequest) => ProviderError,
): Promise<TokenAnswer> {
  const what = 'the exchange of the refresh token'
  const form = {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
    ...(scope !== undefined && { scope }),
  }
  const request: ProviderRequest = { what, url, method: 'POST', form }
  const response = await send(http, provider, request)
  if (response.status !== 200) throw problemOf(response, request)
  const tokens = readTokenAnswer(response.json)
  if (tokens !== null) return tokens
  const reason = response.bodyProblem ?? 'has no token that can be used'
  throw new ProviderError('unavailable', `${provider}'s answer to ${what} ${reason}`)
}
