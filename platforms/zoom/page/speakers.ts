/**
 * Who speaks, as far as marks of the page can say it. Pure. Zoom's mark stays after speech and even when everybody is
 * muted (field notes 3.14), so it counts only together with sound, with an open microphone, and while it is the newest.
 */
import { LEVEL_OFF } from '../../shared/page/speech-detector.ts'
import type { HeardPerson } from './sound.ts'

export interface MarkedPerson {
  id: string
  isMuted: boolean
}

/** Marks that came within this time are equally new. Milliseconds. */
const TOGETHER_MS = 700
/** Agreements of one sound with one mark before the sound is taken for that person's, and how many times the next best. */
const VOTES = 10
const VOTES_AHEAD = 3

/** Keeps when each mark came. */
export class MarkJudge {
  readonly #since = new Map<string, number>()

  /** One look. `mix` is the level of all sound, null where nothing can be read. Gives who is marked for a reason. */
  speaking(marked: readonly MarkedPerson[], mix: number | null, at: number): string[] {
    const ids = new Set(marked.map(({ id }) => id))
    for (const id of [...this.#since.keys()]) if (!ids.has(id)) this.#since.delete(id)
    // A single look may meet the page while it redraws itself: marks count from the second look on.
    const standing = marked.filter(({ id }) => this.#since.has(id))
    for (const { id } of marked) if (!this.#since.has(id)) this.#since.set(id, at)
    if (mix !== null && mix < LEVEL_OFF) return []
    const open = standing.filter(({ isMuted }) => !isMuted)
    const newest = Math.max(...open.map(({ id }) => this.#since.get(id) ?? 0))
    return open.filter(({ id }) => newest - (this.#since.get(id) ?? 0) <= TOGETHER_MS).map(({ id }) => id)
  }
}

/** Finds out whose sound it is that has no number beside a name: the one who is marked whenever it is loud. */
export class SoundOwners {
  readonly #votes = new Map<number, Map<string, number>>()

  /** One look; gives a pair that has become certain. */
  observe(heard: readonly HeardPerson[], speaking: readonly string[]): { userId: number; id: string } | null {
    const loud = heard.filter(({ level }) => level > 2 * LEVEL_OFF)
    const [sound] = loud
    const [id] = speaking
    if (loud.length !== 1 || speaking.length !== 1 || !sound || id === undefined) return null
    const votes = this.#votes.get(sound.userId) ?? new Map<string, number>()
    this.#votes.set(sound.userId, votes)
    votes.set(id, (votes.get(id) ?? 0) + 1)
    const [best, next] = [...votes].sort(([, one], [, other]) => other - one)
    if (!best || best[1] < VOTES || best[1] < VOTES_AHEAD * (next?.[1] ?? 0)) return null
    return { userId: sound.userId, id: best[0] }
  }

  forget(id: string): void {
    for (const votes of this.#votes.values()) votes.delete(id)
  }
}
