import { expect, test } from 'vitest'
import { holeSeconds } from '../../../bench/many.ts'
import { lostShareOf } from '../../../bench/shared/picture-check.ts'

test('frames that are repeated are not lost, and those that are left out are', () => {
  expect(lostShareOf([1, 1, 2, 3, 3, 4])).toBe(0)
  expect(lostShareOf([1, 2, 4, 5, 6])).toBeCloseTo(1 / 5)
})

test('the loop restarts without a loss', () => {
  expect(lostShareOf([94, 95, 0, 1])).toBe(0)
})

test("flashes and another person's picture are no losses", () => {
  expect(lostShareOf([10, 11, null, null, 14, 15])).toBe(0)
  expect(lostShareOf([10, 11, 60, 61])).toBe(0)
})

test('a recording in which no frame follows another has lost all of them', () => {
  expect(lostShareOf([null, null])).toBe(1)
  expect(lostShareOf([7, 7, 7])).toBe(1)
})

test('silence between sounds is measured to the hundredth of a second', () => {
  const sound = new Float32Array(16_000).map((_, at) => 0.1 * Math.sin(at / 5))
  expect(holeSeconds(sound)).toBe(0)
  sound.fill(0, 4000, 4800)
  expect(holeSeconds(sound)).toBeCloseTo(0.05)
})
