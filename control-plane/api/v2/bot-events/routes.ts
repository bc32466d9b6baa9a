/** Events of a running bot, page by page, or as a stream: participants, speakers, words and chat messages. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isClosed } from '../../../bots/row.ts'
import { EVENT_TYPES, shownEvent, shownText } from '../../../bots/shown-events.ts'
import { type EventPlaces, type ReadEvent, readEvents } from '../../../store/bots/bot-events.ts'
import { readBot } from '../../../store/bots/bots.ts'
import { lastNumber, type NumberedInTeam } from '../../../store/bots/team-events.ts'
import type { PartialFeed } from '../../../store/partial-words.ts'
import type { BotRow } from '../../../store/rows/index.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { EVENT_STREAM, type EventStream } from '../../http/event-stream.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { anyBot, generationSeenBy } from '../bots/access.ts'
import { botParams, commaList, documented, limit, success } from '../common.ts'
import { EventFollower } from './follower.ts'
import { cursorOf, eventSchema, placesOf } from './schema.ts'
import { TeamFollower } from './team-follower.ts'

/** Between two looks whether a bot of which nothing is heard has ended, and after it said so itself. */
const QUIET_MS = 15_000
const ENDING_MS = 1_000

const MAX_STREAMS = { all: 4_000, ofTeam: 1_000, ofReader: 100 }
/** Each of them reads by itself. */
const MAX_TEAM_STREAMS = { all: 1_000, ofTeam: 20, ofReader: 20 }

/** A reader that has not taken so much gets no partial words. */
const MAX_WAITING_BYTES = 64 * 1024
/** Final words that are remembered: partial ones that come after them are old. */
const MAX_FINALS = 500

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
  const { database, readList, eventTail: tail } = dependencies
  const streams = app.streams(MAX_STREAMS, 'streams of events')
  const teamStreams = app.streams(MAX_TEAM_STREAMS, 'streams of the events of a team')

  const route = documented(app, 'Bots')
  route.get('/bots/:bot_id/events', {
    summary: 'List the events of a bot, oldest first',
    description:
      'For following a bot: ask again with the cursor of the last answer. People, speech, chat, and the lines of a live ' +
      'transcript where the bot reads captions. Empty once the data of the bot was deleted. An answer has at most 256 KiB of ' +
      'events, or a single one, so it may have fewer than `limit` although more follow.',
    params: botParams,
    querystring: z.strictObject({ ...chosen, limit: limit(500, 100) }),
    answer: page,
    refusals: [404],
    async handle(request) {
      const { types = EVENT_TYPES, cursor, limit: most } = request.query
      const known = placesOf(cursor ?? '', 'querystring/cursor')
      const bot = await anyBot(dependencies, request, request.params.bot_id)
      const wanted = { types, limit: most, known: new Map([[bot.id, known]]) }
      const { events, places } = await readList(bot.team_id, readEvents, [bot.id], wanted)
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
      const follower = new TeamFollower(tail, readList, { teamId, types, generation: generationSeenBy(caller), after })
      return teamStreams.open(
        request,
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
    const { id: botId, team_id: teamId } = bot
    const follower = await EventFollower.open({ tail, readList, teamId, botId, types, known })
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
      request,
      reply,
      (stream) => {
        partials = wantsPartials ? passPartials(dependencies.partials, botId, stream) : null
        return pass(botId, follower, stream, { first, known, partials })
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
    given: { first: ReadEvent[]; known: EventPlaces; partials: ReturnType<typeof passPartials> | null },
  ): Promise<void> {
    const { known, partials } = given
    const passed = new Map(known)
    /** Keeps nothing of the page but what the stream has not sent yet: readers that do not read are many. */
    const sendPage = (events: readonly ReadEvent[]) => {
      partials?.note(events)
      const texts = events.map((event) => {
        passed.set(event.journalId, event.seq)
        return `id: ${cursorOf(passed)}\ndata: ${shownText(event, event.type, event.text)}\n\n`
      })
      stream.send(texts.join(''))
      return { isEmpty: events.length === 0, isEnd: events.some(isEnd) }
    }
    let { isEmpty, isEnd: hasSaidEnd } = sendPage(given.first.splice(0))
    let hasEnded = false
    while (!stream.signal.aborted) {
      await stream.drained()
      if (isEmpty && hasEnded) {
        stream.send('event: end\ndata: {}\n\n')
        return stream.end()
      }
      if (isEmpty) {
        const bot = await readBot(database, botId)
        hasEnded = bot === undefined || isClosed(bot)
        // Events from before the end may not have come by the tail yet.
        if (hasEnded) follower.lookAgain()
      }
      const patienceMs = hasEnded ? 0 : hasSaidEnd ? ENDING_MS : QUIET_MS
      const page = sendPage(await follower.next(patienceMs, stream.signal))
      isEmpty = page.isEmpty
      hasSaidEnd ||= page.isEnd
    }
  }
}

/** Until the reader is gone. */
async function passTeam(follower: TeamFollower, stream: EventStream): Promise<void> {
  let sentPlace: number | null = null
  const sendPage = (events: readonly NumberedInTeam[]) => {
    const texts = events.map(({ number, event }) => {
      const before = { bot_id: event.botId }
      return `id: ${number}\ndata: ${shownText(event, event.type, event.text, before)}\n\n`
    })
    if (events.length === 0 && sentPlace !== follower.place)
      texts.push(`event: place\nid: ${follower.place}\ndata: {}\n\n`)
    sentPlace = events.at(-1)?.number ?? follower.place
    stream.send(texts.join(''))
  }
  // At once, so that a reader that is cut off before the first event knows its place.
  let patienceMs = 0
  while (!stream.signal.aborted) {
    sendPage(await follower.next(patienceMs, stream.signal))
    await stream.drained()
    patienceMs = QUIET_MS
  }
}

const ENDS = new Set(['completed', 'failed'])
const isEnd = (read: ReadEvent) => read.type === 'status_change' && ENDS.has((read.event as { status: string }).status)

/**
 * Passes on words that may still change, in the stream of a follower that wants them. They have no cursor: none is sent
 * again.
 */
function passPartials(feed: PartialFeed, botId: string, stream: EventStream) {
  let finals: string[] = []
  const nameOf = (attempt: number, id: unknown) => `${attempt} ${id}`
  const close = feed.follow(botId, ({ attempt, at, transcript: { type, ...data } }) => {
    if (stream.waiting > MAX_WAITING_BYTES || finals.includes(nameOf(attempt, data.id))) return
    stream.send(`event: partial\ndata: ${JSON.stringify({ at, attempt, type, data })}\n\n`)
  })
  return {
    close,
    /** Before these events are sent. */
    note(events: readonly ReadEvent[]): void {
      const transcripts = events.filter(({ type }) => type === 'transcript')
      const fresh = transcripts.map(({ attempt, event }) => nameOf(attempt, (event as { id?: unknown }).id))
      if (fresh.length > 0) finals = [...finals, ...fresh].slice(-MAX_FINALS)
    },
  }
}
