/**
 * A random speech, and a caption window that draws it. Not drawn, because the page then shows the same for two meanings:
 *
 * - A row that comes in the same poll in which another one goes, and begins like it: a new row, or the old one redrawn.
 * - A row of one or two words without a sentence's end, whose element shows another text within 2 s: a correction or a
 *   new row. It is read as a correction.
 * - A window that slides over repeated words so that another slide repeats as many words of the row as the true one.
 * - A window that slides on so far within one poll that fewer than three unchanged words stay.
 * - Texts that move to the element above while two rows begin alike: the words come out, but maybe not in order.
 * - A rewrite in the same poll as a redraw or a change of order, but for the first of four words, none of which is the first again: of a short row, nothing is
 *   left that identifies it.
 * - A rewrite of the first of three words, or later than 2 s: that is another text, and final words stay.
 */
import fc from 'fast-check'
import type { Poll, ShownRow } from './caption-run.ts'

const NAMES = ['Ann', 'Ben', 'Cem', 'Dora']
const VOCABULARY = 'yes no so we go the plan is good and you I do not know it here now then all'.split(' ')

const action = fc.record({
  what: fc.constantFrom('say', 'say', 'say', 'say', 'row', 'row', 'blank', 'redraw', 'order', 'wait'),
  who: fc.nat(3),
  words: fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.constantFrom(...VOCABULARY), { minLength: 1, maxLength: 6 }) },
    { weight: 1, arbitrary: fc.constant('again' as const) },
  ),
  isSentence: fc.boolean(),
  /** So many words at the end are shown wrong at first. */
  wrong: fc.nat(3),
  /** So many words come with their correction. */
  late: fc.nat(3),
  isRedrawn: fc.constantFrom(false, false, true),
  wait: fc.constantFrom(250, 250, 500, 1000, 3000),
})

export const speech = fc.record({
  people: fc.integer({ min: 1, max: 4 }),
  rows: fc.integer({ min: 1, max: 4 }),
  /** Words of a row that the window shows. */
  width: fc.constantFrom(8, 12, 30, 1000),
  /** Each row has its own; that of the row which goes is used for the next; they stay, and texts move up. */
  elements: fc.constantFrom('own', 'reused', 'fixed'),
  names: fc.constantFrom('shown', 'late', 'missing'),
  actions: fc.array(action, { maxLength: 30 }),
})

type Speech = typeof speech extends fc.Arbitrary<infer T> ? T : never

interface Row {
  speaker: string
  words: string[]
  element: string
  name: string
  changedAt: number
}

export interface Drawn {
  polls: Poll[]
  /** The words of each speaker. */
  said: Map<string, string>
}

export function draw({ people, rows: count, width, elements, names, actions }: Speech): Drawn {
  const polls: [number, ShownRow[]][] = [[0, []]]
  const truth = new Map<string, string[]>()
  const sentences = new Map<string, string[]>()
  let rows: Row[] = []
  let at = 1000
  let elementCount = 0
  let drawing = 0
  const newElement = () => `e${++elementCount}`
  const windowOf = (words: readonly string[]) => words.slice(-width)

  function poll(wait: number, wrong?: { row: Row; words: string[] }): void {
    const shown = rows.map((row, index): ShownRow => {
      const words = windowOf(wrong?.row === row ? wrong.words : row.words)
      return [elements === 'fixed' ? `f${drawing}-${index}` : row.element, row.name, words.join(' ')]
    })
    polls.push([at, shown])
    at += wait
  }
  function redraw(): void {
    drawing++
    for (const row of rows) row.element = newElement()
  }
  function say(row: Row, words: readonly string[]): void {
    row.words.push(...words)
    row.changedAt = at
    truth.set(row.speaker, [...(truth.get(row.speaker) ?? []), ...words])
  }

  for (const { what, who, words: drawn, isSentence, wrong, late, isRedrawn, wait } of actions) {
    const speaker = names === 'missing' ? '' : NAMES[who % people]!
    const own = newest(rows.filter((row) => row.speaker === speaker))
    if (what === 'wait') at += wait
    else if (what === 'blank' || what === 'redraw') {
      if (what === 'blank') {
        polls.push([at, []])
        at += 250
      }
      redraw()
      poll(wait)
    } else if (what === 'order') {
      rows = rows.toReversed()
      if (elements !== 'fixed') poll(wait)
      else rows = rows.toReversed()
    } else {
      const plain = drawn === 'again' ? (sentences.get(speaker) ?? ['well']) : drawn
      const words = isSentence && drawn !== 'again' ? [...plain.slice(0, -1), `${plain.at(-1)}.`] : plain
      sentences.set(speaker, words)
      if (what === 'say' && own) {
        if (isFarSlide(own.words.length, words.length, width, false)) continue
        const slid = [...own.words, ...words].slice(-width)
        if (isUnclearSlide(own.words, slid, Math.min(own.words.length, width - words.length))) continue
        const rest = words.slice(words.length - Math.min(late, words.length - 1))
        const first = words.slice(0, words.length - rest.length)
        const firstWords = [...own.words, ...first]
        const changed = Math.min(wrong, first.length)
        if (isRedrawn || changed === 0 || isFarSlide(own.words.length, words.length, width, true)) {
          say(own, words)
          if (isRedrawn) redraw()
          poll(wait)
        } else {
          say(own, words)
          const mistaken = first.slice(-changed).map((_, index) => `mistake${index}`)
          poll(Math.min(wait, 1000), { row: own, words: [...firstWords.slice(0, -changed), ...mistaken] })
          own.changedAt = at
          poll(wait)
        }
      } else {
        const left = rows.length < count ? undefined : oldest(rows)
        const gone = left === undefined ? [] : windowOf(left.words)
        if (left && (isUnclearSlide(left.words, words, 0) || bare(gone[0]!) === bare(words[0]!))) continue
        if (left && elements !== 'own' && gone.length < 3 && !/\.$/.test(gone.at(-1)!) && at - left.changedAt < 2250)
          continue
        const begins = [...rows.map((row) => windowOf(row.words)[0]!), words[0]!].map(bare)
        if (left && elements === 'fixed' && new Set(begins).size < begins.length) continue
        rows = rows.filter((row) => row !== left)
        const element = left && elements === 'reused' ? left.element : newElement()
        const row: Row = { speaker, words: [], element, name: names === 'late' ? '' : speaker, changedAt: at }
        rows.push(row)
        say(row, words)
        if (names === 'late') poll(500)
        row.name = speaker
        if (isRedrawn && wrong > 0 && words.length >= 4 && words.map(bare).lastIndexOf(bare(words[0]!)) === 0) {
          poll(Math.min(wait, 1000), { row, words: ['mistake', ...words.slice(1)] })
          row.changedAt = at
          redraw()
        }
        poll(wait)
      }
    }
  }
  return { polls, said: new Map([...truth].map(([speaker, words]) => [speaker, words.join(' ')])) }
}

const bare = (word: string) => word.replace('.', '').toLowerCase()

/** Rows may have changed their order, so the oldest is the one whose text is still for the longest time. */
function oldest(rows: readonly Row[]): Row {
  return rows.reduce((one, other) => (other.changedAt < one.changedAt ? other : one))
}

function newest(rows: readonly Row[]): Row | undefined {
  return rows.toSorted((one, other) => one.changedAt - other.changedAt).at(-1)
}

function slideOf(count: number, added: number, width: number): number {
  return Math.max(0, count + added - width) - Math.max(0, count - width)
}

/** Fewer than three unchanged words would stay. */
function isFarSlide(count: number, added: number, width: number, isRewritten: boolean): boolean {
  const slide = slideOf(count, added, width)
  return slide > 0 && Math.min(count, width) - slide < (isRewritten ? 6 : 3)
}

/**
 * Whether another slide explains the text as well as the true one: it may begin with any word of the row that is the
 * text's first, or with a correction of the row's first words. Each repeats some words, and the true one the rest of the
 * row, which it leaves unchanged.
 */
function isUnclearSlide(row: readonly string[], shown: readonly string[], kept: number): boolean {
  if (kept === row.length) return false
  const [old, words] = [row.map(bare), shown.map(bare)]
  const begins = old.flatMap((word, place) => (word === words[0] && place !== old.length - kept ? [place] : []))
  if (begins.some((place) => inCommon(old.slice(place), words) > kept)) return true
  return inCommon(old, words) >= kept + 3
}

/** Number of words of both texts in the same order. */
function inCommon(one: readonly string[], other: readonly string[]): number {
  let row = other.map(() => 0)
  for (const word of one) {
    const next: number[] = []
    for (const [place, compared] of other.entries())
      next.push(word === compared ? (row[place - 1] ?? 0) + 1 : Math.max(row[place]!, next.at(-1) ?? 0))
    row = next
  }
  return row.at(-1) ?? 0
}

export function printed({ polls }: Drawn): string {
  return polls
    .map(([at, rows]) => `${at}: ${rows.map(([id, name, text]) => `[${id}] ${name || '–'}: ${text}`).join('  ')}`)
    .join('\n')
}
