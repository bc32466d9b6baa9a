/** Events of a running bot, page by page, or as a stream: participants, speakers, words and chat messages. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isClosed } from '../../../bots/row.ts'
import { EVENT_TYPES, type StoredEvent, shownEvent } from '../../../bots/shown-events.ts'
import type { BotRow } from '../../../rows/index.ts'
import { type EventPlaces, readEvents } from '../../../store/bots/bot-events.ts'
import { readBot } from '../../../store/bots/bots.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { createPlaces, EVENT_STREAM, type EventStream, openEventStream } from '../../http/event-stream.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { anyBot } from '../bots/access.ts'
import { botParams, commaList, documented, limit, success } from '../common.ts'
import { EventFollower } from './follower.ts'
import { passPartials } from './partials.ts'
import { cursorOf, eventSchema, placesOf } from './schema.ts'

/** Between two looks whether a bot of which nothing is heard has ended, and after it said so itself. */
const QUIET_MS = 15_000
const ENDING_MS = 1_000

const CLOSING_MS = 1_000

const MAX_STREAMS = { all: 4_000, ofTeam: 1_000, ofReader: 1_000 }

const MAX_CURSOR = 2_000
const chosen = {
  types: commaList(EVENT_TYPES).optional().describe('Default: all.'),
  cursor: z
    .string()
    .max(MAX_CURSOR)
    .optional()
    .describe('From the last answer, or the `id` of an event of the stream; absent: from the first event.'),
}

const page = success(z.array(eventSchema)).extend({
  cursor: z
    .string()
    .nullable()
    .describe('For the next request, also where nothing new came; null before the first event.'),
})

export function botEventRoutes(app: App, dependencies: ApiDependencies): void {
  const { database, eventTail: tail, log } = dependencies
  const takePlace = createPlaces(MAX_STREAMS, 'Too many streams of events are open')
  const streams = new Set<EventStream>()
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    for (const stream of streams) stream.end()
    // Those whose reader does not take what was sent.
    setTimeout(() => {
      for (const stream of streams) stream.destroy()
    }, CLOSING_MS).unref()
  })

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
    headers: z.looseObject({
      'last-event-id': z
        .string()
        .max(MAX_CURSOR)
        .optional()
        .describe('Counts before `cursor`. `EventSource` sends it.'),
    }),
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
    const { teamId, keyId, session } = callerOf(request)
    takePlace(reply, teamId, keyId ?? session!.hash.toString('hex'))
    const follower = await EventFollower.open({ tail, database, botId: bot.id, types, known })
    const first = await follower.next(0, AbortSignal.timeout(0)).catch((error: unknown) => {
      follower.close()
      throw error
    })
    if (first.length === 0 && known.size > 0 && isClosed(bot)) {
      follower.close()
      return reply.code(204).send()
    }
    const stream = openEventStream(reply)
    streams.add(stream)
    if (isClosing) stream.end()
    // Not awaited: the time of a handler is limited.
    const partials = wantsPartials ? passPartials(dependencies.partials, bot.id, stream) : null
    void pass(bot.id, follower, stream, { first, known, note: (events) => partials?.note(events) })
      .catch((error: unknown) => {
        log.warn({ bot: bot.id, error: String(error) }, 'Events could not be read for a follower')
        // It comes back with its last id.
        stream.destroy()
      })
      .finally(() => {
        follower.close()
        partials?.close()
        streams.delete(stream)
      })
    return reply
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

const isEnd = ({ event }: StoredEvent) =>
  event.type === 'status_change' && (event.status === 'completed' || event.status === 'failed')
