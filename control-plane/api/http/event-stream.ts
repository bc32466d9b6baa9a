/** Server-sent events: who may hold how many streams open, for how long, and one open stream. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readRights, rightOf } from '../../store/people/rights.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from './errors.ts'
import { type App, type Caller, callerOf } from './generation.ts'

/** Keeps proxies from closing a quiet connection. */
const COMMENT_EVERY_MS = 20_000
/** Then its reader comes back, perhaps to a process that has less to do. */
const MAX_CONNECTION_MS = 10 * 60_000
/** Between two looks whether the keys and sessions of open streams are still good. */
const RIGHTS_EVERY_MS = 1_000
/** A stream that has ended waits so long for a reader to take its last events. */
const ENDING_MS = 30_000
/** The same in a server that closes. */
const CLOSING_MS = 1_000
/** Of all streams whose readers do not take what was sent: beyond it the reader that has waited longest is cut off. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

export const EVENT_STREAM = {
  description: 'Server-sent events',
  content: { 'text/event-stream': { schema: z.string() } },
}

/** Streams that are open at once, so that one team leaves places for the others, and one reader for the others of its team. */
interface Most {
  all: number
  ofTeam: number
  ofReader: number
}

export interface EventStream {
  /** Aborted once the connection is over. */
  readonly signal: AbortSignal
  /** Bytes that the reader has not taken yet. */
  readonly waiting: number
  send(text: string): void
  /** Resolves when the reader has taken what was sent, or is gone. */
  drained(): Promise<void>
  /** After what was sent, if the reader takes it within the time. */
  end(withinMs?: number): void
  /** At once. */
  destroy(): void
}

/** Streams of one kind. */
interface Streams {
  /** Until the connection is over; rejects with 429 if the caller has too many, with 503 if this process has. */
  takePlace(request: FastifyRequest, reply: FastifyReply): void
  /** Answers with a stream that `work` fills. `onOver` is called when that is done, or the reader is gone. */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (stream: EventStream) => Promise<void>,
    onOver: () => void,
  ): FastifyReply
}

declare module 'fastify' {
  interface FastifyInstance {
    /** `kind`: what there are too many of, such as `streams of events`. */
    streams(most: Most, kind: string): Streams
  }
}

/** The open streams of a process. They end with the server, and with the key or the session that opened them. */
export function openStreams(app: App, { keyDatabase, log }: Pick<ApiDependencies, 'keyDatabase' | 'log'>): void {
  const open = new Map<EventStream, Caller>()
  const stalled = new Set<EventStream>()
  let isClosing = false
  let isLooking = false
  const looking = setInterval(async () => {
    if (open.size === 0 || isLooking) return
    isLooking = true
    const asked = [...open]
    const callers = asked.map(([, caller]) => caller)
    // Without the database there are no events either.
    const rights = await readRights(keyDatabase, callers).catch(() => null)
    for (const [stream, caller] of asked) if (rights && !rights.has(rightOf(caller))) stream.destroy()
    isLooking = false
  }, RIGHTS_EVERY_MS).unref()
  app.addHook('preClose', async () => {
    isClosing = true
    clearInterval(looking)
    for (const stream of open.keys()) stream.end(CLOSING_MS)
  })

  app.decorate('streams', (most, kind) => ({
    takePlace: createPlaces(most, kind),
    open(request, reply, work, onOver) {
      if (isClosing) {
        onOver()
        throw refusals.unavailable()
      }
      const stream = openEventStream(reply, stalled)
      open.set(stream, callerOf(request))
      // Not awaited: the time of a handler is limited.
      void work(stream)
        .catch((error: unknown) => {
          log.warn({ error: String(error) }, 'Events could not be read for a follower')
          // It comes back with its last id.
          stream.destroy()
        })
        .finally(() => {
          onOver()
          open.delete(stream)
        })
      return reply
    },
  }))
}

function createPlaces(most: Most, kind: string): Streams['takePlace'] {
  const taken = new Set<{ teamId: string; reader: string }>()
  return (request, reply) => {
    const { teamId, keyId, session } = callerOf(request)
    const reader = keyId ?? session!.hash.toString('hex')
    const ofTeam = [...taken].filter((one) => one.teamId === teamId)
    if (ofTeam.filter((one) => one.reader === reader).length >= most.ofReader)
      throw refusals.tooManyStreams(kind, most.ofReader, keyId === null ? 'session' : 'API key')
    if (ofTeam.length >= most.ofTeam) throw refusals.tooManyStreams(kind, most.ofTeam, 'team')
    if (taken.size >= most.all) throw refusals.unavailable(`Too many ${kind} are open`)
    const place = { teamId, reader }
    if (reply.raw.closed) return
    taken.add(place)
    reply.raw.once('close', () => taken.delete(place))
  }
}

/** `stalled`: the streams of the process whose readers do not take what was sent, the one that has waited longest first. */
function openEventStream(reply: FastifyReply, stalled: Set<EventStream>): EventStream {
  const { raw } = reply
  const gone = new AbortController()
  reply.hijack()
  const stream: EventStream = {
    signal: gone.signal,
    get waiting() {
      return raw.writableLength
    },
    send(text) {
      if (!raw.writableEnded && !raw.destroyed) raw.write(text)
    },
    async drained() {
      if (!raw.writableNeedDrain || gone.signal.aborted) return
      stalled.add(stream)
      cutOff(stalled)
      await new Promise<void>((resolve) => {
        raw.once('drain', resolve)
        gone.signal.addEventListener('abort', () => resolve(), { once: true })
      })
      stalled.delete(stream)
    },
    end(withinMs = ENDING_MS) {
      raw.end()
      ending ??= setTimeout(() => raw.destroy(), withinMs)
    },
    destroy: () => raw.destroy(),
  }
  const comments = setInterval(() => stream.send(': still here\n\n'), COMMENT_EVERY_MS)
  const timeout = setTimeout(() => stream.end(), MAX_CONNECTION_MS)
  let ending: NodeJS.Timeout | undefined
  const onClose = () => {
    clearInterval(comments)
    clearTimeout(timeout)
    clearTimeout(ending)
    gone.abort()
  }
  if (raw.destroyed) onClose()
  raw.once('close', onClose)
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
  return stream
}

function cutOff(stalled: ReadonlySet<EventStream>): void {
  let unread = 0
  for (const { waiting } of stalled) unread += waiting
  for (const stream of stalled) {
    if (unread <= MAX_UNREAD_BYTES) return
    unread -= stream.waiting
    stream.destroy()
  }
}
