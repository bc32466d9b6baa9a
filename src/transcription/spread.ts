import type { Word } from './types.ts'

/** A word without neighbors that have times takes about this long. */
export const WORD_SECONDS = 0.35
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u

/** Of Chinese and Japanese, which put no blank between sentences either; Thai does. */
const FULL_WIDTH =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー、。！？，：；…「」『』（）《》０-９Ａ-Ｚａ-ｚ]/u

/** Whether a character belongs to a script that puts no blanks between words. */
export function isUnspaced(character: string): boolean {
  return WITHOUT_BLANKS.test(character)
}

/** Whether no blank belongs between two words. */
export function isUnspacedBorder(before: string, after: string): boolean {
  return isFullWidthBorder(before, after) || borderOf(before, after).every(isUnspaced)
}

/** Whether both are Chinese or Japanese there. */
export function isFullWidthBorder(before: string, after: string): boolean {
  return borderOf(before, after).every((character) => FULL_WIDTH.test(character))
}

function borderOf(before: string, after: string): [string, string] {
  return [[...before.slice(-2)].at(-1) ?? '', [...after.slice(0, 2)][0] ?? '']
}

/** The words of a text whose own times are unknown share its time by their length; without any time, each has the usual one. */
export function spread(text: string, start: number, end: number): Word[] {
  const words = text
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .flatMap((word) => partsOf(word).map((part, index) => ({ part, isGlued: index > 0 })))
  const letters = words.reduce((sum, { part }) => sum + part.length, 0)
  let at = start
  const seconds = end > start ? end - start : WORD_SECONDS * words.length
  return words.map(({ part, isGlued }) => {
    const begins = at
    at += letters === 0 ? 0 : (seconds * part.length) / letters
    return { word: part, start: begins, end: at, confidence: null, ...(isGlued && { isGlued }) }
  })
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** A sentence of a script without blanks has many words; one that has blanks is one. */
function partsOf(text: string): string[] {
  if (!WITHOUT_BLANKS.test(text)) return [text]
  const parts: string[] = []
  for (const { segment } of segmenter.segment(text)) {
    const isOwn = /^[\p{L}\p{N}]/u.test(segment) && (isUnspaced(segment[0]!) || isUnspaced(parts.at(-1)?.at(-1) ?? ''))
    if (parts.length === 0 || isOwn) parts.push(segment)
    else parts[parts.length - 1] += segment
  }
  return parts
}
