/**
 * A small bitmap alphabet, 5 wide and 7 high, so that mock pictures need no font on the machine. Each glyph is seven
 * rows of two hexadecimal digits, top to bottom; the highest of the five bits is the left column.
 */
const GLYPHS: Record<string, string> = {
  A: '0e11111f111111',
  B: '1e11111e11111e',
  C: '0e11101010110e',
  D: '1e11111111111e',
  E: '1f10101e10101f',
  F: '1f10101e101010',
  G: '0e11101713110f',
  H: '1111111f111111',
  I: '0e04040404040e',
  J: '0702020202120c',
  K: '11121418141211',
  L: '1010101010101f',
  M: '111b1515111111',
  N: '11191513111111',
  O: '0e11111111110e',
  P: '1e11111e101010',
  Q: '0e11111115120d',
  R: '1e11111e141211',
  S: '0f10100e01011e',
  T: '1f040404040404',
  U: '1111111111110e',
  V: '11111111110a04',
  W: '1111111515150a',
  X: '11110a040a1111',
  Y: '11110a04040404',
  Z: '1f01020408101f',
  0: '0e11131519110e',
  1: '040c040404040e',
  2: '0e11010204081f',
  3: '0e11010601110e',
  4: '02060a121f0202',
  5: '1f101e0101110e',
  6: '0e10101e11110e',
  7: '1f010204080808',
  8: '0e11110e11110e',
  9: '0e11110f01010e',
  '-': '0000001f000000',
  ':': '00040400040400',
}

export const GLYPH_WIDTH = 5
export const GLYPH_HEIGHT = 7

/** The filled cells of a character as [column, row]; null when the alphabet does not have it. */
export function glyphCells(character: string): [number, number][] | null {
  const rows = Object.hasOwn(GLYPHS, character) ? GLYPHS[character] : undefined
  if (rows === undefined) return null
  const cells: [number, number][] = []
  for (let row = 0; row < GLYPH_HEIGHT; row++) {
    const bits = Number.parseInt(rows.slice(row * 2, row * 2 + 2), 16)
    for (let column = 0; column < GLYPH_WIDTH; column++) {
      if ((bits >> (GLYPH_WIDTH - 1 - column)) & 1) cells.push([column, row])
    }
  }
  return cells
}

/** First letters of the first and last word as far as the alphabet has them; may be empty. */
export function initialsOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .toUpperCase()
    .split(/\s+/)
    .map((word) => [...word].find((character) => /[A-Z0-9]/.test(character)))
    .filter((letter) => letter !== undefined)
  return words.length > 1 ? `${words[0]}${words.at(-1)}` : (words[0] ?? '')
}
