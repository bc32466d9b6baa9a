import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../../../../../packages/core/process/page-scripts.ts'
import type { Pixels } from '../../../../../../platforms/shared/page/picture/frames/pixels.ts'
import { compileToWasm } from '../../../../../../scripts/build.ts'

let pixels: Pixels

beforeAll(async () => {
  const module = await compileToWasm(join(packageRoot, 'platforms/shared/page/picture/frames/pixels/index.ts'))
  const { instance } = await WebAssembly.instantiate(module, { env: { abort: () => expect.unreachable() } })
  pixels = instance.exports as unknown as Pixels
})

/** A copy of the bytes at this address. */
const read = (address: number, bytes: number) => new Uint8Array(pixels.memory.buffer, address, bytes).slice()

function put(bytes: Uint8Array): number {
  const address = pixels.allocate(bytes.length)
  new Uint8Array(pixels.memory.buffer, address, bytes.length).set(bytes)
  return address
}

/** Smooth, and different in every place. */
function hills(width: number, height: number): Uint8Array {
  return Uint8Array.from({ length: width * height }, (_, index) => {
    const [x, y] = [index % width, Math.floor(index / width)]
    return Math.round(128 + 60 * Math.sin(x / 9) + 60 * Math.cos(y / 7))
  })
}

function bilinear(plane: Uint8Array, width: number, height: number, x: number, y: number): number {
  const at = (column: number, row: number) =>
    plane[Math.min(Math.max(row, 0), height - 1) * width + Math.min(Math.max(column, 0), width - 1)]!
  const [left, top] = [Math.floor(x), Math.floor(y)]
  const [right, down] = [x - left, y - top]
  const upper = at(left, top) * (1 - right) + at(left + 1, top) * right
  const lower = at(left, top + 1) * (1 - right) + at(left + 1, top + 1) * right
  return upper * (1 - down) + lower * down
}

test.each([
  { what: 'larger', width: 64, height: 36, from: [0, 0, 64, 36], columns: 117, rows: 66 },
  { what: 'smaller', width: 100, height: 80, from: [0, 0, 100, 80], columns: 60, rows: 50 },
  { what: 'a part, between pixels', width: 70, height: 50, from: [10.5, 3.25, 40.5, 30.5], columns: 50, rows: 38 },
  { what: 'narrower than one read', width: 6, height: 4, from: [0, 0, 6, 4], columns: 21, rows: 14 },
  { what: 'as it is', width: 48, height: 30, from: [0, 0, 48, 30], columns: 48, rows: 30 },
])('scales a plane, $what, and writes nothing beside its place', ({ width, height, from, columns, rows }) => {
  const [x, y, spanX, spanY] = from as [number, number, number, number]
  const plane = hills(width, height)
  const stride = columns + 10
  const source = put(plane)
  const target = put(new Uint8Array(stride * rows).fill(7))
  const table = pixels.allocate(pixels.bytesOfTable(columns))
  pixels.makeTable(table, x, spanX, columns, width)
  pixels.scale(source, width, height, y, spanY, table, target, stride, columns, rows)
  const scaled = read(target, stride * rows)
  let worst = 0
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < stride; column++) {
      const pixel = scaled[row * stride + column]!
      if (column >= columns) expect(pixel).toBe(7)
      else {
        const place = [x + ((column + 0.5) * spanX) / columns - 0.5, y + ((row + 0.5) * spanY) / rows - 0.5] as const
        worst = Math.max(worst, Math.abs(pixel - bilinear(plane, width, height, ...place)))
      }
    }
  expect(worst).toBeLessThan(1.6)
  for (const address of [source, target, table]) pixels.release(address)
})

test('halves a plane of any size, each pixel the mean of four', () => {
  const [width, height] = [51, 21]
  const plane = hills(width, height)
  const target = pixels.allocate(25 * 10)
  pixels.halve(put(plane), width, width, height, target)
  const halved = read(target, 25 * 10)
  for (let row = 0; row < 10; row++)
    for (let column = 0; column < 25; column++) {
      const at = row * 2 * width + column * 2
      const sum = plane[at]! + plane[at + 1]! + plane[at + width]! + plane[at + width + 1]!
      expect(halved[row * 25 + column]).toBe((sum + 2) >> 2)
    }
})

test('lays one plane over another as far as the alpha says', () => {
  const [stride, columns, rows] = [32, 27, 2]
  const over = put(new Uint8Array(stride * rows).fill(200))
  const target = put(new Uint8Array(stride * rows).fill(100))
  const alpha = put(Uint8Array.from({ length: stride * rows }, (_, index) => [0, 64, 128][index % 3]!))
  pixels.blend(over, alpha, target, stride, columns, rows)
  const expected = Array.from({ length: stride * rows }, (_, index) =>
    index % stride < columns ? [100, 150, 200][index % 3] : 100,
  )
  expect([...read(target, stride * rows)]).toEqual(expected)
})

test.each([1, 15, 16, 17, 40])('of %i bytes, each makes a difference', (bytes) => {
  const one = hills(bytes, 1)
  // What lies behind them does not count.
  const [first, second] = [put(Uint8Array.of(...one, 1)), put(Uint8Array.of(...one, 2))]
  expect(pixels.equal(first, second, bytes)).toBe(1)
  for (let at = 0; at < bytes; at++) {
    const changed = one.with(at, one[at]! ^ 1)
    expect(pixels.equal(first, put(changed), bytes), `byte ${at}`).toBe(0)
  }
})

test('turns a plane clockwise', () => {
  const plane = put(Uint8Array.of(1, 2, 3, 4, 5, 6))
  const target = pixels.allocate(6)
  const turned = (quarters: number) => {
    pixels.turn(plane, 3, 2, quarters, target)
    return [...read(target, 6)]
  }
  expect(turned(1)).toEqual([4, 1, 5, 2, 6, 3])
  expect(turned(2)).toEqual([6, 5, 4, 3, 2, 1])
  expect(turned(3)).toEqual([3, 6, 2, 5, 1, 4])
})

test('colors become those of BT.601 in its limited range', () => {
  const colors = [
    { rgba: [0, 0, 0, 255], yuv: [16, 128, 128] },
    { rgba: [255, 255, 255, 255], yuv: [235, 128, 128] },
    { rgba: [255, 0, 0, 255], yuv: [82, 90, 240] },
    { rgba: [0, 255, 0, 255], yuv: [145, 54, 34] },
    { rgba: [0, 0, 255, 255], yuv: [41, 240, 110] },
  ]
  for (const { rgba, yuv } of colors) {
    const source = put(Uint8Array.from({ length: 16 }, (_, index) => rgba[index % 4]!))
    const [y, u, v] = [pixels.allocate(4), pixels.allocate(1), pixels.allocate(1)]
    pixels.fromRgba(source, 2, 2, y, u, v, 2, 0, 0)
    const found = [read(y, 4)[3]!, read(u, 1)[0]!, read(v, 1)[0]!]
    for (const [index, value] of yuv.entries()) expect(Math.abs(found[index]! - value), rgba.join()).toBeLessThan(2)
  }
})

test('what is transparent lends its color to no neighbor', () => {
  const white = [255, 255, 255, 255]
  const nothing = [255, 0, 0, 0]
  const source = put(Uint8Array.from([white, nothing, nothing, nothing].flat()))
  const [y, u, v] = [pixels.allocate(4), pixels.allocate(1), pixels.allocate(1)]
  const [alphaY, alphaC] = [pixels.allocate(4), pixels.allocate(1)]
  pixels.fromRgba(source, 2, 2, y, u, v, 2, alphaY, alphaC)
  expect([...read(u, 1), ...read(v, 1)]).toEqual([128, 128])
  expect([...read(alphaY, 4)]).toEqual([128, 0, 0, 0])
  expect([...read(alphaC, 1)]).toEqual([32])
})
