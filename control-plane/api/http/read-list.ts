/** Reads lists and events for callers, so that no team's reading slows down another team, or what writes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../store/database.ts'
import { refusals } from './errors.ts'

/** Of one team at once in this process: a third of the pool's connections. */
const MAX_READS = 2
/** Of them for all streams of the team, which come first: so neither its lists nor its streams wait for all of the others. */
const MAX_STREAM_READS = 1
/** Of one team at once, most of which wait without a connection. Of streams that are gone some may still wait. */
const MOST = { lists: MAX_READS + 20, streams: 2_000 }
/** A refusal takes as long as it asks the caller to wait: one who asks again at once fills this process with refusals. */
const REFUSAL_MS = 1_000

type Read = <Args extends unknown[], T>(
  teamId: string,
  read: (database: Database, ...args: Args) => Promise<T>,
  ...args: Args
) => Promise<T>

/** Calls `read` for a page of the team. Rejects with 429 if too many of its pages are read, with 503 if this one takes too long. */
export interface ReadList extends Read {
  /** The same for a stream: it waits for its turn among the streams of the team. */
  forStream: Read
}

/** `database`: a separate pool with a short limit for statements. */
export function createReadList(database: Database): ReadList {
  const teams = new Map<string, Share>()
  const inShare =
    (kind: Kind): Read =>
    async (teamId, read, ...args) => {
      const share = teams.get(teamId) ?? new Share()
      if (share.count(kind) >= MOST[kind]) {
        await sleep(REFUSAL_MS)
        throw refusals.tooManyLists(MAX_READS)
      }
      teams.set(teamId, share)
      await share.take(kind)
      try {
        return await read(database, ...args)
      } catch (error) {
        throw tookTooLong(error) ? refusals.slowList() : error
      } finally {
        share.giveBack(kind)
        if (share.count('lists') + share.count('streams') === 0) teams.delete(teamId)
      }
    }
  return Object.assign(inShare('lists'), { forStream: inShare('streams') })
}

type Kind = keyof typeof MOST

/** The reads of one team. */
class Share {
  readonly #running = { lists: 0, streams: 0 }
  readonly #waiting: Record<Kind, (() => void)[]> = { lists: [], streams: [] }

  /** With those that wait. */
  count(kind: Kind): number {
    return this.#running[kind] + this.#waiting[kind].length
  }

  /** Resolves when a read may begin. */
  take(kind: Kind): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting[kind].push(resolve)
      this.#beginNext()
    })
  }

  giveBack(kind: Kind): void {
    this.#running[kind] -= 1
    this.#beginNext()
  }

  #beginNext(): void {
    const { lists, streams } = this.#running
    if (lists + streams >= MAX_READS) return
    const kind = streams < MAX_STREAM_READS && this.#waiting.streams.length > 0 ? 'streams' : 'lists'
    const begin = this.#waiting[kind].shift()
    if (begin === undefined) return
    this.#running[kind] += 1
    begin()
  }
}

/** PostgreSQL canceled the statement, or no connection became free. */
function tookTooLong(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return code === '57014' || code === '55P03' || /^timeout exceeded when trying to connect/.test(String(message))
}
