/** Subscriptions of a team to the events of all its bots, and the messages of their WebSocket. */
import { z } from 'zod'
import { EVENT_TYPES } from '../../../bots/shown-events.ts'
import { eventSchema } from '../bot-events/schema.ts'
import { time } from '../common.ts'

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, { error: 'must be 1 to 64 of a-z, 0-9, - and _' })
  .describe('Chosen by you: one for each program that follows.')
  .meta({ example: 'crm' })
const types = z.array(z.enum(EVENT_TYPES)).min(1).max(EVENT_TYPES.length)

export const subscriptionParams = z.strictObject({ name })
export const createSubscriptionBody = z.strictObject({
  name,
  types: types.default([...EVENT_TYPES]).describe('Default: all.'),
})
export const subscriptionSchema = z
  .object({
    name,
    types: types.describe('The event types that come.'),
    followed_at: time.nullable().describe('When a program last connected; null: never.'),
    waiting_bots: z.int().describe('Bots with events that are not acknowledged.'),
    created_at: time.describe('Events from then on come.'),
  })
  .meta({ id: 'EventSubscription', description: 'Keeps for a program which events it has acknowledged.' })

/** Sent by the service. */
export const eventsMessage = z
  .strictObject({
    type: z.literal('events').describe('The kind of message.'),
    bot_id: z.uuid().describe('The bot that noted them.'),
    events: z.array(eventSchema).min(1).describe('In the order of the bot.'),
  })
  .meta({ id: 'EventsMessage', description: 'Events of one bot.' })

/** Sent by the program. */
export const ackMessage = z
  .strictObject({
    type: z.literal('ack').describe('The kind of message.'),
    id: z
      .string()
      .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:\d{1,9}$/)
      .describe('`id` of the last event of a bot that the program has; those before it are acknowledged with it.'),
  })
  .meta({ id: 'AckMessage', description: 'The program has these events and wants them no more.' })
