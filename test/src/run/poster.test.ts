import { expect, test } from 'vitest'
import { posterAt } from '../../../src/run/poster.ts'

const turn = (from: number, to: number) => ({ start_time: from, end_time: to })

test.each([
  ['the first speaker, one second in', [turn(30, 40), turn(12, 20)], 13],
  ['the middle of a short turn', [turn(12, 13)], 12.5],
  ['never behind the end', [turn(70, 90)], 60],
  ['the middle where nobody spoke', [], 30],
])('the picture is that of %s', (_what, turns, at) => {
  expect(posterAt(turns, 60)).toBe(at)
})
