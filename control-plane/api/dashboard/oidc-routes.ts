/**
 * Signing in through the operator's OpenID provider. The browser goes there and comes back by navigation, so the
 * sign-in page shows the problem: its address gets a word for it.
 */
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { recognize } from '../../store/people/identities.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { ApiError } from '../http/errors.ts'
import type { App } from '../http/generation.ts'
import { signIn } from '../http/sessions.ts'
import { succeeded, success } from '../v2/common.ts'
import { choicesPath, DASHBOARD_PATH, OIDC_CALLBACK_PATH } from './addresses.ts'
import { attemptCookie, go } from './attempt-cookie.ts'
import type { WhileAllowed } from './sign-in-tries.ts'

const MAX_QUERY_LENGTH = 4000

const attemptSchema = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string() })
const waysSchema = z.object({ oidc: z.object({ name: z.string() }).nullable() }).meta({ id: 'SignInWays' })
/** A browser visits them, so no document has them. */
const VISITED = { config: { isOpen: true }, schema: { hide: true } as object }

export function oidcRoutes(app: App, dependencies: ApiDependencies, whileAllowed: WhileAllowed): void {
  const { acrossTeams, log, settings, oidc } = dependencies
  const isSecure = settings.publicUrl.startsWith('https:')
  const redirectUri = `${settings.publicUrl}${OIDC_CALLBACK_PATH}`
  const cookie = attemptCookie(dependencies, 'oidc', attemptSchema)

  app.get('/sign-in-ways', { config: { isOpen: true }, schema: { response: { 200: success(waysSchema) } } }, () =>
    succeeded({ oidc: oidc === undefined ? null : { name: oidc.name } }),
  )
  if (oidc === undefined) return

  app.get('/oidc/begin', VISITED, async (_request, reply) => {
    try {
      const { address, attempt } = await oidc.begin(redirectUri)
      cookie.set(reply, attempt)
      return await go(reply, address)
    } catch (error) {
      return goBack(reply, problemOf(error))
    }
  })

  app.get('/oidc/callback', VISITED, async (request, reply) => {
    const attempt = cookie.read(request)
    cookie.set(reply, null)
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
