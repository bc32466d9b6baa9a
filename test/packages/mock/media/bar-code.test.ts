import { expect, it } from 'vitest'
import {
  type BarCodeCell,
  barCodeCells,
  HIGHEST_FRAME_NUMBER,
  readFrameNumber,
} from '../../../../packages/mock/media/bar-code.ts'
import { picturePainter } from '../../../../packages/mock/media/pictures.ts'

function brightnessOf(cells: BarCodeCell[], dark: number, bright: number) {
  return (x: number, y: number) => {
    const cell = cells.find(
      ({ left, top, width, height }) => x >= left && x < left + width && y >= top && y < top + height,
    )
    return cell === undefined ? 100 : cell.white ? bright : dark
  }
}

it('reads back every frame number, also when the picture lost contrast', () => {
  for (let number = 0; number <= HIGHEST_FRAME_NUMBER; number++) {
    expect(readFrameNumber(brightnessOf(barCodeCells(number), 0, 255))).toBe(number)
    expect(readFrameNumber(brightnessOf(barCodeCells(number), 60, 150))).toBe(number)
  }
})

it('finds no number in a white flash, in another picture or in a damaged code', () => {
  expect(readFrameNumber(() => 255)).toBeNull()
  expect(readFrameNumber((x) => x * 255)).toBeNull()
  const cells = barCodeCells(37)
  cells[4]!.white = !cells[4]!.white
  expect(readFrameNumber(brightnessOf(cells, 0, 255))).toBeNull()
})

it('refuses numbers that do not fit', () => {
  expect(() => barCodeCells(HIGHEST_FRAME_NUMBER + 1)).toThrow(RangeError)
  expect(() => barCodeCells(1.5)).toThrow(RangeError)
})

it('is in every drawn picture, and flash frames are white all over', () => {
  const kinds = [
    { kind: 'camera', moves: false },
    { kind: 'camera', moves: true },
    { kind: 'screen', moves: false },
  ] as const
  for (const { kind, moves } of kinds) {
    const paint = picturePainter({ kind, moves, look: 5, text: 'AB', width: 320, height: 180, fps: 24, flash: true })
    for (const frame of [0, 2, 3, 47, 48, 95]) {
      const pixels = paint(frame)
      const number = readFrameNumber((x, y) => pixels[Math.floor(y * 180) * 320 + Math.floor(x * 320)]!)
      const isFlash = [0, 2, 48].includes(frame)
      expect(number).toBe(isFlash ? null : frame)
      expect(pixels.subarray(0, 320 * 180).every((value) => value === 235)).toBe(isFlash)
    }
  }
})
