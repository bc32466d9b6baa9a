/**
 * Zoom's OAuth server and the two requests of its REST API that connections use. Source:
 * docs/platform-notes/zoom.md#oauth and #access-keys-and-on-behalf-of-tokens.
 */
import { z } from 'zod'
import type { GuardedClient } from '../ports.ts'
import { type App, type ConferencingPlatform, PlatformProblem, type Profile, type TokenPair } from './ports.ts'
import { type Answered, askProvider, passingProblem, saidBy, tokenSchema as token } from './provider-answers.ts'

const ANSWER_MS = 10_000
/** A refresh that is given up is lost with its new token, so its answer is waited for longer. */
const REFRESH_MS = 25_000
const NAME = 'Zoom'

const pairSchema = z.object({
  access_token: token,
  refresh_token: token,
  expires_in: z.number().min(0).max(31_536_000).catch(3600),
  scope: z.string().max(20_000).catch(''),
})
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

  async function pairOf(app: App, form: Record<string, string>, refusedGrant: 'code_refused' | 'revoked') {
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
    const pair = pairSchema.safeParse(answer.json)
    if (answer.status === 200 && pair.success) return asPair(pair.data)
    throw tokenProblem(answer, refusedGrant)
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
    exchange: (app, { code, redirectUri }) =>
      pairOf(app, { grant_type: 'authorization_code', code, redirect_uri: redirectUri }, 'code_refused'),
    refresh: (app, refreshToken) =>
      pairOf(app, { grant_type: 'refresh_token', refresh_token: refreshToken }, 'revoked'),
    profile: async (accessToken) => asProfile(await read('/v2/users/me', accessToken, profileSchema)),
    async userToken(accessToken, kind, meetingNumber) {
      const query = new URLSearchParams({ type: kind === 'obf' ? 'onbehalf' : 'zak' })
      if (kind === 'obf' && meetingNumber !== null) query.set('meeting_id', meetingNumber)
      return (await read(`/v2/users/me/token?${query}`, accessToken, tokenSchema)).token
    },
  }
}

function asPair(pair: z.output<typeof pairSchema>): TokenPair {
  return {
    accessToken: pair.access_token,
    refreshToken: pair.refresh_token,
    accessTokenSeconds: pair.expires_in,
    scopes: pair.scope.split(/[\s,]+/).filter((scope) => /^[\w:./-]{1,200}$/.test(scope)),
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

function tokenProblem(answer: Answered, refusedGrant: 'code_refused' | 'revoked'): PlatformProblem {
  const { reason, error } = problemOf(answer)
  const said = saidBy(NAME, answer, [error, reason])
  const passing = passingProblem(NAME, answer, said)
  if (passing !== null) return passing
  if (error === 'invalid_client') return new PlatformProblem('client_refused', said)
  if (/redirect/i.test(reason ?? '')) return new PlatformProblem('redirect_mismatch', said)
  if (error === 'invalid_grant') return new PlatformProblem(refusedGrant, said)
  return new PlatformProblem(answer.status === 401 ? 'client_refused' : 'refused', said)
}

function restProblem(answer: Answered): PlatformProblem {
  const { code, message } = problemOf(answer)
  const said = saidBy(NAME, answer, [code === undefined ? undefined : String(code), message])
  const passing = passingProblem(NAME, answer, said)
  if (passing !== null) return passing
  if (code === 124 || answer.status === 401) return new PlatformProblem('token_refused', said)
  if (code === 4711 || code === 4700 || /scopes?:/i.test(message ?? ''))
    return new PlatformProblem('scope_missing', said)
  if (code === 1001) return new PlatformProblem('user_gone', said)
  return new PlatformProblem('refused', said)
}

function problemOf({ json }: Answered): Problem {
  const parsed = problemSchema.safeParse(json)
  return parsed.success ? parsed.data : {}
}
