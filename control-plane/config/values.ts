/** Settings as they were written, and the plain kinds of their values. */

/** A setting as written, and the receiver of its problems. */
export interface Given {
  place: string
  text: string
  report(place: string, message: string, cure: string): void
}

export function wholeNumber(given: Given | null, least: number, most: number): number | null {
  if (given === null) return null
  const value = Number(given.text)
  if (/^\d{1,9}$/.test(given.text) && value >= least && value <= most) return value
  given.report(
    given.place,
    `"${shown(given.text)}" is not a number from ${least} to ${most}`,
    'Write a whole number in these bounds',
  )
  return null
}

export function oneOf<T extends string>(given: Given | null, words: readonly T[]): T | null {
  if (given === null) return null
  const found = words.find((word) => word === given.text)
  if (found !== undefined) return found
  given.report(
    given.place,
    `"${shown(given.text)}" is not known`,
    words.length === 1 ? `Write ${words[0]}, or leave it out` : `Choose one of ${words.join(', ')}`,
  )
  return null
}

/** The typed text, safe for a terminal. */
export const shown = (text: string): string => text.replace(/[^\P{C}]/gu, '?').slice(0, 100)
