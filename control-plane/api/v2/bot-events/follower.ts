/** One follower of one bot: every event after a place, once and in order, however slowly they are taken. */
import { EventEmitter, once } from 'node:events'
import { type EventPlaces, type ReadEvent, readEvents } from '../../../store/bots/bot-events.ts'
import type { ReadList } from '../../http/read-list.ts'
import type { EventTail } from './tail.ts'

/** Characters of the events that wait in memory. A follower that is slower reads them from the database again. */
const MAX_WAITING = 64 * 1024
const MAX_PAGE = 500

interface FollowerParts {
  tail: EventTail
  /** Shows the bots of the caller's team. */
  readList: ReadList
  teamId: string
  botId: string
  types: readonly string[]
  known: EventPlaces
}

export class EventFollower {
  readonly #parts: FollowerParts
  readonly #known: Map<string, number>
  readonly #news = new EventEmitter()
  #waiting: ReadEvent[] = []
  #waitingLength = 0
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

  /** The next events, at most a page of them; none if there were none within the time, or `signal` was aborted. */
  async next(patienceMs: number, signal: AbortSignal): Promise<ReadEvent[]> {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    for (;;) {
      const events = this.#isBehind ? await this.#readStored() : this.#fresh(this.#takeWaiting())
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

  #add(events: readonly ReadEvent[]): void {
    for (const { text } of events) this.#waitingLength += text.length
    // One that has taken everything gets the whole page: others of the bot have the same events.
    if (this.#waiting.length > 0 && this.#waitingLength > MAX_WAITING) {
      this.#takeWaiting()
      this.#isBehind = true
    } else this.#waiting.push(...events)
    this.#news.emit('news')
  }

  #takeWaiting(): ReadEvent[] {
    this.#waitingLength = 0
    return this.#waiting.splice(0)
  }

  async #readStored(): Promise<ReadEvent[]> {
    const { readList, teamId, botId, types } = this.#parts
    this.#isBehind = false
    const wanted = { types, known: new Map([[botId, this.#known]]), limit: MAX_PAGE }
    try {
      const { events, places, isCutOff } = await readList.forStream(teamId, readEvents, [botId], wanted)
      for (const [journal, seq] of places.get(botId) ?? []) this.#known.set(journal, seq)
      if (isCutOff) this.#isBehind = true
      return events
    } catch (error) {
      this.#isBehind = true
      throw error
    }
  }

  /** Those that it does not have yet. */
  #fresh(events: readonly ReadEvent[]): ReadEvent[] {
    return events.filter(({ journalId, seq, type }) => {
      if (seq <= (this.#known.get(journalId) ?? 0)) return false
      this.#known.set(journalId, seq)
      return this.#parts.types.includes(type)
    })
  }
}
