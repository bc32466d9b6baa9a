/** Notifies open dashboards which bots of their team changed, by server-sent events. */
import { once } from 'node:events'
import type { Log } from '../../platform/ports.ts'
import { readLiveBots } from '../../store/dashboard.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { ApiError, refusals } from '../http/errors.ts'
import { EVENT_STREAM, type EventStream } from '../http/event-stream.ts'
import { type App, callerOf } from '../http/generation.ts'
import type { ReadList } from '../http/read-list.ts'

/** Time between two polls of the bots of a team whose dashboard is open. */
const LOOK_EVERY_MS = 1000
/** For a client that does not read. */
const MAX_BUFFERED_BYTES = 256 * 1024

/** The readers of one team share one poll of the database. */
class TeamFeed {
  readonly readers = new Set<EventStream>()
  /** Requests that have it, also those that are no readers yet. */
  requests = 0
  /** The state that later polls are compared with. A page reads its lists after this, so that no change falls between both. */
  readonly began: Promise<void>
  #known: Map<string, number> | null = null
  readonly #readList: ReadList
  readonly #teamId: string
  readonly #timer: NodeJS.Timeout
  #isLooking = false

  constructor(readList: ReadList, teamId: string, log: Log) {
    this.#readList = readList
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
      const bots = await this.#readList.forStream(this.#teamId, readLiveBots, this.#teamId)
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
  }
}

export function feedRoutes(app: App, { readList, log }: ApiDependencies): void {
  const feeds = new Map<string, TeamFeed>()
  const streams = app.streams({ all: 500, ofTeam: 100, ofReader: 10 }, 'live pages')

  app.get('/feed', { schema: { response: { 200: EVENT_STREAM } } }, async (request, reply) => {
    const { teamId } = callerOf(request)
    streams.takePlace(request, reply)
    const feed = feeds.get(teamId) ?? new TeamFeed(readList, teamId, log)
    feeds.set(teamId, feed)
    feed.requests += 1
    const leave = () => {
      feed.requests -= 1
      if (feed.requests > 0) return
      feed.close()
      feeds.delete(teamId)
    }
    await feed.began.catch((error: unknown) => {
      leave()
      throw error instanceof ApiError ? error : refusals.unavailable('The changes of bots cannot be read right now')
    })
    return streams.open(
      request,
      reply,
      async (stream) => {
        feed.readers.add(stream)
        // After (re)connecting a page reads everything again, so earlier changes need not be sent.
        stream.send('retry: 2000\nevent: ready\ndata: {}\n\n')
        if (!stream.signal.aborted) await once(stream.signal, 'abort')
        feed.readers.delete(stream)
      },
      leave,
    )
  })
}
