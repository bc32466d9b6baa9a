/**
 * Breakout rooms on a platform whose page only says in words that they open. Words alone change nothing: people have to
 * leave after them. Pure.
 */
import type { CommonSnapshot } from '../page/types.ts'
import { matches } from '../words.ts'

export interface RoomWords {
  open: readonly RegExp[]
  closed: readonly RegExp[]
}

/** Text of the page itself, without text that people wrote. */
export function saidIn({ lines, dialogs, banners = [] }: CommonSnapshot): string[] {
  return [...lines, ...banners, ...dialogs.map(({ text }) => text)]
}

/** Rooms are open for so long after the page last said so, if it never says that they close. */
const MAX_OPEN_MS = 2 * 3_600_000
/** People who left so shortly before the words may be in the rooms too. */
const BEFORE_WORDS_MS = 60_000

export class AnnouncedRooms {
  readonly #words: RoomWords
  /** How many others there were, oldest first. */
  #seen: { at: number; others: number }[] = []
  #announced: { at: number; others: number } | null = null

  constructor(words: RoomWords) {
    this.#words = words
  }

  /** To be called at each poll of the meeting. `texts` are the page's own, never those of people. */
  areOpen(texts: readonly string[], others: number | null, at: number): boolean {
    if (others !== null) this.#seen.push({ at, others })
    this.#seen = this.#seen.filter((seen) => at - seen.at <= BEFORE_WORDS_MS)
    const says = (expressions: readonly RegExp[]) => texts.some((text) => matches(expressions, text))
    if (says(this.#words.closed)) this.#announced = null
    else if (says(this.#words.open)) {
      const most = Math.max(0, this.#announced?.others ?? 0, ...this.#seen.map((seen) => seen.others))
      this.#announced = { at, others: most }
    }
    if (this.#announced === null || at - this.#announced.at > MAX_OPEN_MS) return false
    return (others ?? 0) < this.#announced.others
  }
}
