/** Events of bots in answers, and the cursor after them. */
import { z } from 'zod'
import { EVENT_TYPES } from '../../../bots/shown-events.ts'
import type { EventPlaces } from '../../../store/bots/bot-events.ts'
import { refusals } from '../../http/errors.ts'
import { time } from '../common.ts'

export const eventSchema = z
  .object({
    id: z.string().describe('The same however the event is sent.'),
    at: time.describe('When the bot noted it.'),
    attempt: z.int().describe('The start of the bot that noted it, counted from 1.'),
    type: z.enum(EVENT_TYPES).describe('What happened.'),
    data: z.record(z.string(), z.unknown()).describe('As in docs/schemas/event.json, without `type`.'),
  })
  .meta({ id: 'BotEvent', description: 'Something that the bot noted.' })

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
