/**
 * Signing in through the operator's OpenID provider. The browser goes there and comes back by navigation, so the
 * sign-in page shows the problem: its address gets a word for it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { recognize } from '../../store/people/identities.ts'
import type { ApiDependencies, OidcAttempt } from '../dependencies.ts'
import { ApiError } from '../http/errors.ts'
import type { App } from '../http/generation.ts'
import { cookieOf, setCookie, signIn } from '../http/sessions.ts'
import { succeeded, success } from '../v2/common.ts'
import { choicesPath, DASHBOARD_PATH, OIDC_CALLBACK_PATH } from './addresses.ts'
import type { WhileAllowed } from './sign-in-tries.ts'

/** From the click to the answer of the provider. */
const ATTEMPT_MINUTES = 10
const COOKIE = 'standin_oidc'
const MAX_COOKIE_LENGTH = 2000
const MAX_QUERY_LENGTH = 4000
/** Not a row: the browser keeps the sealed value that began to sign in. */
const COOKIE_PLACE = { table: 'cookies', column: 'oidc_attempt', row: '1' }

const attemptSchema = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string(), until: z.number() })
const waysSchema = z.object({ oidc: z.object({ name: z.string() }).nullable() }).meta({ id: 'SignInWays' })
/** A browser visits them, so no document has them. */
const VISITED = { config: { isOpen: true }, schema: { hide: true } as object }

export function oidcRoutes(app: App, dependencies: ApiDependencies, whileAllowed: WhileAllowed): void {
  const { acrossTeams, seals, clock, log, settings, oidc } = dependencies
  const isSecure = settings.publicUrl.startsWith('https:')
  const redirectUri = `${settings.publicUrl}${OIDC_CALLBACK_PATH}`

  app.get('/sign-in-ways', { config: { isOpen: true }, schema: { response: { 200: success(waysSchema) } } }, () =>
    succeeded({ oidc: oidc === undefined ? null : { name: oidc.name } }),
  )
  if (oidc === undefined) return

  app.get('/oidc/begin', VISITED, async (_request, reply) => {
    try {
      const { address, attempt } = await oidc.begin(redirectUri)
      setAttempt(reply, attempt)
      return await go(reply, address)
    } catch (error) {
      return goBack(reply, problemOf(error))
    }
  })

  app.get('/oidc/callback', VISITED, async (request, reply) => {
    const attempt = readAttempt(request)
    setAttempt(reply, null)
    const [, query = ''] = request.url.split('?', 2)
    if (attempt === null || query.length > MAX_QUERY_LENGTH) return goBack(reply, 'expired')
    let problem = 'invalid'
    try {
      const recognized = await whileAllowed([`address ${request.ip}`], async () => {
        const identity = await oidc.finish(new URL(`${redirectUri}?${query}`), attempt)
        const found = await recognize(acrossTeams, identity, oidc.domains)
        if (typeof found !== 'string') return found
        log.info({ reason: found, issuer: identity.issuer, subject: identity.subject }, 'OpenID account not admitted')
        problem = found
        return null
      })
      if (recognized === null) return goBack(reply, problem)
      const choices = await signIn(acrossTeams, reply, recognized.personIds, isSecure)
      return await go(reply, `${settings.publicUrl}${DASHBOARD_PATH}/${choicesPath(choices)}`)
    } catch (error) {
      return goBack(reply, problemOf(error))
    }
  })

  function setAttempt(reply: FastifyReply, attempt: OidcAttempt | null): void {
    const until = clock.now() + ATTEMPT_MINUTES * 60_000
    const value = attempt && seals.seal(JSON.stringify({ ...attempt, until }), COOKIE_PLACE).toString('base64url')
    setCookie(reply, COOKIE, { value, maxAge: ATTEMPT_MINUTES * 60, secure: isSecure })
  }

  /** Null: this browser began nothing, or too long ago. */
  function readAttempt(request: FastifyRequest): OidcAttempt | null {
    const value = cookieOf(request, COOKIE, isSecure)
    if (value === undefined || value === '' || value.length > MAX_COOKIE_LENGTH) return null
    try {
      const text = seals.open(Buffer.from(value, 'base64url'), COOKIE_PLACE)
      const { until, ...attempt } = attemptSchema.parse(JSON.parse(text))
      return until > clock.now() ? attempt : null
    } catch {
      return null
    }
  }

  /** The word by which the sign-in page explains it. */
  function problemOf(error: unknown): string {
    if (error instanceof ApiError) return error.status === 429 ? 'too_many' : 'unavailable'
    const { kind, message } = error as { kind?: unknown; message?: unknown }
    log.warn({ kind: String(kind ?? 'error'), error: String(message) }, 'Sign-in through the OpenID provider failed')
    return typeof kind === 'string' ? kind : 'unavailable'
  }

  const goBack = (reply: FastifyReply, problem: string) =>
    go(reply, `${settings.publicUrl}${DASHBOARD_PATH}/sign-in?problem=${problem}`)
}

/** The address that is left contains codes of the provider, so it is sent to no other host and kept nowhere. */
function go(reply: FastifyReply, address: string): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(address, 303)
}
