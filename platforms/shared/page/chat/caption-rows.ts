/**
 * Decides which of a page's caption rows is which. Pages grow and correct the text of a row in place, and move texts from
 * one element to the next. They reuse elements for other rows, and draw all rows again. The texts of all rows together
 * decide, by an alignment of their words, and the element counts only between equals. In doubt it is a new row: a word
 * that is reported twice is better than one that is missing.
 */

import { align, bareWord, endsSentence, tokensOf } from '../../../../packages/core/meeting/caption-words.ts'

export interface ShownCaption {
  element: Element
  /** As shown; empty if the page does not say. */
  name: string
  text: string
}

export interface CaptionRow {
  /** Stays with the row when another element shows it. */
  key: string
  /** May come later than the first words. */
  name: string
  text: string
  /** The page no longer shows the row. */
  isFinal: boolean
  /** UTC milliseconds of the poll that saw this text. */
  at: number
}

/** A row as it was last shown. */
interface KnownRow extends CaptionRow {
  element: Element
  changedAt: number
}

/** Of a long row, only the end is reported. */
const MAX_CHARACTERS = 4000
/** The page may show a caption before the channel that carried it has been read. */
const CHANNEL_GRACE_MS = 3_000
/** Longer rows are aligned by their end. */
const MAX_WORDS = 60
/** As many words of a row identify it; a shorter row is identified by all its words. */
const KNOWN_BY = 3
/** An unchanged text is more alike than one that repeats as many words. */
const UNCHANGED = 0.5
/** Four agreeing words outweigh one that differs. */
const SCORES = { repeated: 1, corrected: -4, missing: -4, otherBeginning: -4 }
/** Speech recognition rewrites words that it wrote shortly before. A later change that leaves little is a new row. */
const REWRITE_MS = 2_000
const MAX_REWRITTEN = 3
/** A list that is empty for so long was drawn again. */
const REDRAW_MS = 1_000

export class CaptionRows {
  readonly #emit: (row: CaptionRow) => void
  #known: KnownRow[] = []
  #rows = 0
  #isSilent = false
  /** Rows that wait until it is clear whether the channel sends captions. */
  #heldBack: CaptionRow[] | null

  /** @param mayHaveChannel - captions may come by a channel too, which then replaces these rows. */
  constructor(emit: (row: CaptionRow) => void, { mayHaveChannel = false } = {}) {
    this.#emit = emit
    this.#heldBack = mayHaveChannel ? [] : null
  }

  /**
   * The channel carries the same captions: rows of the page are not reported any more, nor those that were held back.
   */
  leaveToChannel(): void {
    this.#isSilent = true
    this.#heldBack = null
  }

  update(all: readonly ShownCaption[], at: number): void {
    if (this.#isSilent) return
    const shown = all
      .map((row) => ({ ...row, text: row.text.slice(-MAX_CHARACTERS) }))
      .filter(({ text }) => text.trim() !== '')
    const before = this.#known
    const knownAt = matchRows(before, shown, at)
    this.#known = shown.map(({ element, name, text }, index) => {
      const known = knownAt.get(index)
      if (known === undefined) return this.#say({ key: `row-${++this.#rows}`, name, text, at, element })
      const isSame = known.text === text && (known.name === name || name === '')
      if (isSame) return { ...known, element, isFinal: false }
      const row = this.#say({ key: known.key, name: name || known.name, text, at, element })
      return known.text === text ? { ...row, changedAt: known.changedAt } : row
    })
    const kept = new Set(knownAt.values())
    const gone = before.filter((row) => !kept.has(row))
    for (const row of gone.toSorted((one, other) => one.changedAt - other.changedAt))
      if (!row.isFinal) this.#report({ ...row, isFinal: true, at })
    // A whole list that is gone may be about to be drawn again.
    if (shown.length === 0)
      this.#known = gone
        .map((row) => (row.isFinal ? row : { ...row, isFinal: true, at }))
        .filter((row) => at - row.at < REDRAW_MS)
    const [first] = this.#heldBack ?? []
    if (first && at - first.at >= CHANNEL_GRACE_MS) this.#reportHeldBack()
  }

  #say(row: Omit<KnownRow, 'isFinal' | 'changedAt'>): KnownRow {
    const known = { ...row, isFinal: false, changedAt: row.at }
    this.#report(known)
    return known
  }

  #report({ key, name, text, isFinal, at }: CaptionRow): void {
    const row = { key, name, text, isFinal, at }
    if (this.#heldBack) this.#heldBack.push(row)
    else this.#emit(row)
  }

  #reportHeldBack(): void {
    const rows = this.#heldBack ?? []
    this.#heldBack = null
    for (const row of rows) this.#emit(row)
  }
}

interface Pair {
  known: KnownRow
  from: number
  shown: ShownCaption
  to: number
  score: number
}

/** The known row of each shown one; new ones have none. The pairs that are most alike are made first. */
function matchRows(known: readonly KnownRow[], shown: readonly ShownCaption[], at: number): Map<number, KnownRow> {
  const made: Pair[] = []
  const isFree = (pair: Pair) => made.every(({ from, to }) => from !== pair.from && to !== pair.to)
  const pairs = shown.flatMap((one, to) =>
    known.flatMap((row, from): Pair[] =>
      row.name === one.name || row.name === '' || one.name === ''
        ? [{ known: row, from, shown: one, to, score: 0 }]
        : [],
    ),
  )
  // Nearly always most rows are as they were.
  for (const pair of pairs)
    if (pair.known.element === pair.shown.element && pair.known.text === pair.shown.text && isFree(pair))
      made.push(pair)
  const open = pairs.filter(isFree)
  for (const pair of open) pair.score = likeness(pair, at)
  const isInPlace = (pair: Pair) => pair.known.element === pair.shown.element
  const elements = new Set(shown.map(({ element }) => element))
  const isRedrawn = ({ known, shown }: Pair) => !elements.has(known.element) && isBegunAnew(known, shown)
  open.sort(
    (a, b) =>
      b.score - a.score ||
      Number(isInPlace(b)) - Number(isInPlace(a)) ||
      Math.abs(a.from - a.to) - Math.abs(b.from - b.to),
  )
  for (const pair of open) {
    if (!isFree(pair)) continue
    const { length } = wordsOf(pair.known.text)
    // Rows rarely change their order, so a row that overtakes another one has to be the same in all its words.
    const isInOrder = made.every(({ from, to }) => from - pair.from > 0 === to - pair.to > 0)
    const isAlike = pair.score >= (isInOrder ? Math.min(KNOWN_BY, length) : Math.max(KNOWN_BY, length))
    const isRewritten = (isInPlace(pair) || isRedrawn(pair)) && isRewrite(pair, at)
    if (isAlike || (isInOrder && isRewritten)) made.push(pair)
  }
  return new Map(made.map((pair) => [pair.to, pair.known]))
}

/** A text that was written shortly before, and of which the beginning is left. */
function isRewrite({ known, shown }: Pair, at: number): boolean {
  if (at - known.changedAt >= REWRITE_MS) return false
  const old = wordsOf(known.text)
  const words = wordsOf(shown.text)
  if (old.length < KNOWN_BY && !endsSentence(known.text)) return true
  if (old[0] === words[0] || repeated(old.slice(0, -MAX_REWRITTEN), words) >= KNOWN_BY) return true
  return isBegunAnew(known, shown)
}

/** All its words are there but for the first, which is another one. */
function isBegunAnew(known: KnownRow, shown: ShownCaption): boolean {
  const [, ...old] = wordsOf(known.text)
  const [, ...words] = wordsOf(shown.text)
  return old.length >= KNOWN_BY && old.every((word, place) => word === words[place])
}

function likeness({ known, shown }: Pair, at: number): number {
  const words = wordsOf(known.text)
  if (known.text === shown.text) return words.length + UNCHANGED
  // The last word of a text may be half of a word.
  const isGrown =
    known.element === shown.element && at - known.changedAt < REWRITE_MS && shown.text.startsWith(known.text)
  return isGrown ? words.length : repeated(words, wordsOf(shown.text))
}

/**
 * How many of the old words the new text repeats, less what differs. The new text may lack words at the beginning,
 * where the page cuts it, and may continue at its end.
 */
function repeated(old: readonly string[], words: readonly string[]): number {
  return align(old.slice(-MAX_WORDS), words.slice(-2 * MAX_WORDS), SCORES, old.length > MAX_WORDS).score
}

function wordsOf(text: string): string[] {
  return tokensOf(text).map(bareWord)
}
