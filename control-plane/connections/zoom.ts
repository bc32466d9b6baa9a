/**
 * Zoom's OAuth server and the two requests of its REST API that connections use. Source:
 * docs/platform-notes/zoom.md#oauth and #access-keys-and-on-behalf-of-tokens.
 */
import { z } from 'zod'
import { type GuardedClient, ProviderError, type TokenAnswer } from '../platform/ports.ts'
import type { App, ConferencingPlatform, Profile } from './ports.ts'
import { type Answered, askProvider, passingProblem, saidBy, tokenSchema as token } from './provider-answers.ts'
import { accessTokenOf, readTokenAnswer } from './token-answer.ts'

const ANSWER_MS = 10_000
/** A refresh that is given up is lost with its new token, so its answer is waited for longer. */
const REFRESH_MS = 25_000
const NAME = 'Zoom'

const text = (longest: number) =>
  z
    .string()
    .transform((value) => value.replaceAll('\0', '').toWellFormed().slice(0, longest).trim() || null)
    .nullish()
    .catch(null)
const profileSchema = z.object({
  id: z.string().min(1).max(256),
  account_id: text(256),
  email: text(320),
  display_name: text(200),
  first_name: text(100),
  last_name: text(100),
})
const tokenSchema = z.object({ token })
const problemSchema = z.object({
  reason: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  code: z.number().optional().catch(undefined),
})
type Problem = z.output<typeof problemSchema>

export interface ZoomSettings {
  client: Pick<GuardedClient, 'request'>
  /** Replaces both of Zoom's addresses; null: the real ones. */
  address: string | null
}

export function createZoom({ client, address }: ZoomSettings): ConferencingPlatform {
  const oauth = address ?? 'https://zoom.us'
  const rest = address ?? 'https://api.zoom.us'

  async function tokensOf(
    app: App,
    form: Record<string, string>,
    refusedGrant: 'code_refused' | 'revoked',
  ): Promise<TokenAnswer> {
    const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')
    const request = {
      url: `${oauth}/oauth/token`,
      method: 'POST' as const,
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      timeoutMs: REFRESH_MS,
    }
    const answer = await askProvider(client, request, [
      app.clientSecret,
      basic,
      form.code ?? '',
      form.refresh_token ?? '',
    ])
    const tokens = answer.status === 200 ? readTokenAnswer(answer.json) : null
    if (tokens === null) throw tokenProblem(answer, refusedGrant)
    return tokens
  }

  async function read<T>(path: string, accessToken: string, schema: z.ZodType<T>): Promise<T> {
    const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' }
    const request = { url: `${rest}${path}`, method: 'GET' as const, headers, timeoutMs: ANSWER_MS }
    const answer = await askProvider(client, request, [accessToken])
    const parsed = schema.safeParse(answer.json)
    if (answer.status === 200 && parsed.success) return parsed.data
    throw restProblem(answer)
  }

  return {
    async exchange(app, { code, redirectUri }) {
      const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
      const tokens = await tokensOf(app, form, 'code_refused')
      const { refreshToken, scopes } = tokens
      if (refreshToken === null) throw new ProviderError('unavailable', `${NAME} gave no refresh token.`)
      return { ...tokens, accessToken: accessTokenOf(tokens), refreshToken, scopes: scopes ?? [] }
    },
    refresh: (app, refreshToken) =>
      tokensOf(app, { grant_type: 'refresh_token', refresh_token: refreshToken }, 'revoked'),
    profile: async (accessToken) => asProfile(await read('/v2/users/me', accessToken, profileSchema)),
    async userToken(accessToken, kind, meetingNumber) {
      const query = new URLSearchParams({ type: kind === 'obf' ? 'onbehalf' : 'zak' })
      if (kind === 'obf' && meetingNumber !== null) query.set('meeting_id', meetingNumber)
      return (await read(`/v2/users/me/token?${query}`, accessToken, tokenSchema)).token
    },
  }
}

function asProfile(profile: z.output<typeof profileSchema>): Profile {
  const whole = [profile.first_name, profile.last_name].filter(Boolean).join(' ')
  return {
    userId: profile.id,
    accountId: profile.account_id ?? null,
    email: profile.email ?? null,
    displayName: profile.display_name ?? (whole || null),
  }
}

function tokenProblem(answer: Answered, refusedGrant: 'code_refused' | 'revoked'): ProviderError {
  const { reason, error } = problemOf(answer)
  const said = saidBy(NAME, answer, [error, reason])
  const passing = passingProblem(NAME, answer, said)
  if (passing !== null) return passing
  if (error === 'invalid_client') return new ProviderError('client_refused', said)
  if (/redirect/i.test(reason ?? '')) return new ProviderError('redirect_mismatch', said)
  if (error === 'invalid_grant') return new ProviderError(refusedGrant, said)
  return new ProviderError(answer.status === 401 ? 'client_refused' : 'refused', said)
}

function restProblem(answer: Answered): ProviderError {
  const { code, message } = problemOf(answer)
  const said = saidBy(NAME, answer, [code === undefined ? undefined : String(code), message])
  const passing = passingProblem(NAME, answer, said)
  if (passing !== null) return passing
  if (code === 124 || answer.status === 401) return new ProviderError('token_refused', said)
  if (code === 4711 || code === 4700 || /scopes?:/i.test(message ?? '')) return new ProviderError('scope_missing', said)
  if (code === 1001) return new ProviderError('user_gone', said)
  return new ProviderError('refused', said)
}

function problemOf({ json }: Answered): Problem {
  const parsed = problemSchema.safeParse(json)
  return parsed.success ? parsed.data : {}
}
