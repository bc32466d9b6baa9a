/** Webhook endpoints of the team and what was sent to them. */
import { z } from 'zod'
import { WEBHOOK_EVENTS } from '../../bots/messages/index.ts'
import { isEndpointOf, readDeliveries } from '../../store/dashboard.ts'
import { replayDeliveries } from '../../store/webhooks/deliveries.ts'
import { createEndpoint, enableEndpoint, listEndpoints, rotateSecret } from '../../store/webhooks/endpoints.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { at, done, limit, message, requestTime, succeeded, success, time, uuid } from '../v2/common.ts'
import { rowNumber } from './fields.ts'

const STATES = ['waiting', 'sending', 'delivered', 'failed', 'dropped'] as const
const endpointSchema = z
  .object({
    endpoint_id: z.uuid(),
    kind: z.string(),
    url: z.string(),
    events: z.array(z.string()).nullable().describe('Null: all.'),
    failed_in_a_row: z.int(),
    failing_since: time.nullable(),
    probe_at: time.nullable(),
    disabled_at: time.nullable(),
    disabled_reason: z.string().nullable(),
    created_at: time,
  })
  .meta({ id: 'Endpoint' })
const deliverySchema = z
  .object({
    delivery: z.int(),
    message_id: z.string(),
    event: z.string(),
    endpoint_id: z.uuid(),
    url: z.string(),
    bot_id: z.string().nullable(),
    state: z.enum(STATES),
    attempts: z.int(),
    created_at: time,
    next_at: time,
    finished_at: time.nullable(),
    last_status: z.int().nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'Delivery' })
const params = z.strictObject({ endpoint_id: uuid })
const secret = success(z.object({ endpoint_id: z.uuid(), secret: z.string().nullable().describe('Shown this once.') }))

export function endpointRoutes(app: App, { database, readList, seals, client, webhooks }: ApiDependencies): void {
  const owner = { role: 'owner' } as const

  app.get('/endpoints', { schema: { response: { 200: success(z.array(endpointSchema)) } } }, async (request) => {
    const endpoints = await listEndpoints(database, { teamId: callerOf(request).teamId })
    return succeeded(
      endpoints.map((one) => ({
        endpoint_id: one.id,
        kind: one.kind,
        url: one.url,
        events: one.events as string[] | null,
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
        body: z.strictObject({
          url: z.string().min(1).max(2048),
          events: z.array(z.enum(WEBHOOK_EVENTS)).min(1).max(WEBHOOK_EVENTS.length).nullish(),
        }),
        response: { 201: secret },
      },
    },
    async (request, reply) => {
      const { url, events } = request.body
      const problem = client.problemOf(url)
      if (problem !== null) throw refusals.validation(`body/url: ${problem}`)
      const { teamId } = callerOf(request)
      const made = await createEndpoint(database, seals, { teamId, kind: 'team', url, events: events ?? null })
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
    await webhooks.sendTest(await ownEndpoint(request.params.endpoint_id, callerOf(request).teamId))
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

  app.get(
    '/deliveries',
    {
      schema: {
        querystring: z.strictObject({
          endpoint_id: uuid.optional(),
          state: z.enum(STATES).optional(),
          before: rowNumber.optional(),
          limit: limit(100, 50),
        }),
        response: { 200: success(z.array(deliverySchema)) },
      },
    },
    async (request) => {
      const { endpoint_id: endpointId, state, before, limit: count } = request.query
      const rows = await readList(callerOf(request).teamId, readDeliveries, callerOf(request).teamId, {
        endpointId,
        state,
        before,
        limit: count,
      })
      return succeeded(
        rows.map(({ id, ...row }) => ({
          ...row,
          delivery: id,
          state: row.state as (typeof STATES)[number],
          created_at: row.created_at.toISOString(),
          next_at: row.next_at.toISOString(),
          finished_at: at(row.finished_at),
        })),
      )
    },
  )

  app.post(
    '/deliveries/:delivery/replay',
    {
      schema: {
        params: z.strictObject({
          delivery: rowNumber,
        }),
        response: { 200: success(z.object({ deliveries: z.int() })) },
      },
    },
    async (request) => {
      const { delivery } = request.params
      const count = await replayDeliveries(database, { teamId: callerOf(request).teamId, deliveryId: delivery })
      if (count === 0) throw refusals.unknown('delivery')
      return succeeded({ deliveries: count })
    },
  )

  async function ownEndpoint(id: string, teamId: string): Promise<string> {
    if (!(await isEndpointOf(database, id, teamId))) throw refusals.unknown('endpoint')
    return id
  }
}
