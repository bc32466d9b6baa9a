/** Events of bots as callers see them, and the cursor after them. */
import { z } from 'zod'
import type { EventPlaces, StoredEvent } from '../../../store/bots/bot-events.ts'
import { refusals } from '../../http/errors.ts'
import { time } from '../common.ts'

/** The event types of a bot that are useful to a caller and hold nothing internal, such as the places of files. */
export const EVENT_TYPES = [
  'status_change',
  'join_denied',
  'participant_joined',
  'participant_changed',
  'participant_left',
  'speaker',
  'chat_message',
  'chat_message_changed',
  'reaction',
  'hand_raised',
  'screen_share',
  'transcript',
  'recording_gap',
  'notice',
] as const

export const eventSchema = z
  .object({
    at: time.describe('When the bot noted it.'),
    attempt: z.int().describe('The start of the bot that noted it, counted from 1.'),
    type: z.enum(EVENT_TYPES).describe('What happened.'),
    data: z.record(z.string(), z.unknown()).describe('As in docs/schemas/event.json, without `type`.'),
  })
  .meta({ id: 'BotEvent', description: 'Something that the bot noted.' })

export function shownEvent({ at, attempt, event: { type, ...data } }: StoredEvent): z.input<typeof eventSchema> {
  return { at: at.toISOString(), attempt, type: type as (typeof EVENT_TYPES)[number], data }
}

/** `<journal>:<number>` of each journal, which is one for a bot that was started once. */
export const cursorOf = (places: EventPlaces): string =>
  Buffer.from([...places].map(([journal, seq]) => `${journal}:${seq}`).join(',')).toString('base64url')

const PLACE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(\d{1,9})$/

/** `where`: the part of the request that has it. */
export function placesOf(cursor: string, where: string): Map<string, number> {
  if (cursor === '') return new Map()
  const places = Buffer.from(cursor, 'base64url').toString('utf8').split(',')
  return new Map(
    places.map((place) => {
      const [, journal, seq] = PLACE.exec(place) ?? []
      if (journal === undefined) throw refusals.validation(`${where} is not a cursor of this list`)
      return [journal, Number(seq)]
    }),
  )
}
