/** Server-sent events: who may hold how many streams open, and one open stream. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Log } from '../../platform/ports.ts'
import { refusals } from './errors.ts'
import { type App, callerOf } from './generation.ts'

/** Keeps proxies from closing a quiet connection. */
const COMMENT_EVERY_MS = 20_000
/** A caller whose key or session was revoked stops reading with the next connection. */
const MAX_CONNECTION_MS = 10 * 60_000

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

/** After which a server that closes ends streams whose reader does not take what was sent. */
const CLOSING_MS = 1_000

/** The open streams of one address. They end with the server. */
export function createStreams(app: App, log: Log, most: Most, tooMany: string) {
  const takePlace = createPlaces(most, tooMany)
  const streams = new Set<EventStream>()
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    for (const stream of streams) stream.end()
    setTimeout(() => {
      for (const stream of streams) stream.destroy()
    }, CLOSING_MS).unref()
  })
  return {
    /** Until the connection is over; rejects with 503 if the caller has too many. */
    takePlace(request: FastifyRequest, reply: FastifyReply): void {
      const { teamId, keyId, session } = callerOf(request)
      takePlace(reply, teamId, keyId ?? session!.hash.toString('hex'))
    },
    /** Answers with a stream that `work` fills. `onOver` is called when that is done, or the reader is gone. */
    open(reply: FastifyReply, work: (stream: EventStream) => Promise<void>, onOver: () => void): FastifyReply {
      const stream = openEventStream(reply)
      streams.add(stream)
      if (isClosing) stream.end()
      // Not awaited: the time of a handler is limited.
      void work(stream)
        .catch((error: unknown) => {
          log.warn({ error: String(error) }, 'Events could not be read for a follower')
          // It comes back with its last id.
          stream.destroy()
        })
        .finally(() => {
          onOver()
          streams.delete(stream)
        })
      return reply
    },
  }
}

/** Takes a place until the connection is over; rejects with 503 if there is none. */
export function createPlaces(most: Most, tooMany: string) {
  const taken = new Set<{ teamId: string; reader: string }>()
  return (reply: FastifyReply, teamId: string, reader: string): void => {
    const ofTeam = [...taken].filter((one) => one.teamId === teamId)
    const ofReader = ofTeam.filter((one) => one.reader === reader)
    if (taken.size >= most.all || ofTeam.length >= most.ofTeam || ofReader.length >= most.ofReader)
      throw refusals.unavailable(tooMany)
    const place = { teamId, reader }
    if (reply.raw.closed) return
    taken.add(place)
    reply.raw.once('close', () => taken.delete(place))
  }
}

export interface EventStream {
  /** Aborted once the connection is over. */
  readonly signal: AbortSignal
  /** Bytes that the reader has not taken yet. */
  readonly waiting: number
  send(text: string): void
  /** Resolves when the reader has taken what was sent, or is gone. */
  drained(): Promise<void>
  end(): void
  /** For a reader that does not read. */
  destroy(): void
}

export function openEventStream(reply: FastifyReply): EventStream {
  const { raw } = reply
  const gone = new AbortController()
  reply.hijack()
  const comments = setInterval(() => raw.write(': still here\n\n'), COMMENT_EVERY_MS)
  const timeout = setTimeout(() => raw.end(), MAX_CONNECTION_MS)
  const onClose = () => {
    clearInterval(comments)
    clearTimeout(timeout)
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
  return {
    signal: gone.signal,
    get waiting() {
      return raw.writableLength
    },
    send: (text) => void raw.write(text),
    async drained() {
      if (!raw.writableNeedDrain || gone.signal.aborted) return
      await new Promise<void>((resolve) => {
        raw.once('drain', resolve)
        gone.signal.addEventListener('abort', () => resolve(), { once: true })
      })
    },
    end: () => raw.end(),
    destroy: () => raw.destroy(),
  }
}
