import { backoff, spread } from '@standin/wire/time/backoff.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const settings = fc
  .record({
    first: fc.double({ min: 0, max: 1e6, noNaN: true }),
    growth: fc.double({ min: 0, max: 1e6, noNaN: true }),
    factor: fc.option(fc.double({ min: 1, max: 10, noNaN: true }), { nil: undefined }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    chance: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ first, growth, factor, jitter, chance }) => ({
    first,
    max: first + growth,
    ...(factor !== undefined && { factor }),
    jitter,
    random: () => chance,
  }))
const tries = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(1e6, Number.MAX_SAFE_INTEGER))

test('a pause is between first and maximum, within the jitter, and with equal luck no shorter than the one before', () => {
  fc.assert(
    fc.property(settings, tries, (backoffOf, count) => {
      const whole = backoff({ ...backoffOf, jitter: 0 }, count)
      const pause = backoff(backoffOf, count)
      expect(whole).toBeGreaterThanOrEqual(backoffOf.first)
      expect(whole).toBeLessThanOrEqual(backoffOf.max)
      expect(pause).toBeLessThanOrEqual(whole)
      expect(pause).toBeGreaterThanOrEqual(whole * (1 - backoffOf.jitter))
      expect(backoff(backoffOf, count + 1)).toBeGreaterThanOrEqual(pause)
    }),
  )
})

test('after a million tries the pause is the maximum', () => {
  for (const factor of [1.5, 2, 3, 10])
    for (const count of [1e6, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])
      expect(backoff({ first: 1, max: 30_000, factor, jitter: 0 }, count)).toBe(30_000)
})

test('the pause doubles from try to try; before any try it is the first one', () => {
  const lowest = { first: 2_000, max: 30_000, jitter: 0.5, random: () => 1 }
  const highest = { ...lowest, random: () => 0 }
  expect([0, 1, 2, 3, 4, 5, 6].map((count) => backoff(lowest, count))).toEqual([
    1_000, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
  ])
  expect([0, 1, 2, 3, 4, 5, 6].map((count) => backoff(highest, count))).toEqual([
    2_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
})

test('two that fail together do not come back together', () => {
  const pauses = new Set(Array.from({ length: 50 }, () => backoff({ first: 2_000, max: 30_000, jitter: 0.5 }, 3)))
  expect(pauses.size).toBeGreaterThan(10)
})

test('a spread value stays within its part, and reaches both ends', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (value, part) => {
        const margin = value * 1e-12
        expect(spread(value, part)).toBeGreaterThanOrEqual(value * (1 - part) - margin)
        expect(spread(value, part)).toBeLessThanOrEqual(value * (1 + part) + margin)
        expect(spread(value, part, () => 0)).toBeCloseTo(value * (1 - part), 0)
        expect(spread(value, part, () => 1)).toBeCloseTo(value * (1 + part), 0)
      },
    ),
  )
})
