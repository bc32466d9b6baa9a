/** One follower of all bots of a team: every event after a place, once and in the order in which they were stored. */
import { EventEmitter, once } from 'node:events'
import { type NumberedInTeam, readTeamEvents } from '../../../store/bots/team-events.ts'
import type { ReadList } from '../../http/read-list.ts'
import type { EventTail } from './tail.ts'

const MAX_PAGE = 500

type Wanted = Omit<Parameters<typeof readTeamEvents>[1], 'limit'>

export class TeamFollower {
  readonly #readList: ReadList
  readonly #wanted: Omit<Wanted, 'after'>
  readonly #news = new EventEmitter()
  readonly #leave: () => void
  #hasNews = false
  /** All events up to here were given, or are of other types. */
  place: number

  /** `readList` shows the bots of the caller's team. */
  constructor(tail: EventTail, readList: ReadList, { after, ...wanted }: Wanted) {
    this.#readList = readList
    this.#wanted = wanted
    this.place = after
    this.#leave = tail.listen(wanted.teamId, () => {
      this.#hasNews = true
      this.#news.emit('news')
    })
  }

  /** The next events, at most a page of them; none if there were none within the time, or `signal` was aborted. */
  async next(patienceMs: number, signal: AbortSignal): Promise<NumberedInTeam[]> {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    for (;;) {
      this.#hasNews = false
      const wanted = { ...this.#wanted, after: this.place, limit: MAX_PAGE }
      const read = await this.#readList.forStream(wanted.teamId, readTeamEvents, wanted)
      this.place = read.place
      if (read.events.length > 0 || patience.aborted) return read.events
      if (!read.isCutOff && !this.#hasNews) await once(this.#news, 'news', { signal: patience }).catch(() => {})
    }
  }

  close(): void {
    this.#leave()
  }
}
