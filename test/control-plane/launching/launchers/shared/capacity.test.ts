import { ASSUMED_COST, botLimit, expectedCost } from '@standin/control-plane/launching/launchers/shared/capacity.ts'
import { expect, test } from 'vitest'

const MIB = 1024 * 1024
const GIB = 1024 * MIB
const cost = { cores: 0.5, memoryBytes: GIB }

test('cores limit where there is memory enough', () => {
  expect(botLimit({ cores: 8, availableBytes: 100 * GIB }, cost, 0, 0)).toBe(16)
  // Running bots have taken their memory already, and their share of the cores.
  expect(botLimit({ cores: 8, availableBytes: 100 * GIB }, cost, 10, 2)).toBe(16)
})

test('memory limits where there are cores enough; half a gigabyte is kept', () => {
  expect(botLimit({ cores: 64, availableBytes: 4.6 * GIB }, cost, 0, 0)).toBe(4)
  expect(botLimit({ cores: 64, availableBytes: 4.6 * GIB }, cost, 10, 0)).toBe(14)
})

test('a bot that is starting has yet to take its memory', () => {
  expect(botLimit({ cores: 64, availableBytes: 4.6 * GIB }, cost, 10, 3)).toBe(14)
  expect(botLimit({ cores: 64, availableBytes: 4.6 * GIB }, cost, 0, 4)).toBe(4)
})

test('one bot is always allowed', () => {
  expect(botLimit({ cores: 1, availableBytes: 100 * MIB }, cost, 0, 0)).toBe(1)
  expect(botLimit({ cores: 1, availableBytes: 0 }, { cores: 4, memoryBytes: 8 * GIB }, 0, 0)).toBe(1)
})

test('what was learned counts more with every bot that was seen', () => {
  expect(expectedCost(null)).toEqual(ASSUMED_COST)
  const learned = { cores: 0.1, memoryBytes: 200 * MIB }
  expect(expectedCost({ ...learned, samples: 20 })).toEqual(learned)
  expect(expectedCost({ ...learned, samples: 500 })).toEqual(learned)
  const half = expectedCost({ ...learned, samples: 10 })
  expect(half.cores).toBeCloseTo((0.1 + ASSUMED_COST.cores) / 2)
  expect(half.memoryBytes).toBeCloseTo((200 * MIB + ASSUMED_COST.memoryBytes) / 2)
})
