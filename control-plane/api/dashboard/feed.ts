/** Notifies open dashboards which bots of their team changed, by server-sent events. */
import type { Log } from '../../platform/ports.ts'
import { readLiveBots } from '../../store/dashboard.ts'
import type { Database } from '../../store/database.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { createPlaces, EVENT_STREAM, type EventStream, openEventStream } from '../http/event-stream.ts'
import { type App, callerOf } from '../http/generation.ts'

/** Time between two polls of the bots of a team whose dashboard is open. */
const LOOK_EVERY_MS = 1000
/** For a client that does not read. */
const MAX_BUFFERED_BYTES = 256 * 1024

/** The readers of one team share one poll of the database. */
class TeamFeed {
  readonly readers = new Set<EventStream>()
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
      for (const reader of this.readers) {
        if (reader.waiting > MAX_BUFFERED_BYTES) reader.destroy()
        else reader.send(text)
      }
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
  const takePlace = createPlaces({ all: 500, ofTeam: 100, ofReader: 10 }, 'Too many dashboards are open')
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
    for (const feed of feeds.values()) feed.close()
    feeds.clear()
  })

  app.get('/feed', { schema: { response: { 200: EVENT_STREAM } } }, async (request, reply) => {
    const { teamId, session } = callerOf(request)
    takePlace(reply, teamId, session!.hash.toString('hex'))
    const feed = feeds.get(teamId) ?? new TeamFeed(database, teamId, log)
    feeds.set(teamId, feed)
    await feed.began.catch(() => {
      if (feeds.get(teamId) === feed) feeds.delete(teamId)
      feed.close()
      throw refusals.unavailable('The changes of bots cannot be read right now')
    })
    // A reader of a closed feed would hear nothing, and its open answer would keep a server from closing.
    if (isClosing || feeds.get(teamId) !== feed) {
      feed.close()
      throw refusals.unavailable()
    }
    const stream = openEventStream(reply)
    const leave = () => {
      feed.readers.delete(stream)
      if (feed.readers.size > 0 || feeds.get(teamId) !== feed) return
      feeds.delete(teamId)
      feed.close()
    }
    if (stream.signal.aborted) return leave()
    stream.signal.addEventListener('abort', leave)
    feed.readers.add(stream)
    // After (re)connecting a page reads everything again, so earlier changes need not be sent.
    stream.send('retry: 2000\nevent: ready\ndata: {}\n\n')
  })
}
