/**
 * A platform's captions, read as words. The text of a row grows and is corrected while a participant speaks. Words are
 * final when the row has not changed for a while, and each is reported as final once. Pure: each update has its time.
 */

export interface CaptionUpdate {
  /** Of the row; the page may show the same row again under another one. */
  key: string
  /** The speaker, by any key that distinguishes speakers. */
  speaker: string
  text: string
  /** The platform says that this is the row's last text. */
  isFinal: boolean
  /** UTC milliseconds. */
  at: number
  /** When the row's first word was said, where it is known. */
  startedAt?: number
}

export interface CaptionWords {
  speaker: string
  isFinal: boolean
  /** `start` and `end` are UTC milliseconds: when a word came up, which is a little after it was said. */
  words: { word: string; start: number; end: number }[]
}

/** A row that has been still for so long is at its end, or its speaker pauses. */
const STILL_MS = 2_000
/** Words of a speaker who never pauses become final after this, */
const LONGEST_MS = 15_000
/** up to the end of a sentence, or else of what has not been changed for a while. */
const SETTLED_SENTENCE_MS = 2_500
const SETTLED_MS = 5_000
/** A word of a text that comes up at once has taken about this long. */
const WORD_MS = 350
/** The platform's time of a word is not believed where it is further back. */
const LATEST_MS = 30_000
/** Final words by which the place is found where new ones begin. */
const TAIL = 8
/** A row that shows up again, in a new window or list, is known by as many words of the old one. */
const KNOWN_BY = 3
const SHOWN_AGAIN_MS = 20_000
const MOST_ROWS = 100
const MOST_TOKENS = 600

/** Scripts that put no blanks between words: each character counts as one. */
const ALONE = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}'
const TOKENS = new RegExp(`\\s*(?:[${ALONE}]|[^\\s${ALONE}]+)`, 'gu')
const HAS_ALONE = new RegExp(`[${ALONE}]`, 'u')
const SENTENCE_END = /[.!?。！？…]$/

interface Pending {
  word: string
  start: number
  end: number
  changedAt: number
}

interface Row {
  speaker: string
  /** The last final words, normalized. */
  tail: string[]
  /** Where new words begin in the text, as far as it is not cut at its start. */
  finals: number
  pending: Pending[]
  changedAt: number
}

export class CaptionAssembler {
  readonly #emit: (words: CaptionWords) => void
  readonly #rows = new Map<string, Row>()

  constructor(emit: (words: CaptionWords) => void) {
    this.#emit = emit
  }

  /** `now` is when it arrived; on a busy machine that is later than it was seen. */
  onUpdate({ key, speaker, text, isFinal, at, startedAt }: CaptionUpdate, now = at): void {
    const tokens = tokensOf(text)
    const row = this.#rowOf(key, speaker, tokens, at)
    row.finals = beginOf(tokens, row)
    const fresh = tokens.slice(row.finals)
    if (merge(row, fresh, at, row.tail.length === 0 ? startedAt : undefined)) {
      row.changedAt = Math.max(at, now)
      if (!isFinal && row.pending.length > 0) this.#say(row, row.pending, false)
    }
    if (isFinal) this.#settle(row, row.pending.length)
  }

  /** Time has passed. */
  tick(now: number): void {
    for (const row of this.#rows.values()) {
      const [first] = row.pending
      if (first === undefined) continue
      if (now - row.changedAt >= STILL_MS) this.#settle(row, row.pending.length)
      else if (now - first.start >= LONGEST_MS) this.#settle(row, settledWords(row.pending, now))
    }
  }

  /** The meeting is over: what was said is final. */
  finish(): void {
    for (const row of this.#rows.values()) this.#settle(row, row.pending.length)
  }

  #settle(row: Row, count: number): void {
    const words = row.pending.splice(0, count)
    if (words.length === 0) return
    row.finals += words.length
    row.tail = [...row.tail, ...words.map(({ word }) => normal(word))].slice(-TAIL)
    this.#say(row, words, true)
  }

  #say({ speaker }: Row, words: readonly Pending[], isFinal: boolean): void {
    // Texts in scripts without blanks keep the blanks that they have; of all others words are given bare.
    const keepsBlanks = words.some(({ word }) => HAS_ALONE.test(word))
    const given = words.map(({ word, start, end }) => ({ word: keepsBlanks ? word : word.trim(), start, end }))
    this.#emit({ speaker, isFinal, words: given })
  }

  #rowOf(key: string, speaker: string, tokens: readonly string[], at: number): Row {
    const known = this.#rows.get(key)
    if (known) return known
    const row = this.#shownAgain(speaker, tokens, at) ?? { speaker, tail: [], finals: 0, pending: [], changedAt: at }
    this.#rows.set(key, row)
    if (this.#rows.size > MOST_ROWS) {
      const [oldest] = this.#rows.keys()
      this.#rows.delete(oldest!)
    }
    return row
  }

  /** The row of this speaker whose text begins this one: the page has drawn its captions again. */
  #shownAgain(speaker: string, tokens: readonly string[], at: number): Row | null {
    const row = [...this.#rows.values()].findLast(
      (one) => one.speaker === speaker && at - one.changedAt < SHOWN_AGAIN_MS,
    )
    if (row === undefined) return null
    const said = [...row.tail, ...row.pending.map(({ word }) => normal(word))].slice(-TAIL)
    const { matches } = bestEnd(tokens.map(normal), said, tokens.length)
    return matches >= KNOWN_BY && matches >= said.length * 0.7 ? row : null
  }
}

/** Where in the text the words begin that are not final yet. */
function beginOf(tokens: readonly string[], { tail, finals }: Row): number {
  if (tail.length === 0) return 0
  const { end, matches } = bestEnd(tokens.map(normal), tail, finals)
  if (matches >= Math.max(1, Math.ceil(Math.min(tail.length, finals) / 2))) return end
  return Math.min(finals, tokens.length)
}

/** The place up to which `said` fits best, nearest to where it is expected. */
function bestEnd(
  words: readonly string[],
  said: readonly string[],
  expected: number,
): { end: number; matches: number } {
  let best = { end: Math.min(expected, words.length), matches: 0 }
  for (let end = 1; end <= words.length; end++) {
    let matches = 0
    for (let back = 1; back <= Math.min(said.length, end); back++)
      if (words[end - back] === said[said.length - back]) matches++
    const isNearer = Math.abs(end - expected) < Math.abs(best.end - expected)
    if (matches > best.matches || (matches > 0 && matches === best.matches && isNearer)) best = { end, matches }
  }
  return best
}

/** Words keep the time at which they first appeared, also when they are corrected. True if the row changed. */
function merge(row: Row, tokens: readonly string[], at: number, startedAt?: number): boolean {
  const { pending } = row
  let hasChanged = tokens.length !== pending.length
  const added = Math.max(0, tokens.length - pending.length)
  const before = pending.at(-1)?.end ?? Number.NEGATIVE_INFINITY
  const isBelievable = startedAt !== undefined && startedAt <= at && at - startedAt < LATEST_MS
  const from = pending.length === 0 && isBelievable ? startedAt : Math.max(before, at - added * WORD_MS)
  const step = added === 0 ? 0 : Math.max(0, at - from) / added
  row.pending = tokens.map((word, index) => {
    const known = pending[index]
    if (known === undefined) {
      const place = index - pending.length
      return { word, start: from + place * step, end: from + (place + 1) * step, changedAt: at }
    }
    if (known.word === word) return known
    hasChanged = true
    return { ...known, word, changedAt: at }
  })
  return hasChanged
}

function settledWords(pending: readonly Pending[], now: number): number {
  const sentence = pending.findLastIndex(
    ({ word, changedAt }) => SENTENCE_END.test(word) && now - changedAt >= SETTLED_SENTENCE_MS,
  )
  const isStill = (index: number) =>
    pending.slice(0, index).every(({ changedAt }) => now - changedAt >= SETTLED_SENTENCE_MS)
  if (sentence >= 0 && isStill(sentence + 1)) return sentence + 1
  const unsettled = pending.findIndex(({ changedAt }) => now - changedAt < SETTLED_MS)
  return unsettled < 0 ? pending.length : unsettled
}

function tokensOf(text: string): string[] {
  return (text.match(TOKENS) ?? []).slice(-MOST_TOKENS)
}

function normal(token: string): string {
  return token.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}
