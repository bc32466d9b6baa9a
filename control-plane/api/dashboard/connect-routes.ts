/**
 * Connecting a calendar or a Zoom user by the app of the operator. The browser goes to the provider's page of consent and
 * comes back by navigation, so the page that it comes back to shows the problem: its address gets a word for it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ProviderError } from '../../platform/ports.ts'
import { type ConnectionTokens, connectUser } from '../../store/connections/connections.ts'
import { beginConsent, endConsent } from '../../store/people/sessions.ts'
import { withCalendarErrors } from '../calendar-problems.ts'
import { type ApiDependencies, CONSENT_PROVIDERS, type ConsentApp, type ConsentProvider } from '../dependencies.ts'
import { ApiError, refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { calendarOf, ownerOf } from '../v2/calendars/access.ts'
import { calendarParams, rawCalendarSchema } from '../v2/calendars/schema.ts'
import { succeeded, success, uuid } from '../v2/common.ts'
import { consentCallbackPath, DASHBOARD_PATH } from './addresses.ts'
import { attemptCookie, go } from './attempt-cookie.ts'
import { personOf } from './sign-in-routes.ts'

const MAX_NAME_LENGTH = 100

const targetSchema = z
  .strictObject({
    calendar_id: uuid
      .optional()
      .describe('A connected calendar of the account. Without `raw_calendar_id` it gets the new permission.'),
    raw_calendar_id: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe('Another calendar of that account, to connect it too.'),
  })
  .refine((target) => target.raw_calendar_id === undefined || target.calendar_id !== undefined, {
    path: ['calendar_id'],
    error: 'is required together with raw_calendar_id',
  })
const attemptSchema = z.object({
  state: z.string(),
  verifier: z.string(),
  provider: z.enum(CONSENT_PROVIDERS),
  target: targetSchema,
})
const pageSchema = z.object({ address: z.string().describe('Of the page of consent.') }).meta({ id: 'ConsentPage' })

export function connectRoutes(app: App, dependencies: ApiDependencies): void {
  const { database, seals, calendars, conferencing, log, settings, consents = {} } = dependencies
  const cookie = attemptCookie(dependencies, 'consent', attemptSchema)
  const redirectUriOf = (provider: ConsentProvider) => `${settings.publicUrl}${consentCallbackPath(provider)}`

  app.post(
    '/connect/:provider',
    {
      config: { changes: 'never' },
      schema: {
        params: z.strictObject({ provider: z.enum(CONSENT_PROVIDERS) }),
        body: targetSchema,
        response: { 200: success(pageSchema) },
      },
    },
    async (request, reply) => {
      const { params, body: target } = request
      const { provider } = params
      const consent = consents[provider]
      if (consent === undefined) throw refusals.unknown('app of the operator')
      const { calendar_id: calendarId } = target
      const account = calendarId && (await calendarOf(dependencies, request, calendarId)).account_email
      const { address, attempt } = await consent.begin(redirectUriOf(provider), account || null)
      await beginConsent(database, personOf(callerOf(request).session).hash, attempt.state)
      cookie.set(reply, { ...attempt, provider, target })
      return succeeded({ address })
    },
  )

  app.get(
    '/calendars/:calendar_id/others',
    {
      config: { role: 'member' },
      schema: { params: calendarParams, response: { 200: success(rawCalendarSchema.array()) } },
    },
    async (request) => {
      const { calendar_id: calendarId } = request.params
      const name = { ...ownerOf(request), calendarId }
      const found = await withCalendarErrors(name, () => calendars.listOthers(name))
      return succeeded(found.map(({ isPrimary, ...rest }) => ({ ...rest, is_primary: isPrimary })))
    },
  )

  for (const provider of CONSENT_PROVIDERS) {
    const consent = consents[provider]
    if (consent !== undefined) callbackRoute(provider, consent)
  }

  function callbackRoute(provider: ConsentProvider, consent: ConsentApp): void {
    const page = `${settings.publicUrl}${DASHBOARD_PATH}/`
    app.get(
      `/connect/${provider}/callback`,
      {
        config: { role: 'member' },
        schema: { hide: true } as object,
        errorHandler: (error, _request, reply) => {
          const { kind, missingScopes } = noted(provider, error)
          const list = provider === 'zoom' ? 'connections' : 'calendars'
          const query = new URLSearchParams({ problem: kind, provider, missing: missingScopes.join(' ') })
          go(reply, `${page}${list}?${query}`)
        },
      },
      async (request, reply) => go(reply, page + (await connect(request, reply, provider, consent))),
    )
  }

  /** The path of the page that shows what is connected now. */
  async function connect(
    request: FastifyRequest,
    reply: FastifyReply,
    provider: ConsentProvider,
    consent: ConsentApp,
  ): Promise<string> {
    const attempt = cookie.read(request)
    cookie.set(reply, null)
    if (attempt === null || attempt.provider !== provider)
      throw new ProviderError('expired', 'This browser asked for no consent, or too long ago')
    const [, query = ''] = request.url.split('?', 2)
    const answer = new URL(`${redirectUriOf(provider)}?${query}`)
    const { hash } = personOf(callerOf(request).session)
    const isAwaited = answer.searchParams.get('state') === attempt.state
    if (!isAwaited || !(await endConsent(database, hash, attempt.state)))
      throw new ProviderError('used', 'The answer was used, or belongs to another sign-in or to an earlier request')
    const tokens = await consent.finish(answer, attempt)
    if (provider === 'zoom') return connectZoom(request, consent.app, tokens)
    const { calendar_id: calendarId, raw_calendar_id: rawCalendarId = null } = attempt.target
    const credentials = { ...consent.app, refreshToken: tokens.refreshToken }
    const isRenewed = calendarId !== undefined && rawCalendarId === null
    const caller = { teamId: callerOf(request).teamId, apiKeyId: null, generation: 'v2', isCompat: false } as const
    const { id } = isRenewed
      ? await calendars.update({ ...ownerOf(request), calendarId }, credentials, { platform: provider })
      : await calendars.connect(caller, { platform: provider, credentials, rawCalendarId })
    return `calendars/${id}?connected=${isRenewed ? 'again' : 'new'}`
  }

  async function connectZoom(
    request: FastifyRequest,
    { clientId, clientSecret }: ConsentApp['app'],
    tokens: ConnectionTokens,
  ): Promise<string> {
    // The app's tenant is one of Microsoft.
    const app = { clientId, clientSecret }
    const result = await conferencing.authorize(app, tokens)
    if ('refused' in result) throw new ProviderError('permission_denied', result.refused)
    if ('unavailable' in result) throw new ProviderError('unavailable', result.unavailable)
    const { displayName, email, userId } = result.user.profile
    const name = (displayName ?? email ?? userId).slice(0, MAX_NAME_LENGTH)
    const { teamId } = callerOf(request)
    const row = await connectUser(database, seals, { teamId, name, app, user: result.user, extra: null })
    return `connections?connected=${row.updated_at > row.created_at ? 'again' : 'new'}`
  }

  /** The problem with its word, after it was logged. */
  function noted(provider: ConsentProvider, error: Error): { kind: string; missingScopes: readonly string[] } {
    const { kind, missingScopes } =
      error instanceof ProviderError
        ? error
        : { kind: error instanceof ApiError ? wordOf(error) : 'failed', missingScopes: [] }
    const fields = { provider, kind, error: error.message }
    log[kind === 'failed' ? 'error' : 'warn'](fields, 'An account was not connected')
    return { kind, missingScopes }
  }
}

const WORDS: Readonly<Record<number, string>> = { 401: 'signed_out', 403: 'forbidden', 429: 'too_many' }
const wordOf = ({ status }: ApiError) => WORDS[status] ?? 'unavailable'
