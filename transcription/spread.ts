import type { Word } from './types.ts'

/** The words of a text whose own times are unknown share its time by their length. */
export function spread(text: string, start: number, end: number): Word[] {
  const words = text.trim().split(/\s+/).filter(Boolean)
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  let at = start
  return words.map((word) => {
    const begins = at
    at += letters === 0 ? 0 : ((end - start) * word.length) / letters
    return { word, start: begins, end: at, confidence: null }
  })
}
