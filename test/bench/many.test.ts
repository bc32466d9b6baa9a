import { expect, test } from 'vitest'
import { growUntilItBreaks } from '../../bench/many.ts'

/** The numbers that are tried on a machine that runs `capacity` bots, and the result. */
async function found(capacity: number, limit = 32) {
  const tried: number[] = []
  const { most } = await growUntilItBreaks(limit, async (count) => {
    tried.push(count)
    return count <= capacity
  })
  return { most, tried }
}

test('the number is doubled until it breaks, and then the interval is halved', async () => {
  expect(await found(5)).toEqual({ most: 5, tried: [1, 2, 4, 8, 6, 5] })
  expect(await found(12)).toEqual({ most: 12, tried: [1, 2, 4, 8, 16, 12, 14, 13] })
})

test('a machine that fails at the first bot runs none, and is not asked again', async () => {
  expect(await found(0)).toEqual({ most: 0, tried: [1] })
})

test('no number is tried twice, and none above the limit', async () => {
  expect(await found(100, 6)).toEqual({ most: 6, tried: [1, 2, 4, 6] })
  for (let capacity = 0; capacity <= 20; capacity++) {
    const { most, tried } = await found(capacity, 20)
    expect(most).toBe(capacity)
    expect(new Set(tried).size).toBe(tried.length)
  }
})
