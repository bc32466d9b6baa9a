/**
 * A platform's captions, read as words. The text of a row grows and is corrected while a participant speaks. Words are
 * final when the row has not changed for a while, and each is reported as final once. Pure: each update has its time.
 */

import {
  type Alignment,
  align,
  bareWord,
  endsSentence,
  hasWordWithoutBlanks,
  tokensOf,
} from '../../packages/core/meeting/caption-words.ts'

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
  /** When the row's first word was said, if it is known. */
  startedAt?: number
}

export interface CaptionWords {
  /** Partial words and the final ones that replace them have the same. */
  id: string
  speaker: string
  isFinal: boolean
  /** `start` and `end` are UTC milliseconds: when a word came up, which is a little after it was said. */
  words: { word: string; start: number; end: number }[]
}

/** A row that has been still for so long is at its end, or its speaker pauses. */
const STILL_MS = 2_000
/** Words of a speaker who never pauses become final after this, */
const MAX_UNSETTLED_MS = 15_000
/** up to the end of a sentence, or else of what has not been changed for a while. */
const SETTLED_SENTENCE_MS = 2_500
const SETTLED_MS = 5_000
/** A word of a text that comes up at once has taken about this long. */
const WORD_MS = 350
/** The platform's time of a word is not believed if it is further back. */
const MAX_DELAY_MS = 30_000
/** Final words that are kept of a row: with them, a new text is aligned. */
const MAX_FINALS = 60
/** A row that another source shows too is known by as many words. */
const KNOWN_BY = 3
const SHOWN_AGAIN_MS = 20_000
const MAX_ROWS = 100
const MAX_TOKENS = 600
/**
 * Recognition corrects some words for each that it leaves, and rarely their number. A text begins with a word of its row:
 * a correction of this word has to repeat three words more than a cut does.
 */
const SCORES = { repeated: 4, corrected: -1, missing: -4, otherBeginning: -12 }
/** A text so short may be corrected in all its words. */
const MAX_CORRECTED = 2

interface Pending {
  word: string
  start: number
  end: number
  changedAt: number
}

interface Row {
  number: number
  /** How often its words became final. */
  settled: number
  speaker: string
  /** The last final words, normalized. */
  finals: string[]
  pending: Pending[]
  changedAt: number
}

export class CaptionAssembler {
  readonly #emit: (words: CaptionWords) => void
  readonly #rows = new Map<string, Row>()
  #rowsSoFar = 0

  constructor(emit: (words: CaptionWords) => void) {
    this.#emit = emit
  }

  /** `now` is when it arrived; on a busy machine that is later than it was seen. */
  onUpdate({ key, speaker, text, isFinal, at, startedAt }: CaptionUpdate, now = at): void {
    const tokens = tokensOf(text).slice(-MAX_TOKENS)
    const row = this.#rowOf(key, speaker, tokens, at)
    row.speaker = speaker
    if (merge(row, tokens, at, startedAt)) {
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
      else if (now - first.start >= MAX_UNSETTLED_MS) this.#settle(row, settledWords(row.pending, now))
    }
  }

  /** The meeting is over: what was said is final. */
  finish(): void {
    for (const row of this.#rows.values()) this.#settle(row, row.pending.length)
  }

  #settle(row: Row, count: number): void {
    const words = row.pending.splice(0, count)
    if (words.length === 0) return
    row.finals = [...row.finals, ...words.map(({ word }) => bareWord(word))].slice(-MAX_FINALS)
    this.#say(row, words, true)
    row.settled++
  }

  #say({ number, settled, speaker }: Row, words: readonly Pending[], isFinal: boolean): void {
    // Texts in scripts without blanks keep the blanks that they have; of all others words are given bare.
    const keepsBlanks = words.some(({ word }) => hasWordWithoutBlanks(word))
    const given = words.map(({ word, start, end }) => ({ word: keepsBlanks ? word : word.trim(), start, end }))
    this.#emit({ id: `c${number}.${settled}`, speaker, isFinal, words: given })
  }

  #rowOf(key: string, speaker: string, tokens: readonly string[], at: number): Row {
    const known = this.#rows.get(key)
    if (known) return known
    const fresh = { number: ++this.#rowsSoFar, settled: 0, speaker, finals: [], pending: [], changedAt: at }
    const row = this.#shownElsewhere(key, speaker, tokens, at) ?? fresh
    this.#rows.set(key, row)
    if (this.#rows.size > MAX_ROWS) {
      const [oldest, last] = [...this.#rows].reduce((a, b) => (b[1].changedAt < a[1].changedAt ? b : a))
      this.#settle(last, last.pending.length)
      this.#rows.delete(oldest)
    }
    return row
  }

  /** The row of this speaker with which this text begins, if another source showed it: a page, then its channel. */
  #shownElsewhere(key: string, speaker: string, tokens: readonly string[], at: number): Row | null {
    const found = [...this.#rows].findLast(
      ([other, row]) =>
        sourceOf(other) !== sourceOf(key) && row.speaker === speaker && at - row.changedAt < SHOWN_AGAIN_MS,
    )
    if (found === undefined) return null
    const said = saidIn(found[1])
    const { matches } = align(said, tokens.map(bareWord), SCORES)
    return matches >= KNOWN_BY && matches >= Math.min(said.length, tokens.length) * 0.7 ? found[1] : null
  }
}

/** A source gives each of its rows another name after the last `-` or `/` of the key. */
function sourceOf(key: string): string {
  return /^.*[-/]/.exec(key)?.[0] ?? key
}

function saidIn({ finals, pending }: Row): string[] {
  return [...finals, ...pending.map(({ word }) => bareWord(word))]
}

/** Takes a row's new text. Words keep the time of their first appearance when corrected. True if the row changed. */
function merge(row: Row, tokens: readonly string[], at: number, startedAt?: number): boolean {
  const { finals, pending } = row
  const { length: finalCount } = finals
  const { cut, places } = alignedTo(row, tokens)
  // Corrections of final words are ignored.
  const begin = places.findLastIndex((place) => place !== null && place < finalCount) + 1
  // Words that the page has cut off were said all the same.
  const words = pending.slice(0, Math.max(0, cut - finalCount))
  const known = places.slice(begin).map((place) => (place === null ? undefined : pending[place - finalCount]))
  const addedFrom = known.findLastIndex((word) => word !== undefined) + 1
  for (const [index, word] of tokens.slice(begin, begin + addedFrom).entries()) {
    const time = known[index] ?? { start: words.at(-1)?.end ?? at, end: words.at(-1)?.end ?? at }
    const changedAt = known[index]?.word === word ? known[index].changedAt : at
    words.push({ start: time.start, end: time.end, word, changedAt })
  }
  const added = tokens.slice(begin + addedFrom)
  const isBelievable = startedAt !== undefined && startedAt <= at && at - startedAt < MAX_DELAY_MS
  const isFirst = finalCount + pending.length === 0
  const before = words.at(-1)?.end ?? Number.NEGATIVE_INFINITY
  const from = isFirst && isBelievable ? startedAt : Math.max(before, at - added.length * WORD_MS)
  const step = Math.max(0, at - from) / added.length
  for (const [index, word] of added.entries())
    words.push({ word, start: from + index * step, end: from + (index + 1) * step, changedAt: at })
  row.pending = words
  return words.length !== pending.length || words.some(({ word }, index) => word !== pending[index]!.word)
}

function alignedTo(row: Row, tokens: readonly string[]): Pick<Alignment, 'cut' | 'places'> {
  const said = saidIn(row)
  const bare = tokens.map(bareWord)
  const alignment = align(said, bare, SCORES, row.finals.length === MAX_FINALS)
  const places = alignment.matches === 0 ? respelled(said, bare) : null
  if (places) return { cut: 0, places }
  const isShort = row.finals.length === 0 && said.length <= MAX_CORRECTED
  if (alignment.matches > 0 || !isShort || endsSentence(row.pending.at(-1)?.word ?? '')) return alignment
  return { cut: 0, places: tokens.map((_, index) => (index < said.length ? index : null)) }
}

/** If the text begins with the same letters in other words, such as `state-of-the-art`: the old word at the end of each. */
function respelled(said: readonly string[], words: readonly string[]): (number | null)[] | null {
  const endsOf = (all: readonly string[]) => all.map((_, index) => all.slice(0, index + 1).join('').length)
  const [before, after] = [endsOf(said), endsOf(words)]
  const whole = before.at(-1) ?? 0
  if (!after.includes(whole) || !words.join('').startsWith(said.join(''))) return null
  return after.map((end) =>
    end > whole
      ? null
      : Math.max(
          0,
          before.findLastIndex((each) => each <= end),
        ),
  )
}

function settledWords(pending: readonly Pending[], now: number): number {
  const sentence = pending.findLastIndex(
    ({ word, changedAt }) => endsSentence(word) && now - changedAt >= SETTLED_SENTENCE_MS,
  )
  const isStill = (index: number) =>
    pending.slice(0, index).every(({ changedAt }) => now - changedAt >= SETTLED_SENTENCE_MS)
  if (sentence >= 0 && isStill(sentence + 1)) return sentence + 1
  const unsettled = pending.findIndex(({ changedAt }) => now - changedAt < SETTLED_MS)
  return unsettled < 0 ? pending.length : unsettled
}
