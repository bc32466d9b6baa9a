import { describe, expect, test } from 'vitest'
import { offsetAt, pausesOf, recordedMs, recordedParts } from '../../../src/run/recording-clock.ts'

const spans = [
  { startedAt: 1000, endedAt: 5000 },
  { startedAt: 9000, endedAt: null },
]

describe("the recording's own time", () => {
  test.each([
    ['before the first frame', 999, null],
    ['at the first frame', 1000, 0],
    ['before the pause', 4000, 3],
    ['in the pause', 7000, null],
    ['at the first frame after it', 9000, 4],
    ['later', 12_500, 7.5],
  ])('%s', (_, at, offset) => {
    expect(offsetAt(spans, at)).toBe(offset)
  })

  test('has ended after the last span', () => {
    expect(offsetAt([{ startedAt: 0, endedAt: 10 }], 11)).toBeNull()
    expect(offsetAt([], 5)).toBeNull()
  })

  test('a stretch over a pause has two parts that touch', () => {
    expect(recordedParts(spans, 4000, 10_000)).toEqual([
      { start: 3, end: 4, startedAt: 4000 },
      { start: 4, end: 5, startedAt: 9000 },
    ])
  })

  test('a stretch inside a pause was not recorded', () => {
    expect(recordedParts(spans, 5500, 8500)).toEqual([])
  })

  test('counts what was recorded, pauses removed', () => {
    expect(recordedMs(spans, 10_000)).toBe(5000)
    expect(recordedMs(spans, 8000)).toBe(4000)
  })

  test.each<[string, number[], number, ('encoder_died' | 'sound_lost')?]>([
    ['no gap: a command paused it', [], 1],
    ['a gap between the spans', [5000], 0],
    ['a gap before the first span', [500], 1],
    ['a gap after the last span', [12_000], 1],
    ['gaps between and after', [5000, 12_000], 0],
    ['a gap of the sound alone', [4000], 1, 'sound_lost'],
  ])('pauses with %s', (_, starts, pauses, reason = 'encoder_died') => {
    const gaps = starts.map((at) => ({
      started_at: new Date(at).toISOString(),
      ended_at: new Date(at + 500).toISOString(),
      offset: 4,
      seconds: 0.5,
      reason,
    }))
    expect(pausesOf(spans, gaps)).toBe(pauses)
  })
})
