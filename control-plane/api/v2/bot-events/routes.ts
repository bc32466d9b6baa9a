/** Events of a running bot, page by page, or as a stream: participants, speakers, words and chat messages. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isClosed } from '../../../bots/row.ts'
import { EVENT_TYPES, type StoredEvent, shownEvent } from '../../../bots/shown-events.ts'
import { type EventPlaces, readEvents } from '../../../store/bots/bot-events.ts'
import { readBot } from '../../../store/bots/bots.ts'
import { lastNumber } from '../../../store/bots/team-events.ts'
import type { BotRow } from '../../../store/rows/index.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { createStreams, EVENT_STREAM, type EventStream } from '../../http/event-stream.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { anyBot, generationSeenBy } from '../bots/access.ts'
import { botParams, commaList, documented, limit, success } from '../common.ts'
import { EventFollower } from './follower.ts'
import { passPartials } from './partials.ts'
import { cursorOf, eventSchema, placesOf } from './schema.ts'
import { TeamFollower } from './team-follower.ts'

/** Between two looks whether a bot of which nothing is heard has ended, and after it said so itself. */
const QUIET_MS = 15_000
const ENDING_MS = 1_000

const MAX_STREAMS = { all: 4_000, ofTeam: 1_000, ofReader: 1_000 }
/** Each of them reads by itself. */
const MAX_TEAM_STREAMS = { all: 1_000, ofTeam: 20, ofReader: 20 }

const MAX_CURSOR = 2_000
const chosen = {
  types: commaList(EVENT_TYPES).optional().describe('Default: all.'),
  cursor: z
    .string()
    .max(MAX_CURSOR)
    .optional()
    .describe('From the last answer, or the `id` of an event of the stream; absent: from the first event.'),
}

const teamCursor = z.string().regex(/^\d{1,15}$/, { error: 'must be the id of an event of this stream' })
const lastEventHeader = z.looseObject({
  'last-event-id': z.string().max(MAX_CURSOR).optional().describe('Counts before `cursor`. `EventSource` sends it.'),
})

const page = success(z.array(eventSchema)).extend({
  cursor: z
    .string()
    .nullable()
    .describe('For the next request, also where nothing new came; null before the first event.'),
})

export function botEventRoutes(app: App, dependencies: ApiDependencies): void {
  const { database, eventTail: tail, log } = dependencies
  const streams = createStreams(app, log, MAX_STREAMS, 'Too many streams of events are open')
  const teamStreams = createStreams(app, log, MAX_TEAM_STREAMS, 'Too many streams of the events of a team are open')

  const route = documented(app, 'Bots')
  route.get('/bots/:bot_id/events', {
    summary: 'List the events of a bot, oldest first',
    description:
      'For following a bot: ask again with the cursor of the last answer. People, speech, chat, and the lines of a live ' +
      'transcript where the bot reads captions. Empty once the data of the bot was deleted.',
    params: botParams,
    querystring: z.strictObject({ ...chosen, limit: limit(500, 100) }),
    answer: page,
    refusals: [404],
    async handle(request) {
      const { types = EVENT_TYPES, cursor, limit: most } = request.query
      const known = placesOf(cursor ?? '', 'querystring/cursor')
      const bot = await anyBot(dependencies, request, request.params.bot_id)
      const { events, places } = await readEvents(database, [bot.id], {
        ...{ types, limit: most },
        known: new Map([[bot.id, known]]),
      })
      const read = new Map([...known, ...(places.get(bot.id) ?? [])])
      return { success: true as const, data: events.map(shownEvent), cursor: read.size === 0 ? null : cursorOf(read) }
    },
  })

  route.get('/bots/:bot_id/events/stream', {
    summary: 'Follow the events of a bot',
    description:
      'The events as they come, as server-sent events; `data` of each is one of the list. Its `id` is a cursor: a reader ' +
      'that comes back with it as `last-event-id` gets exactly what it missed. Once the bot has ended, the last event is ' +
      'named `end`, and a reader that comes back after it gets a 204.',
    params: botParams,
    querystring: z.strictObject({
      ...chosen,
      partials: z
        .stringbool({ truthy: ['true'], falsy: ['false'] })
        .default(false)
        .describe('Words that may still change too, as events named `partial`, which have no id and are sent once.'),
    }),
    headers: lastEventHeader,
    answer: EVENT_STREAM,
    refusals: [404],
    async handle(request, reply) {
      const { types = EVENT_TYPES, cursor, partials: wantsPartials } = request.query
      const lastEvent = request.headers['last-event-id'] as string | undefined
      const known = lastEvent
        ? placesOf(lastEvent, 'headers/last-event-id')
        : placesOf(cursor ?? '', 'querystring/cursor')
      const bot = await anyBot(dependencies, request, request.params.bot_id)
      return follow(request, reply, { bot, types, known, wantsPartials })
    },
  })

  route.get('/events/stream', {
    summary: 'Follow the events of all bots of the team',
    description:
      'As the stream of one bot, in the order in which events were stored; `data` names its bot as `bot_id` besides. An event named ' +
      '`place` has no data, only an `id`: the first one, and later ones when nothing that was asked for came for a while.',
    querystring: z.strictObject({
      types: chosen.types,
      cursor: teamCursor.optional().describe('The `id` of an event of the stream; absent: only what is new.'),
    }),
    headers: lastEventHeader,
    answer: EVENT_STREAM,
    async handle(request, reply) {
      const caller = callerOf(request)
      const { teamId } = caller
      const last = await lastNumber(database, teamId)
      const given = request.headers['last-event-id'] || request.query.cursor
      const after = given === undefined ? last : teamCursor.safeParse(given).success ? Number(given) : Number.NaN
      if (!(after <= last)) throw refusals.validation('the cursor is not one of this stream')
      const { types = EVENT_TYPES } = request.query
      teamStreams.takePlace(request, reply)
      const follower = new TeamFollower(tail, database, { teamId, types, generation: generationSeenBy(caller), after })
      return teamStreams.open(
        reply,
        (stream) => passTeam(follower, stream),
        () => follower.close(),
      )
    },
  })

  async function follow(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      bot,
      types,
      known,
      wantsPartials,
    }: { bot: BotRow; types: readonly string[]; known: EventPlaces; wantsPartials: boolean },
  ): Promise<FastifyReply> {
    streams.takePlace(request, reply)
    const follower = await EventFollower.open({ tail, database, botId: bot.id, types, known })
    const first = await follower.next(0, AbortSignal.timeout(0)).catch((error: unknown) => {
      follower.close()
      throw error
    })
    if (first.length === 0 && known.size > 0 && isClosed(bot)) {
      follower.close()
      return reply.code(204).send()
    }
    let partials: ReturnType<typeof passPartials> | null = null
    return streams.open(
      reply,
      (stream) => {
        partials = wantsPartials ? passPartials(dependencies.partials, bot.id, stream) : null
        return pass(bot.id, follower, stream, { first, known, note: (events) => partials?.note(events) })
      },
      () => {
        follower.close()
        partials?.close()
      },
    )
  }

  /** Until the bot has ended and all is passed on, or the reader is gone. */
  async function pass(
    botId: string,
    follower: EventFollower,
    stream: EventStream,
    { first, known, note }: { first: StoredEvent[]; known: EventPlaces; note(events: StoredEvent[]): void },
  ): Promise<void> {
    const passed = new Map(known)
    let events = first
    let quietMs = 0
    let hasEnded = false
    while (!stream.signal.aborted) {
      note(events)
      for (const event of events) {
        passed.set(event.journalId, event.seq)
        stream.send(`id: ${cursorOf(passed)}\ndata: ${JSON.stringify(shownEvent(event))}\n\n`)
      }
      await stream.drained()
      if (events.length === 0 && hasEnded) {
        stream.send('event: end\ndata: {}\n\n')
        return stream.end()
      }
      if (events.length === 0) {
        const bot = await readBot(database, botId)
        hasEnded = bot === undefined || isClosed(bot)
        // Events from before the end may not have come by the tail yet.
        if (hasEnded) follower.lookAgain()
      }
      if (quietMs !== ENDING_MS) quietMs = events.some(isEnd) ? ENDING_MS : QUIET_MS
      events = await follower.next(hasEnded ? 0 : quietMs, stream.signal)
    }
  }
}

/** Until the reader is gone. */
async function passTeam(follower: TeamFollower, stream: EventStream): Promise<void> {
  let sentPlace: number | null = null
  // At once, so that a reader that is cut off before the first event knows its place.
  let patienceMs = 0
  while (!stream.signal.aborted) {
    const events = await follower.next(patienceMs, stream.signal)
    for (const { number, ...event } of events)
      stream.send(`id: ${number}\ndata: ${JSON.stringify({ bot_id: event.botId, ...shownEvent(event) })}\n\n`)
    if (events.length > 0) sentPlace = events.at(-1)!.number
    else if (sentPlace !== follower.place) {
      sentPlace = follower.place
      stream.send(`event: place\nid: ${sentPlace}\ndata: {}\n\n`)
    }
    await stream.drained()
    patienceMs = QUIET_MS
  }
}

const isEnd = ({ event }: StoredEvent) =>
  event.type === 'status_change' && (event.status === 'completed' || event.status === 'failed')
