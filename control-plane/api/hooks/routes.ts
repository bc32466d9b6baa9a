/**
 * `/hooks/…`: notifications of calendar providers. They carry no API key; the token of each subscription authenticates
 * them. They only say that something changed, so they are stored and answered at once.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { z } from 'zod'
import type { Notification } from '../../calendars/operations.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import type { App } from '../http/generation.ts'
import { countUse } from '../http/rate-limits.ts'

/** Google sends none. */
const GOOGLE_BODY_BYTES = 16 * 1024
/** Graph gathers a few notifications, of less than 1 KB each. */
const MICROSOFT_BODY_BYTES = 256 * 1024
const MAX_NAME_LENGTH = 200
const MAX_HANDSHAKE_LENGTH = 4096
/** Limit for one address in a minute. A notification that is not ours costs as much as twenty that are. */
const POINTS_PER_MINUTE = 6000
const UNKNOWN_COSTS = 20
/** Notifications of one body that are stored at the same time. */
const AT_ONCE = 8

const GOOGLE_STATES = ['sync', 'exists', 'not_exists'] as const

/** In a separate scope, where bodies that are no JSON are read and ignored: a handshake may come with any type. */
export async function hookRoutes(app: App, dependencies: Pick<ApiDependencies, 'calendars'>): Promise<void> {
  await app.register(async (scope: App) => {
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined))
    addRoutes(scope, dependencies)
  })
}

function addRoutes(app: App, { calendars }: Pick<ApiDependencies, 'calendars'>): void {
  const budget = new RateLimiterMemory({ points: POINTS_PER_MINUTE, duration: 60 })

  /** Google repeats a notification after 503, and not after 429. */
  async function limit(request: FastifyRequest): Promise<void> {
    const { count, reset } = await countUse(budget, request.ip)
    if (count > POINTS_PER_MINUTE) throw refusals.tooManyNotifications(reset)
  }

  async function note(request: FastifyRequest, notification: Notification): Promise<'known' | 'unknown'> {
    const result = await calendars.notified(notification)
    if (result === 'unknown') await budget.penalty(request.ip, UNKNOWN_COSTS)
    return result
  }

  app.post('/hooks/google', { bodyLimit: GOOGLE_BODY_BYTES, onRequest: limit }, async (request, reply) => {
    const channelId = headerOf(request, 'x-goog-channel-id')
    const state = GOOGLE_STATES.find((one) => one === request.headers['x-goog-resource-state'])
    if (channelId === '' || state === undefined)
      throw refusals.validation('headers hold no notification of Google Calendar')
    const token = headerOf(request, 'x-goog-channel-token')
    const result = await note(request, { platform: 'google', channelId, token, state })
    if (result === 'unknown') throw refusals.unknownChannel()
    return reply.code(204).send()
  })

  for (const path of ['/hooks/microsoft', '/hooks/microsoft/lifecycle'])
    app.post(path, { bodyLimit: MICROSOFT_BODY_BYTES, onRequest: limit }, async (request, reply) => {
      const { validationToken } = request.query as { validationToken?: unknown }
      if (validationToken !== undefined) return shakeHands(validationToken, reply)
      const notifications = readNotifications(request.body)
      if (notifications === null) throw refusals.validation('body holds no notifications of Microsoft Graph')
      for (let start = 0; start < notifications.length; start += AT_ONCE)
        await Promise.all(notifications.slice(start, start + AT_ONCE).map((one) => note(request, one)))
      // Also for subscriptions that are not ours: Graph repeats anything else for hours.
      return reply.code(202).send()
    })
}

/** Graph expects its validation token back before it makes a subscription. */
function shakeHands(token: unknown, reply: FastifyReply): FastifyReply {
  if (typeof token !== 'string' || token.length > MAX_HANDSHAKE_LENGTH)
    throw refusals.validation(`querystring/validationToken must be text of at most ${MAX_HANDSHAKE_LENGTH} characters`)
  return reply
    .code(200)
    .headers({ 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' })
    .send(token)
}

/** Blank if it is missing, doubled or too long. */
function headerOf(request: FastifyRequest, name: string): string {
  const value = request.headers[name]
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH ? value : ''
}

/** The body that Microsoft Graph posts: several notifications at once. */
const MAX_NOTIFICATIONS = 1000

const notifications = z.object({
  value: z
    .array(
      z.object({
        subscriptionId: z.string().min(1).max(200),
        /** The token that we gave; a notification without one is not ours. */
        clientState: z.string().max(200).nullish(),
        lifecycleEvent: z.string().max(100).nullish(),
      }),
    )
    .max(MAX_NOTIFICATIONS),
})

const LIFECYCLE_KINDS: Readonly<Record<string, 'missed' | 'removed' | 'reauthorize'>> = {
  missed: 'missed',
  subscriptionRemoved: 'removed',
  reauthorizationRequired: 'reauthorize',
}

/**
 * Each kind once for each subscription; null if the body is not from Graph. Lifecycle events that are new are left
 * out.
 */
function readNotifications(body: unknown): Notification[] | null {
  const read = notifications.safeParse(body)
  if (!read.success) return null
  const found = read.data.value.flatMap(({ subscriptionId, clientState, lifecycleEvent }): Notification[] => {
    const token = clientState ?? ''
    if (!lifecycleEvent) return [{ platform: 'microsoft', subscriptionId, token, kind: 'changed' }]
    const kind = LIFECYCLE_KINDS[lifecycleEvent]
    return kind === undefined ? [] : [{ platform: 'microsoft', subscriptionId, token, kind }]
  })
  return [...new Map(found.map((notification) => [JSON.stringify(notification), notification])).values()]
}
