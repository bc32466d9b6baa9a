import { expect, it } from 'vitest'
import { createSourceSampler, FRESH_MS } from '../../../../../platforms/shared/page/audio/contributing-sources.ts'

type Entry = Pick<RTCRtpContributingSource, 'source' | 'audioLevel' | 'timestamp' | 'rtpTimestamp'>

/** Samples the same receivers with other entries at each time; null: they cannot be read. */
function sampler() {
  let now = 0
  let shown: (Entry[] | null)[] = []
  const sample = createSourceSampler(() => now)
  const receivers = [0, 1, 2].map((index) => ({
    getContributingSources() {
      if (shown[index] === null) throw new DOMException('closed', 'InvalidStateError')
      return shown[index] ?? []
    },
  })) as unknown as RTCRtpReceiver[]
  return (at: number, ...entries: typeof shown) => {
    now = at
    shown = entries
    return sample(receivers)
  }
}

const entry = (timestamp: number, rtpTimestamp: number, more: Partial<Entry> = {}): Entry => ({
  ...{ source: 7, audioLevel: 0.5, timestamp, rtpTimestamp },
  ...more,
})

it('gives level and age of what moved since the last call', () => {
  const sample = sampler()
  expect(sample(1_000_000, [entry(999_950, 1, { audioLevel: 0.25 })])).toEqual([{ csrc: 7, level: 0.25, ageMs: 50 }])
  expect(sample(1_000_250, [entry(1_000_200, 2)])).toEqual([{ csrc: 7, level: 0.5, ageMs: 0 }])
})

it('drops entries that the browser keeps after their last packet', () => {
  const sample = sampler()
  const kept = [entry(1_000_000, 1)]
  expect(sample(1_000_000, kept)).toHaveLength(1)
  expect(sample(1_000_000 + FRESH_MS, kept)).toMatchObject([{ ageMs: FRESH_MS }])
  expect(sample(1_000_001 + FRESH_MS, kept)).toEqual([])
})

it('does not take a left-over of another clock for speech, but hears it once it moves', () => {
  const sample = sampler()
  expect(sample(1_000_000_000, [entry(5, 1)])).toEqual([])
  expect(sample(1_000_000_250, [entry(5, 1)])).toEqual([])
  expect(sample(1_000_000_500, [entry(505, 2)])).toEqual([{ csrc: 7, level: 0.5, ageMs: 0 }])
})

it('gives each source once, the newest, and survives a receiver that fails', () => {
  const older = [entry(999_500, 1, { audioLevel: 0.1 })]
  const newer = [entry(999_990, 9, { audioLevel: 0.3 }), entry(1_000_000, 9, { source: 8, audioLevel: undefined })]
  expect(sampler()(1_000_000, older, null, newer)).toEqual([
    { csrc: 7, level: 0.3, ageMs: 10 },
    { csrc: 8, level: 0, ageMs: 0 },
  ])
})
