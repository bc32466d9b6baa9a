import { expect, test } from 'vitest'
import { reconnectDelayMs } from '../../../src/control-link/reconnect-delay.ts'

test('the wait doubles with every failure from 1 to 30 seconds', () => {
  expect([1, 2, 3, 4, 5, 6].map((failures) => reconnectDelayMs(failures, () => 0))).toEqual([
    1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
  ])
  expect([1, 2, 3, 4, 5, 6].map((failures) => reconnectDelayMs(failures, () => 1))).toEqual([
    2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
})

test('the wait stays within its limits however often the link fails', () => {
  for (const failures of [0, 1, 7, 100, 5_000, Number.MAX_SAFE_INTEGER])
    for (let round = 0; round < 200; round++) {
      const delay = reconnectDelayMs(failures)
      expect(delay).toBeGreaterThanOrEqual(1_000)
      expect(delay).toBeLessThanOrEqual(30_000)
    }
})

test('two bots that fail together do not come back together', () => {
  const waits = new Set(Array.from({ length: 50 }, () => reconnectDelayMs(3)))
  expect(waits.size).toBeGreaterThan(10)
})
