import { expect, test } from 'vitest'
import { rttm } from '../../../src/run/rttm.ts'
import type { DiarizationSegment } from '../../../src/run/timeline.ts'

const fieldsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
const segment = (speaker: string, user_id: number, start_time: number, end_time: number): DiarizationSegment => ({
  speaker,
  user_id,
  start_time,
  end_time,
  source: 'csrc',
  confidence: 1,
  start_utc: '2026-11-21T09:30:00.000Z',
})

test('a line for each turn, with start and length; no speech: no lines', () => {
  expect(rttm('b1', [segment('Ann', 1, 0.5, 2.25)])).toBe('SPEAKER b1 1 0.500 1.750 <NA> <NA> Ann <NA> <NA>\n')
  expect(rttm('b1', [])).toBe('')
})

test('names keep to their field, and no two participants have one label', () => {
  const names = ['Alex', 'Alex', 'Alex_2', 'Ann  Berg\n', 'Ann\u0085 Berg', '  ', 'Ben  Koch']
  const turns = names.map((name, index) => segment(name, index + 1, index, index + 1))
  const fields = fieldsOf(rttm('b1', turns))
  for (const line of fields) expect(line).toHaveLength(10)
  const labels = fields.map((line) => line[7])
  expect(labels).toEqual(['Alex_1', 'Alex_2_2', 'Alex_2_3', 'Ann_Berg_4', 'Ann_Berg_5', 'Unknown', 'Ben_Koch'])
})
