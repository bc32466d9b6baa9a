import { expect, test } from 'vitest'
import { rttm } from '../../../src/run/rttm.ts'
import type { DiarizationSegment } from '../../../src/run/timeline.ts'

const segment = (speaker: string, user_id: number, start_time: number, end_time: number): DiarizationSegment => ({
  speaker,
  user_id,
  start_time,
  end_time,
  source: 'csrc',
  confidence: 1,
  start_utc: '2026-11-21T09:30:00.000Z',
})

test('a line for each turn, with start and length', () => {
  expect(rttm('b1', [segment('Ann', 1, 0.5, 2.25)])).toBe('SPEAKER b1 1 0.500 1.750 <NA> <NA> Ann <NA> <NA>\n')
})

test('names keep to their field, and two people of one name are two', () => {
  const text = rttm('b1', [segment('Ann  Berg\n', 1, 0, 1), segment('Ben', 2, 1, 2), segment('Ben', 3, 2, 3)])
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(' ')),
  ).toMatchObject([
    { length: 10, 7: 'Ann_Berg' },
    { length: 10, 7: 'Ben_2' },
    { length: 10, 7: 'Ben_3' },
  ])
})

test('no two participants have one label, with any names', () => {
  const names = ['Alex', 'Alex', 'Alex_2', 'Ann Berg', 'Ann\u0085 Berg', '  ']
  const text = rttm(
    'b1',
    names.map((name, index) => segment(name, index + 1, index, index + 1)),
  )
  const labels = text
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[7])
  expect(labels).toEqual(['Alex_1', 'Alex_2_2', 'Alex_2_3', 'Ann_Berg_4', 'Ann_Berg_5', 'Unknown'])
})

test('no speech: no lines', () => {
  expect(rttm('b1', [])).toBe('')
})
