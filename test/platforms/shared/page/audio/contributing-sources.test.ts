import { expect, it } from 'vitest'
import { createSourceSampler, FRESH_MS } from '../../../../../platforms/shared/page/audio/contributing-sources.ts'

type Entry = { source: number; audioLevel?: number; timestamp: number; rtpTimestamp: number }

function receiver(read: () => Entry[]): RTCRtpReceiver {
  return { getContributingSources: read } as unknown as RTCRtpReceiver
}

function clock(start: number) {
  const time = { now: start }
  return { time, read: () => time.now }
}

it('gives level and age of what moved since the last call', () => {
  const { time, read } = clock(1_000_000)
  const sample = createSourceSampler(read)
  const entries: Entry[] = [{ source: 7, audioLevel: 0.25, timestamp: 999_950, rtpTimestamp: 1 }]
  const receivers = [receiver(() => entries)]
  expect(sample(receivers)).toEqual([{ csrc: 7, level: 0.25, ageMs: 50 }])
  time.now += 250
  entries[0] = { source: 7, audioLevel: 0.5, timestamp: 1_000_200, rtpTimestamp: 2 }
  expect(sample(receivers)).toEqual([{ csrc: 7, level: 0.5, ageMs: 0 }])
})

it('drops entries that the browser keeps after their last packet', () => {
  const { time, read } = clock(1_000_000)
  const sample = createSourceSampler(read)
  const receivers = [receiver(() => [{ source: 7, audioLevel: 0.5, timestamp: 1_000_000, rtpTimestamp: 1 }])]
  expect(sample(receivers)).toHaveLength(1)
  time.now += FRESH_MS
  expect(sample(receivers)).toMatchObject([{ ageMs: FRESH_MS }])
  time.now += 1
  expect(sample(receivers)).toEqual([])
})

it('does not take a left-over of another clock for speech, but hears it once it moves', () => {
  const { time, read } = clock(1_000_000_000)
  const sample = createSourceSampler(read)
  let entry: Entry = { source: 7, audioLevel: 0.5, timestamp: 5, rtpTimestamp: 1 }
  const receivers = [receiver(() => [entry])]
  expect(sample(receivers)).toEqual([])
  time.now += 250
  expect(sample(receivers)).toEqual([])
  time.now += 250
  entry = { ...entry, timestamp: 505, rtpTimestamp: 2 }
  expect(sample(receivers)).toEqual([{ csrc: 7, level: 0.5, ageMs: 0 }])
})

it('gives each source once, the newest, and survives a receiver that fails', () => {
  const { read } = clock(1_000_000)
  const sample = createSourceSampler(read)
  const older = receiver(() => [{ source: 7, audioLevel: 0.1, timestamp: 999_500, rtpTimestamp: 1 }])
  const newer = receiver(() => [
    { source: 7, audioLevel: 0.3, timestamp: 999_990, rtpTimestamp: 9 },
    { source: 8, timestamp: 1_000_000, rtpTimestamp: 9 },
  ])
  const broken = receiver(() => {
    throw new DOMException('closed', 'InvalidStateError')
  })
  expect(sample([older, broken, newer])).toEqual([
    { csrc: 7, level: 0.3, ageMs: 10 },
    { csrc: 8, level: 0, ageMs: 0 },
  ])
})
