/** One follower of one bot: every event after a place, once and in order, however slowly they are taken. */
import { EventEmitter, once } from 'node:events'
import type { StoredEvent } from '../../../bots/shown-events.ts'
import { type EventPlaces, readEvents } from '../../../store/bots/bot-events.ts'
import type { Database } from '../../../store/database.ts'
import type { EventTail } from './tail.ts'

/** Events that wait in memory. A follower that is slower reads them from the database again. */
const MAX_WAITING = 1_000
const MAX_PAGE = 500

interface FollowerParts {
  tail: EventTail
  /** Shows the bots of the caller's team. */
  database: Database
  botId: string
  types: readonly string[]
  known: EventPlaces
}

export class EventFollower {
  readonly #parts: FollowerParts
  readonly #known: Map<string, number>
  readonly #news = new EventEmitter()
  #waiting: StoredEvent[] = []
  /** Stored events are read from the database until none is left. */
  #isBehind = true
  #leave: () => void = () => {}

  private constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#known = new Map(parts.known)
  }

  static async open(parts: FollowerParts): Promise<EventFollower> {
    const follower = new EventFollower(parts)
    follower.#leave = await parts.tail.follow(parts.botId, (events) => follower.#add(events))
    return follower
  }

  /** The next events, at most `MAX_PAGE`; none if there were none within the time, or `signal` was aborted. */
  async next(patienceMs: number, signal: AbortSignal): Promise<StoredEvent[]> {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    for (;;) {
      const events = this.#isBehind ? await this.#readStored() : this.#fresh(this.#waiting.splice(0, MAX_PAGE))
      if (events.length > 0 || patience.aborted) return events
      if (!this.#isBehind && this.#waiting.length === 0)
        await once(this.#news, 'news', { signal: patience }).catch(() => {})
    }
  }

  /** Before the next `next` waits, it reads what is stored: also what the tail has not read yet. */
  lookAgain(): void {
    this.#isBehind = true
  }

  close(): void {
    this.#leave()
  }

  #add(events: readonly StoredEvent[]): void {
    if (this.#waiting.length + events.length > MAX_WAITING) {
      this.#waiting = []
      this.#isBehind = true
    } else this.#waiting.push(...events)
    this.#news.emit('news')
  }

  async #readStored(): Promise<StoredEvent[]> {
    const { database, botId, types } = this.#parts
    this.#isBehind = false
    const known = new Map([[botId, this.#known]])
    try {
      const { events, places, isCutOff } = await readEvents(database, [botId], { types, known, limit: MAX_PAGE })
      for (const [journal, seq] of places.get(botId) ?? []) this.#known.set(journal, seq)
      if (isCutOff) this.#isBehind = true
      return events
    } catch (error) {
      this.#isBehind = true
      throw error
    }
  }

  /** Those that it does not have yet. */
  #fresh(events: readonly StoredEvent[]): StoredEvent[] {
    return events.filter(({ journalId, seq, event: { type } }) => {
      if (seq <= (this.#known.get(journalId) ?? 0)) return false
      this.#known.set(journalId, seq)
      return this.#parts.types.includes(type)
    })
  }
}
