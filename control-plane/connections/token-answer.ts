/**
 * The answer of an OAuth server to a code or to a refresh token. A refresh token may be the only one that works from then on,
 * so no other field of the answer costs it.
 */
import { z } from 'zod'
import { ProviderError, type TokenAnswer } from '../platform/ports.ts'

/** A refresh token of a longer answer is lost, so this is far more than any provider sends. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MAX_SECONDS = 31_536_000
/** Without a usable time: an access token that ends earlier is refused, and then refreshed. */
const USUAL_SECONDS = 3600

/** Some servers write the number as text. */
const seconds = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,12}(\.\d+)?$/)
      .transform(Number),
  ])
  .pipe(z.number().min(0))
  .catch(USUAL_SECONDS)
  .transform((value) => Math.min(value, MAX_SECONDS))

const schema = z.object({
  /** Visible ASCII, which is what a header can carry. */
  access_token: z
    .string()
    .regex(/^[!-~]{1,16384}$/)
    .nullable()
    .catch(null),
  refresh_token: z.string().min(1).nullable().catch(null),
  expires_in: seconds,
  scope: z.string().max(20_000).nullable().catch(null),
})

/** Null: the answer has no token. */
export function readTokenAnswer(json: unknown): TokenAnswer | null {
  const { data } = schema.safeParse(json)
  if (data === undefined || (data.access_token === null && data.refresh_token === null)) return null
  return {
    accessToken: data.access_token,
    accessTokenSeconds: data.expires_in,
    refreshToken: data.refresh_token,
    scopes: data.scope?.split(/[\s,]+/).filter((scope) => /^[\w:./-]{1,200}$/.test(scope)) ?? null,
  }
}

export function accessTokenOf({ accessToken }: TokenAnswer): string {
  if (accessToken !== null) return accessToken
  throw new ProviderError('unavailable', 'The provider gave no access token that can be used.')
}
