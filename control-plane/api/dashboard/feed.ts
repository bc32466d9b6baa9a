/** Notifies open dashboards which bots of their team changed, by server-sent events. */
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Log } from '../../ports.ts'
import { readLiveBots } from '../../store/dashboard.ts'
import type { Database } from '../../store/database.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'

/** Time between two polls of the bots of a team whose dashboard is open. */
const LOOK_EVERY_MS = 1000
/** Keeps proxies from closing a quiet connection. */
const COMMENT_EVERY_MS = 20_000
const MAX_READERS = 500
/** So that one team leaves places for the others, and one session for the others of its team. */
const MAX_READERS_OF_TEAM = 100
const MAX_READERS_OF_SESSION = 10
/** For a client that does not read. */
const MAX_BUFFERED_BYTES = 256 * 1024
/** A session that was ended or disabled stops reading with the next connection. */
const MAX_CONNECTION_MS = 10 * 60_000

const EVENTS = { description: 'Server-sent events', content: { 'text/event-stream': { schema: z.string() } } }

interface Reader {
  send(text: string): void
  end(): void
}

/** The readers of one team share one poll of the database. */
class TeamFeed {
  readonly readers = new Set<Reader>()
  /** The state that later polls are compared with. A page reads its lists after this, so that no change falls between both. */
  readonly began: Promise<void>
  #known: Map<string, number> | null = null
  readonly #database: Database
  readonly #teamId: string
  readonly #timer: NodeJS.Timeout
  #isLooking = false

  constructor(database: Database, teamId: string, log: Log) {
    this.#database = database
    this.#teamId = teamId
    this.began = this.#poll()
    this.#timer = setInterval(() => {
      this.#poll().catch((error: unknown) =>
        log.warn({ error: String(error) }, 'Changes for the dashboard could not be read'),
      )
    }, LOOK_EVERY_MS)
  }

  async #poll(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const bots = await readLiveBots(this.#database, this.#teamId)
      const known = this.#known
      const changed = bots
        .filter(({ id, version }) => known?.get(id) !== version)
        .map(({ id, status }) => ({ id, status }))
      this.#known = new Map(bots.map(({ id, version }) => [id, version]))
      if (known === null || changed.length === 0) return
      const text = `event: bots\ndata: ${JSON.stringify(changed)}\n\n`
      for (const reader of this.readers) reader.send(text)
    } finally {
      this.#isLooking = false
    }
  }

  close(): void {
    clearInterval(this.#timer)
    for (const reader of this.readers) reader.end()
  }
}

export function feedRoutes(app: App, { database, log }: ApiDependencies): void {
  const feeds = new Map<string, TeamFeed>()
  /** Of each reader, also while its feed begins. */
  const places = new Set<{ teamId: string; session: string }>()
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    for (const feed of feeds.values()) feed.close()
    feeds.clear()
  })

  app.get('/feed', { schema: { response: { 200: EVENTS } } }, async (request, reply) => {
    const { teamId, session } = callerOf(request)
    const place = { teamId, session: session!.hash.toString('hex') }
    const ofTeam = [...places].filter((one) => one.teamId === teamId)
    const ofSession = ofTeam.filter((one) => one.session === place.session)
    if (
      places.size >= MAX_READERS ||
      ofTeam.length >= MAX_READERS_OF_TEAM ||
      ofSession.length >= MAX_READERS_OF_SESSION
    )
      throw refusals.unavailable('Too many dashboards are open')
    places.add(place)
    reply.raw.once('close', () => places.delete(place))
    const feed = feeds.get(teamId) ?? new TeamFeed(database, teamId, log)
    feeds.set(teamId, feed)
    await feed.began.catch(() => {
      if (feeds.get(teamId) === feed) feeds.delete(teamId)
      feed.close()
      throw refusals.unavailable('The changes of bots cannot be read right now')
    })
    const closeUnused = () => {
      if (feed.readers.size > 0 || feeds.get(teamId) !== feed) return
      feeds.delete(teamId)
      feed.close()
    }
    // A reader of a closed feed would hear nothing, and its open answer would keep a server from closing.
    if (isClosing || feeds.get(teamId) !== feed) {
      feed.close()
      throw refusals.unavailable()
    }
    reply.hijack()
    if (reply.raw.destroyed) return closeUnused()
    const reader = open(reply, () => {
      feed.readers.delete(reader)
      closeUnused()
    })
    feed.readers.add(reader)
    // After (re)connecting a page reads everything again, so earlier changes need not be sent.
    reader.send('retry: 2000\nevent: ready\ndata: {}\n\n')
  })
}

/** `onEnd` is called once. */
function open(reply: FastifyReply, onEnd: () => void): Reader {
  const { raw } = reply
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  const comments = setInterval(() => raw.write(': still here\n\n'), COMMENT_EVERY_MS)
  const timeout = setTimeout(() => raw.end(), MAX_CONNECTION_MS)
  raw.once('close', () => {
    clearInterval(comments)
    clearTimeout(timeout)
    onEnd()
  })
  return {
    send(text) {
      if (raw.writableLength > MAX_BUFFERED_BYTES) raw.destroy()
      else raw.write(text)
    },
    end: () => raw.end(),
  }
}
