/** One follower of all bots of a team: every event after a place, once and in the order in which they were stored. */
import { EventEmitter, once } from 'node:events'
import { type NumberedInTeam, readTeamEvents } from '../../../store/bots/team-events.ts'
import type { EventTail } from './tail.ts'

const MAX_PAGE = 500

type Read = Parameters<typeof readTeamEvents>

export class TeamFollower {
  readonly #database: Read[0]
  readonly #wanted: Omit<Read[1], 'after' | 'limit'>
  readonly #news = new EventEmitter()
  readonly #leave: () => void
  #hasNews = false
  /** All events up to here were given, or are of other types. */
  place: number

  /** `database` shows the bots of the caller's team. */
  constructor(tail: EventTail, database: Read[0], { after, ...wanted }: Omit<Read[1], 'limit'>) {
    this.#database = database
    this.#wanted = wanted
    this.place = after
    this.#leave = tail.listen(wanted.teamId, () => {
      this.#hasNews = true
      this.#news.emit('news')
    })
  }

  /** The next events, at most `MAX_PAGE`; none if there were none within the time, or `signal` was aborted. */
  async next(patienceMs: number, signal: AbortSignal): Promise<NumberedInTeam[]> {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    for (;;) {
      this.#hasNews = false
      const read = await readTeamEvents(this.#database, { ...this.#wanted, after: this.place, limit: MAX_PAGE })
      this.place = read.place
      if (read.events.length > 0 || patience.aborted) return read.events
      if (!read.isCutOff && !this.#hasNews) await once(this.#news, 'news', { signal: patience }).catch(() => {})
    }
  }

  close(): void {
    this.#leave()
  }
}
