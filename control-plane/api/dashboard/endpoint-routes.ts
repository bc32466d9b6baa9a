/** Webhook endpoints of the team. */
import { z } from 'zod'
import { WEBHOOK_EVENTS } from '../../bots/messages/kinds.ts'
import { isEndpointOf } from '../../store/dashboard.ts'
import { replayDeliveries } from '../../store/webhooks/deliveries.ts'
import {
  changeEndpoint,
  createEndpoint,
  enableEndpoint,
  listEndpoints,
  rotateSecret,
  stopEndpoint,
} from '../../store/webhooks/endpoints.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { at, done, message, requestTime, succeeded, success, time, uuid } from '../v2/common.ts'

const endpointSchema = z
  .object({
    endpoint_id: z.uuid(),
    kind: z.string(),
    url: z.string(),
    events: z.array(z.string()).nullable().describe('Null: all.'),
    live_within_seconds: z.number().nullable(),
    failed_in_a_row: z.int(),
    failing_since: time.nullable(),
    probe_at: time.nullable(),
    disabled_at: time.nullable(),
    disabled_reason: z.string().nullable(),
    created_at: time,
  })
  .meta({ id: 'Endpoint' })
const url = z.string().min(1).max(2048)
const events = z.array(z.enum(WEBHOOK_EVENTS)).min(1).max(WEBHOOK_EVENTS.length)
const liveWithin = z.number().min(0.2).max(60)
const params = z.strictObject({ endpoint_id: uuid })
const secret = success(z.object({ endpoint_id: z.uuid(), secret: z.string().nullable().describe('Shown this once.') }))

const chosenEvents = (body: {
  events?: z.output<typeof events> | null | undefined
  live_within_seconds?: number | undefined
}) => ({
  events: body.events,
  liveWithinMs: body.live_within_seconds === undefined ? undefined : Math.round(body.live_within_seconds * 1000),
})

export function endpointRoutes(app: App, { database, seals, client, webhooks }: ApiDependencies): void {
  const owner = { role: 'owner' } as const

  app.get('/endpoints', { schema: { response: { 200: success(z.array(endpointSchema)) } } }, async (request) => {
    const endpoints = await listEndpoints(database, { teamId: callerOf(request).teamId })
    return succeeded(
      endpoints.map((one) => ({
        endpoint_id: one.id,
        kind: one.kind,
        url: one.url,
        events: one.events as string[] | null,
        live_within_seconds: one.live_types === null ? null : one.live_within_ms! / 1000,
        failed_in_a_row: one.failed_in_a_row,
        failing_since: at(one.failing_since),
        probe_at: at(one.probe_at),
        disabled_at: at(one.disabled_at),
        disabled_reason: one.disabled_reason,
        created_at: one.created_at.toISOString(),
      })),
    )
  })

  app.post(
    '/endpoints',
    {
      config: owner,
      schema: {
        body: z.strictObject({ url, events: events.nullish(), live_within_seconds: liveWithin.optional() }),
        response: { 201: secret },
      },
    },
    async (request, reply) => {
      const { url } = request.body
      checkUrl(url)
      const { teamId } = callerOf(request)
      const made = await createEndpoint(database, seals, { teamId, kind: 'team', url, ...chosenEvents(request.body) })
      reply.code(201)
      return succeeded({ endpoint_id: made.id, secret: made.secret })
    },
  )

  app.post(
    '/endpoints/:endpoint_id/rotate',
    { config: owner, schema: { params, response: { 200: secret } } },
    async (request) => {
      const { endpoint_id: id } = request.params
      const fresh = await rotateSecret(database, seals, id, callerOf(request).teamId)
      if (fresh === null) throw refusals.unknown('endpoint')
      return succeeded({ endpoint_id: id, secret: fresh })
    },
  )

  app.patch(
    '/endpoints/:endpoint_id',
    {
      config: owner,
      schema: {
        params,
        body: z
          .strictObject({ url: url.optional(), events: events.nullish(), live_within_seconds: liveWithin.optional() })
          .refine((body) => Object.values(body).some((part) => part !== undefined), { error: 'needs a url or events' }),
        response: { 200: message },
      },
    },
    async (request) => {
      if (request.body.url !== undefined) checkUrl(request.body.url)
      const id = await ownEndpoint(request.params.endpoint_id, callerOf(request).teamId)
      if (!(await changeEndpoint(database, id, { url: request.body.url, ...chosenEvents(request.body) })))
        throw refusals.unknown('endpoint')
      return done('Saved')
    },
  )

  const stopping = { config: owner, schema: { params, response: { 200: message } } } as const
  app.post('/endpoints/:endpoint_id/disable', stopping, async (request) => {
    const id = await ownEndpoint(request.params.endpoint_id, callerOf(request).teamId)
    if (!(await stopEndpoint(database, id, 'disable'))) throw refusals.unknown('endpoint')
    return done('The endpoint is disabled')
  })

  app.delete('/endpoints/:endpoint_id', stopping, async (request) => {
    const id = await ownEndpoint(request.params.endpoint_id, callerOf(request).teamId)
    if (!(await stopEndpoint(database, id, 'remove'))) throw refusals.unknown('endpoint')
    return done('The endpoint is removed')
  })

  app.post(
    '/endpoints/:endpoint_id/enable',
    { config: owner, schema: { params, response: { 200: message } } },
    async (request) => {
      await enableEndpoint(database, await ownEndpoint(request.params.endpoint_id, callerOf(request).teamId))
      return done('The endpoint is enabled')
    },
  )

  const test = { config: { changes: 'never' }, schema: { params, response: { 200: message } } } as const
  app.post('/endpoints/:endpoint_id/test', test, async (request) => {
    const id = await ownEndpoint(request.params.endpoint_id, callerOf(request).teamId)
    if ((await webhooks.sendTest(id)) === null) throw refusals.endpointDisabled()
    return done('Test webhook sent')
  })

  app.post(
    '/endpoints/:endpoint_id/replay',
    {
      config: { changes: 'sometimes' },
      schema: {
        params,
        body: z.strictObject({ since: requestTime, failed_only: z.boolean().default(true) }),
        response: { 200: success(z.object({ deliveries: z.int() })) },
      },
    },
    async (request) => {
      const endpointId = await ownEndpoint(request.params.endpoint_id, callerOf(request).teamId)
      const { since, failed_only: onlyFailed } = request.body
      const count = await replayDeliveries(database, { endpointId, since, onlyFailed })
      return succeeded({ deliveries: count })
    },
  )

  function checkUrl(url: string): void {
    const problem = client.problemOf(url)
    if (problem !== null) throw refusals.validation(`body/url: ${problem}`)
  }

  async function ownEndpoint(id: string, teamId: string): Promise<string> {
    if (!(await isEndpointOf(database, id, teamId))) throw refusals.unknown('endpoint')
    return id
  }
}
