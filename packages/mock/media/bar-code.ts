/**
 * The frame number as black and white cells inside every mock picture, so that a recording can be checked for
 * lost, doubled or swapped frames by a machine. Places are fractions of the picture, so any scaling can be read.
 */

const NUMBER_BITS = 9
/** Cells from left to right: white, black, the bits (highest first), even parity, white. */
const CELLS = NUMBER_BITS + 4
const TOP = 0.1
const HEIGHT = 0.07
const LEFT = 0.175
const CELL_WIDTH = 0.05
/** A bar code whose white and black differ less than this (of 255) was not there or is no longer readable. */
const MIN_CONTRAST = 60

const HIGHEST_FRAME_NUMBER = 2 ** NUMBER_BITS - 1

export interface BarCodeCell {
  /** All four as fractions of the picture's width or height. */
  left: number
  top: number
  width: number
  height: number
  white: boolean
}

/** @throws RangeError when the number does not fit */
export function barCodeCells(frameNumber: number): BarCodeCell[] {
  if (!Number.isInteger(frameNumber) || frameNumber < 0 || frameNumber > HIGHEST_FRAME_NUMBER) {
    throw new RangeError(`A frame number is an integer from 0 to ${HIGHEST_FRAME_NUMBER}, not ${frameNumber}`)
  }
  const bits = Array.from({ length: NUMBER_BITS }, (_, i) => ((frameNumber >> (NUMBER_BITS - 1 - i)) & 1) === 1)
  const parity = bits.filter(Boolean).length % 2 === 1
  return [true, false, ...bits, parity, true].map((white, i) => ({
    left: LEFT + i * CELL_WIDTH,
    top: TOP,
    width: CELL_WIDTH,
    height: HEIGHT,
    white,
  }))
}

/**
 * Reads the frame number back.
 * @param brightness of the picture (0 to 255) at a place given as fractions of its width and height
 * @returns null when there is no readable bar code (a white flash, another picture, too much damage)
 */
export function readFrameNumber(brightness: (x: number, y: number) => number): number | null {
  const values = Array.from({ length: CELLS }, (_, i) => {
    const x = LEFT + (i + 0.5) * CELL_WIDTH
    const y = TOP + HEIGHT / 2
    const dx = CELL_WIDTH / 5
    return (brightness(x - dx, y) + brightness(x, y) + brightness(x + dx, y)) / 3
  })
  const white = Math.min(values[0]!, values[CELLS - 1]!)
  const black = values[1]!
  if (white - black < MIN_CONTRAST) return null
  const read = values.map((value) => value > (white + black) / 2)
  const bits = read.slice(2, 2 + NUMBER_BITS)
  const parity = bits.filter(Boolean).length % 2 === 1
  if (parity !== read[2 + NUMBER_BITS]) return null
  return bits.reduce((number, bit) => number * 2 + (bit ? 1 : 0), 0)
}
