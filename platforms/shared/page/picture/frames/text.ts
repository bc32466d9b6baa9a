/** Lays out text for a canvas as a style sheet would. Pure. */

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const LETTER = /\p{L}/u
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mandaic}\p{Script=Samaritan}]/u
/** Longer names are cut before they are measured. */
const MAX_LENGTH = 300

/** Whether the first letter is written from right to left, which decides as for `dir="auto"`. */
export function startsRightToLeft(text: string): boolean {
  const letter = LETTER.exec(text)?.[0]
  return letter !== undefined && RIGHT_TO_LEFT.test(letter)
}

/** In one line, with an ellipsis if it is wider than `room`; empty if not even the ellipsis fits. */
export function shorten(text: string, room: number, widthOf: (text: string) => number): string {
  const line = text.slice(0, MAX_LENGTH).replace(/\s+/gu, ' ').trim()
  if (text.length <= MAX_LENGTH && widthOf(line) <= room) return line
  const signs = [...graphemes.segment(line)].map(({ segment }) => segment)
  const cut = (count: number) => `${signs.slice(0, count).join('').trimEnd()}…`
  let [fits, tooMany] = [-1, signs.length + 1]
  while (tooMany - fits > 1) {
    const count = (fits + tooMany) >> 1
    if (widthOf(cut(count)) <= room) fits = count
    else tooMany = count
  }
  return fits < 0 ? '' : cut(fits)
}
