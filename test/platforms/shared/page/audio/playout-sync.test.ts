import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { syncPlayout } from '../../../../../platforms/shared/page/audio/playout-sync.ts'
import type { TappedTrack, WebRtcTap } from '../../../../../platforms/shared/page/audio/webrtc-tap.ts'
import type { CommonConfig, Playout } from '../../../../../platforms/shared/page/types.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const SAMPLES_A_SECOND = 48_000

/** A stream whose sound has waited in the jitter buffer for as long as the test says, at each moment. */
class Stream {
  readonly track = { kind: '', readyState: 'live' }
  jitterBufferTarget: number | null = null
  asked = 0
  /** The current statistics; null if they are not available. */
  sums: { seconds: number; samples: number } | null = { seconds: 0, samples: 0 }

  constructor(kind: string) {
    this.track.kind = kind
  }

  async getStats(): Promise<Map<string, object>> {
    this.asked++
    if (this.sums === null) throw new Error('closed')
    const { seconds: jitterBufferDelay, samples: jitterBufferEmittedCount } = this.sums
    return new Map<string, object>([
      ['codec', { type: 'codec' }],
      ['sound', { type: 'inbound-rtp', jitterBufferDelay, jitterBufferEmittedCount }],
    ])
  }

  /** Time goes by in which each sample waited so long. */
  async plays(seconds: number, waitedMs: number): Promise<number | null> {
    for (let half = 0; half < seconds * 2; half++) {
      if (this.sums !== null) {
        this.sums.samples += SAMPLES_A_SECOND / 2
        this.sums.seconds += (SAMPLES_A_SECOND / 2) * (waitedMs / 1000)
      }
      await vi.advanceTimersByTimeAsync(500)
    }
    return this.jitterBufferTarget
  }
}

function begin(
  playout: Playout,
  recordingMode: CommonConfig['recordingMode'] = 'speaker_view',
  soundAheadMs?: number,
): (kind: string) => Stream {
  const listeners: ((tapped: TappedTrack) => void)[] = []
  const tap: Pick<WebRtcTap, 'onTrack'> = {
    onTrack: (listener) => {
      listeners.push(listener)
      return () => {}
    },
  }
  syncPlayout(tap, { playout, recordingMode, soundAheadMs })
  return (kind) => {
    const stream = new Stream(kind)
    for (const notify of listeners) notify({ receiver: stream, track: stream.track } as unknown as TappedTrack)
    return stream
  }
}

test.each(['even', 'live'] as const)(
  '%s: every stream waits for a fixed time, pictures as much longer as sound takes to come out',
  (playout) => {
    const arrives = begin(playout)
    const sound = arrives('audio').jitterBufferTarget ?? 0
    const picture = arrives('video').jitterBufferTarget ?? 0
    expect(sound).toBeGreaterThan(0)
    expect(picture).toBeGreaterThan(sound)
    expect(picture - sound).toBeLessThan(150)
  },
)

test('the picture waits as well for the sound that is kept ready behind the browser, but for what is there anyway', () => {
  const [usual, little, ahead] = [0, 60, 200].map((ms) => begin('even', 'speaker_view', ms))
  expect(ahead!('audio').jitterBufferTarget).toBe(usual!('audio').jitterBufferTarget)
  const ofPicture = usual!('video').jitterBufferTarget!
  expect(little!('video').jitterBufferTarget).toBe(ofPicture)
  expect(ahead!('video').jitterBufferTarget).toBe(ofPicture + 120)
})

describe('sound that waits longer for good', () => {
  test('is followed by every picture, and back again; a stream without speech is ignored', async () => {
    const arrives = begin('even')
    const [sound, quiet, picture] = [arrives('audio'), arrives('audio'), arrives('video')]
    const own = sound.jitterBufferTarget!
    const ofPicture = picture.jitterBufferTarget!
    quiet.sums = { seconds: 0, samples: 1 }
    await sound.plays(10, own + 120)
    expect(picture.jitterBufferTarget).toBe(ofPicture + 120)
    expect(arrives('video').jitterBufferTarget).toBe(ofPicture + 120)
    await sound.plays(10, 60_000)
    expect(picture.jitterBufferTarget).toBe(1000)
    await sound.plays(10, own - 100)
    expect(picture.jitterBufferTarget).toBe(ofPicture)
  })

  test('is followed after three seconds, and back after one; one look that errs moves nothing', async () => {
    const arrives = begin('even')
    const [sound, picture] = [arrives('audio'), arrives('video')]
    const own = sound.jitterBufferTarget!
    const ofPicture = picture.jitterBufferTarget!
    await sound.plays(10, own)
    await sound.plays(2, own + 130)
    expect(picture.jitterBufferTarget).toBe(ofPicture)
    await sound.plays(1, own + 120)
    expect(picture.jitterBufferTarget).toBe(ofPicture + 120)
    await sound.plays(0.5, own)
    await sound.plays(3, own + 120)
    expect(picture.jitterBufferTarget).toBe(ofPicture + 120)
    await sound.plays(1, own)
    expect(picture.jitterBufferTarget).toBe(ofPicture)
  })

  test('by little is not worth a change', async () => {
    const arrives = begin('even')
    const [sound, picture] = [arrives('audio'), arrives('video')]
    const ofPicture = picture.jitterBufferTarget!
    await sound.plays(10, sound.jitterBufferTarget! + 8)
    expect(picture.jitterBufferTarget).toBe(ofPicture)
  })
})

describe('sound that was held up', () => {
  test('has no delay to keep until it is back at its own, and the picture does not follow a moment', async () => {
    const arrives = begin('even')
    const [sound, other, picture] = [arrives('audio'), arrives('audio'), arrives('video')]
    const own = sound.jitterBufferTarget!
    const ofPicture = picture.jitterBufferTarget
    expect(await sound.plays(10, own + 5)).toBe(own)
    expect(await sound.plays(3, own + 400)).toBe(0)
    expect(await sound.plays(10, own)).toBe(own)
    expect(picture.jitterBufferTarget).toBe(ofPicture)
    expect(await sound.plays(2, own + 5)).toBe(own)
    expect(await sound.plays(1, own + 400)).toBe(0)
    expect(await sound.plays(1, own + 50)).toBe(0)
    expect(await sound.plays(1, own - 20)).toBe(own)
    expect([other.jitterBufferTarget, picture.jitterBufferTarget]).toEqual([own, ofPicture])
    expect(picture.asked).toBe(0)
  })

  test('and stalls is left alone, as are streams that have ended or report no delay', async () => {
    const arrives = begin('even')
    const [still, gone, mute] = [arrives('audio'), arrives('audio'), arrives('audio')]
    const own = still.jitterBufferTarget!
    mute.sums = null
    expect(await mute.plays(2, 900)).toBe(own)
    await vi.advanceTimersByTimeAsync(5000)
    expect(still.jitterBufferTarget).toBe(own)
    gone.track.readyState = 'ended'
    await vi.advanceTimersByTimeAsync(500)
    const { asked } = gone
    await vi.advanceTimersByTimeAsync(5000)
    expect(gone.asked).toBe(asked)
  })
})

test('sound that is recorded alone needs no sync, and its delay is not polled', async () => {
  const sound = begin('even', 'audio_only')('audio')
  const own = sound.jitterBufferTarget!
  expect(own).toBeGreaterThan(0)
  expect(await sound.plays(5, 900)).toBe(own)
  expect(sound.asked).toBe(0)
})
