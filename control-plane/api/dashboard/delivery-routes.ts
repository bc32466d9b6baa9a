/** Deliveries to the endpoints of the team: content, attempts, and sending them again. */
import { z } from 'zod'
import { readDeliveries, readDelivery } from '../../store/dashboard.ts'
import { replayDeliveries } from '../../store/webhooks/deliveries.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { at, limit, succeeded, success, time, uuid } from '../v2/common.ts'
import { rowNumber } from './fields.ts'

const STATES = ['waiting', 'sending', 'delivered', 'failed', 'dropped'] as const
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
const contentSchema = z
  .object({
    body: z.unknown().describe('As it is stored: links are signed when it is sent.'),
    attempts: z.array(
      z.object({
        at: time,
        duration_ms: z.int(),
        status: z.int().nullable(),
        error: z.string().nullable(),
        answer: z.string().nullable().describe('Its beginning.'),
      }),
    ),
  })
  .meta({ id: 'DeliveryContent' })

export function deliveryRoutes(app: App, { database, readList }: ApiDependencies): void {
  app.get(
    '/deliveries',
    {
      schema: {
        querystring: z.strictObject({
          endpoint_id: uuid.optional(),
          bot_id: uuid.optional(),
          event: z
            .string()
            .regex(/^[\w.]{1,100}$/, { error: 'is no name of an event' })
            .optional(),
          state: z.enum(STATES).optional(),
          before: rowNumber.optional(),
          limit: limit(100, 50),
        }),
        response: { 200: success(z.array(deliverySchema)) },
      },
    },
    async (request) => {
      const { endpoint_id: endpointId, bot_id: botId, event, state, before, limit: count } = request.query
      const rows = await readList(callerOf(request).teamId, readDeliveries, callerOf(request).teamId, {
        endpointId,
        botId,
        event,
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

  const deliveryParams = z.strictObject({ delivery: rowNumber })
  app.get(
    '/deliveries/:delivery',
    { schema: { params: deliveryParams, response: { 200: success(contentSchema) } } },
    async (request) => {
      const found = await readDelivery(database, callerOf(request).teamId, request.params.delivery)
      if (found === undefined) throw refusals.unknown('delivery')
      const attempts = found.attempts.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() }))
      return succeeded({ ...found, attempts })
    },
  )

  app.post(
    '/deliveries/:delivery/replay',
    {
      schema: {
        params: deliveryParams,
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
}
