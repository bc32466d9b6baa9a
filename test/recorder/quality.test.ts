import { describe, expect, test } from 'vitest'
import { createHistogram, createQualityWatch, type QualityWatch } from '../../recorder/quality.ts'

const START = Date.parse('2026-11-21T09:00:00.000Z')
const RATE = 48_000

/** A span of so many seconds whose encoder is `lagMs` and one frame behind. */
function run(watch: QualityWatch, seconds: number, { lagMs = 80, repeatedFrames = 0, from = 0 } = {}): void {
  if (from === 0) watch.beginSpan(START)
  for (let second = from + 1; second <= from + seconds; second++)
    watch.progress(
      { frames: second * 25, seconds: second, repeatedFrames, isLast: false },
      START + second * 1000 + lagMs,
    )
}

const last = (seconds: number, repeatedFrames = 0) => ({ frames: seconds * 25, seconds, repeatedFrames, isLast: true })

describe('a recording that measures itself', () => {
  test('says nothing bad of one that ran well', () => {
    const watch = createQualityWatch(25, RATE)
    run(watch, 60)
    watch.report('[Parsed_volumedetect_0 @ 0x5645c7ff7e00] n_samples: 5760000', START + 60_000)
    watch.endSpan(last(60))
    expect(watch.figures()).toEqual({
      sound_picture_offset_ms: 0,
      drift_ms: 0,
      frames_expected: 1500,
      frames_captured: 1500,
      frames_lost: 0,
      longest_gap_seconds: 0,
      clipped_share: 0,
      silent_share: 0,
      encoder_lag_ms: { median: 120, worst: 120 },
    })
  })

  test('counts repeated frames over spans, and how long the longest picture stood for others', () => {
    const watch = createQualityWatch(25, RATE)
    run(watch, 10, { repeatedFrames: 5 })
    watch.report('*** 4 dup!', START)
    watch.report('*** dropping frame 89 from stream 0 at ts 88', START)
    watch.endSpan(last(10, 5))
    run(watch, 10)
    watch.report('*** 17 dup!', START)
    expect(watch.figures().frames_lost).toBe(5)
    watch.endSpan(last(10, 20))
    expect(watch.figures()).toMatchObject({
      frames_expected: 500,
      frames_captured: 475,
      frames_lost: 25,
      longest_gap_seconds: 18 / 25,
    })
  })

  test('adds up the corrections that kept the sound in sync: slow ones, and ones at once', () => {
    const watch = createQualityWatch(25, RATE)
    watch.beginSpan(START)
    // Before the first second the sound is put in its place; that is no drift.
    watch.report('[SWR @ 0x55] adding 4000 audio samples of silence', START)
    run(watch, 5)
    const slowly = '[SWR @ 0x55] compensating audio timestamp drift:0.012000 compensation:576 in:48000'
    watch.report(slowly, START + 5_000)
    watch.report(slowly, START + 5_500)
    run(watch, 5, { from: 5 })
    watch.report('[SWR @ 0x55] adding 9600 audio samples of silence', START + 10_000)
    watch.endSpan(last(10))
    // Half a second and a whole one at 12 ms a second, then a hole of 200 ms.
    expect(watch.figures().drift_ms).toBeCloseTo(6 + 12 + 200, 0)
    expect(watch.figures().sound_picture_offset_ms).toBe(-200)
  })

  test('tells clipped and silent shares', () => {
    const watch = createQualityWatch(25, RATE)
    run(watch, 20)
    watch.silence(true, 2)
    watch.silence(false, 7)
    watch.silence(true, 15)
    expect(watch.figures().silent_share).toBe(0.5)
    watch.report('[Parsed_volumedetect_0 @ 0x56] n_samples: 2000000', START)
    watch.report('[Parsed_volumedetect_0 @ 0x56] histogram_0db: 1000', START)
    watch.endSpan(last(20))
    expect(watch.figures()).toMatchObject({ clipped_share: 0.0005, silent_share: 0.5 })
  })

  test('has no figures of pictures where only sound is recorded, and no level that was never reported', () => {
    const watch = createQualityWatch(null, RATE)
    watch.beginSpan(START)
    watch.progress({ frames: 0, seconds: 4, repeatedFrames: 0, isLast: false }, START + 4_150)
    expect(watch.figures()).toMatchObject({
      sound_picture_offset_ms: null,
      drift_ms: null,
      frames_expected: 0,
      clipped_share: null,
      encoder_lag_ms: { median: 150, worst: 150 },
    })
  })
})

test('a histogram has the median of what it was given, and the worst', () => {
  const histogram = createHistogram()
  expect([histogram.count, histogram.median(), histogram.worst]).toEqual([0, 0, 0])
  for (const ms of [-3, 12, 61, 63, 64_000]) histogram.add(ms)
  expect([histogram.count, histogram.median(), histogram.worst]).toEqual([5, 60, 64_000])
})
