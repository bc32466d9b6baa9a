/** Events of a running bot: participants, speakers, words and chat messages. */
import { z } from 'zod'
import { type EventPlaces, readBotEvents } from '../../../store/bots/bot-events.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import type { App } from '../../http/generation.ts'
import { anyBot } from '../bots/access.ts'
import { botParams, commaList, documented, limit, success, time } from '../common.ts'

/** The event types of a bot that are useful to a caller and hold nothing internal, such as the places of files. */
const TYPES = [
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

const eventSchema = z
  .object({
    at: time.describe('When the bot noted it.'),
    attempt: z.int().describe('The start of the bot that noted it, counted from 1.'),
    type: z.enum(TYPES).describe('What happened.'),
    data: z.record(z.string(), z.unknown()).describe('As in docs/schemas/event.json, without `type`.'),
  })
  .meta({ id: 'BotEvent', description: 'Something that the bot noted.' })

export function botEventRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Bots')
  route.get('/bots/:bot_id/events', {
    summary: 'List the events of a bot, oldest first',
    description:
      'For following a bot: ask again with the cursor of the last answer. People, speech, chat, and the lines of a live ' +
      'transcript where the bot reads captions. Empty once the data of the bot was deleted.',
    params: botParams,
    querystring: z.strictObject({
      types: commaList(TYPES).optional().describe('Default: all.'),
      cursor: z.string().max(2000).optional().describe('From the last answer; absent: from the first event.'),
      limit: limit(500, 100),
    }),
    answer: success(z.array(eventSchema)).extend({
      cursor: z
        .string()
        .nullable()
        .describe('For the next request, also where nothing new came; null before the first event.'),
    }),
    refusals: [404],
    async handle(request) {
      const { types = TYPES, cursor, limit: most } = request.query
      const known = placesOf(cursor ?? '')
      const bot = await anyBot(dependencies, request, request.params.bot_id)
      const events = await readBotEvents(dependencies.database, bot, { types, known, limit: most })
      const places = new Map([...known, ...events.map(({ journalId, seq }) => [journalId, seq] as const)])
      return {
        success: true as const,
        data: events.map(({ at, attempt, event: { type, ...data } }) => ({
          at: at.toISOString(),
          attempt,
          type: type as (typeof TYPES)[number],
          data,
        })),
        cursor: places.size === 0 ? null : encode(places),
      }
    },
  })
}

/** `<journal>:<number>` of each journal, which is one for a bot that was started once. */
const encode = (places: EventPlaces) =>
  Buffer.from([...places].map(([journal, seq]) => `${journal}:${seq}`).join(',')).toString('base64url')

const PLACE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(\d{1,9})$/

function placesOf(cursor: string): EventPlaces {
  if (cursor === '') return new Map()
  const places = Buffer.from(cursor, 'base64url').toString('utf8').split(',')
  return new Map(
    places.map((place) => {
      const [, journal, seq] = PLACE.exec(place) ?? []
      if (journal === undefined) throw refusals.validation('querystring/cursor is not a cursor of this list')
      return [journal, Number(seq)]
    }),
  )
}
