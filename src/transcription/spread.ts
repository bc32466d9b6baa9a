import type { Word } from './types.ts'

/** A word without neighbors that have times takes about this long. */
export const WORD_SECONDS = 0.35
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u

/** Whether a character belongs to a script that puts no blanks between words. */
export function isUnspaced(character: string): boolean {
  return WITHOUT_BLANKS.test(character)
}

/** The words of a text whose own times are unknown share its time by their length. */
export function spread(text: string, start: number, end: number): Word[] {
  const words = text
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .flatMap((word) => partsOf(word).map((part, index) => ({ part, isGlued: index > 0 })))
  const letters = words.reduce((sum, { part }) => sum + part.length, 0)
  let at = start
  return words.map(({ part, isGlued }) => {
    const begins = at
    at += letters === 0 ? 0 : ((end - start) * part.length) / letters
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
