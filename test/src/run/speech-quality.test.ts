import { expect, test } from 'vitest'
import { speechQuality } from '../../../src/run/speech-quality.ts'
import type { DiarizationSegment } from '../../../src/run/timeline.ts'

const segment = (speaker: string, start_time: number, end_time: number, confidence = 0.9): DiarizationSegment => ({
  speaker,
  user_id: 1,
  start_time,
  end_time,
  source: 'csrc',
  confidence,
  start_utc: '2026-11-21T09:30:00.000Z',
})

test('where every sound has a name nothing is missing, pauses between the turns included', () => {
  const segments = [segment('Ann', 1, 5), segment('Ben', 4, 9), segment('Ann', 11, 15)]
  expect(speechQuality(segments, [{ start: 0.8, end: 15.4 }])).toEqual({
    speech_without_name_seconds: 0,
    first_unnamed_at: null,
    doubtful_seconds: 0,
    first_doubtful_at: null,
  })
})

test('sound without a speaker counts from where it begins, before, between and after turns', () => {
  const audible = [
    { start: 0, end: 20 },
    { start: 30, end: 34 },
  ]
  const segments = [segment('Ann', 5, 8), segment('Ben', 7, 12)]
  expect(speechQuality(segments, audible)).toMatchObject({ speech_without_name_seconds: 17, first_unnamed_at: 0 })
})

test('turns of unknown participants count, except where a participant with a name speaks too', () => {
  const segments = [segment('Unknown', 3, 6), segment('Ann', 5, 8), segment('Unknown', 20, 20.4)]
  expect(speechQuality(segments, [{ start: 3, end: 8 }])).toMatchObject({
    speech_without_name_seconds: 2.4,
    first_unnamed_at: 3,
  })
})

test('turns of signals that contradicted each other are reported, once each', () => {
  const segments = [segment('Ann', 2, 4), segment('Ben', 6, 9, 0.5), segment('Cléo', 7, 10, 0.4)]
  expect(speechQuality(segments, [])).toMatchObject({ doubtful_seconds: 4, first_doubtful_at: 6 })
})
