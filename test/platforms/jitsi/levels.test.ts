import { expect, test } from 'vitest'
import { createLevelReader, ownerOfReceiver } from '../../../platforms/jitsi/page/levels.ts'
import type { StoreView } from '../../../platforms/jitsi/page/store.ts'
import type { TappedTrack } from '../../../platforms/shared/page/audio/webrtc-tap.ts'

function receiver(entries: () => { audioLevel?: number; timestamp: number }[]): RTCRtpReceiver {
  const getSynchronizationSources = () => entries().map((entry) => ({ source: 7, rtpTimestamp: 1, ...entry }))
  return { track: { id: 'track' }, getSynchronizationSources } as unknown as RTCRtpReceiver
}

test('each receiver is the voice of its owner, as long as packets come', () => {
  let now = 1000
  let timestamp = 0
  const read = createLevelReader(() => now)
  const one = receiver(() => [{ audioLevel: 0.4, timestamp }])
  const look = () => read([one], () => 'ann')
  expect(look()).toEqual([{ participantIds: ['ann'], level: 0.4, ageMs: 0 }])
  now += 900
  expect(look()).toMatchObject([{ ageMs: 900 }])
  now += 900
  // The browser keeps the last entry long after the last packet.
  expect(look()).toEqual([])
  timestamp++
  expect(look()).toMatchObject([{ ageMs: 0 }])
})

test('a level without a known owner is not reported, and the absence of all levels is distinguished from silence', () => {
  const read = createLevelReader(() => 0)
  expect(read([receiver(() => [])], () => 'ann')).toBeNull()
  expect(read([receiver(() => [{ timestamp: 0 }])], () => 'ann')).toBeNull()
  expect(read([receiver(() => [{ audioLevel: 0.5, timestamp: 0 }])], () => null)).toEqual([])
  expect(read([receiver(() => [])], () => 'ann')).toEqual([])
})

test('a receiver that is being closed says nothing', () => {
  const broken = {
    track: {},
    getSynchronizationSources: () => {
      throw new Error('closed')
    },
  } as unknown as RTCRtpReceiver
  expect(createLevelReader(() => 0)([broken], () => 'ann')).toBeNull()
})

test("whose voice it is, the page's state says, and the name of the stream where there is no such state", () => {
  const one = receiver(() => [])
  const stream = { id: '05eb14f7-audio-0-1' } as MediaStream
  const tapped = [{ receiver: one, streams: [stream] }] as unknown as TappedTrack[]
  const store = (ownerId: string, track: unknown) =>
    ({ tracks: [{ ownerId, kind: 'audio', isMuted: false, track, stream: null }] }) as unknown as StoreView
  expect(ownerOfReceiver(one, store('cccc2222', one.track), tapped)).toBe('cccc2222')
  // With renamed streams a receiver is between two owners for a moment.
  expect(ownerOfReceiver(one, store('cccc2222', {}), tapped)).toBeNull()
  expect(ownerOfReceiver(one, null, tapped)).toBe('05eb14f7')
  expect(ownerOfReceiver(one, null, [])).toBeNull()
})
