import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { syncPlayout } from '../../../../../platforms/shared/page/audio/playout-sync.ts'
import type { TappedTrack, WebRtcTap } from '../../../../../platforms/shared/page/audio/webrtc-tap.ts'
import type { CommonConfig, Playout } from '../../../../../platforms/shared/page/types.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

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
): ((kind: string) => Stream) & { change(playout: Playout): void } {
  const listeners: ((tapped: TappedTrack) => void)[] = []
  const tap: Pick<WebRtcTap, 'onTrack'> = {
    onTrack: (listener) => {
      listeners.push(listener)
      return () => {}
    },
  }
  const change = syncPlayout(tap, { playout, recordingMode, soundAheadMs })
  const arrives = (kind: string) => {
    const stream = new Stream(kind)
    for (const notify of listeners) notify({ receiver: stream, track: stream.track } as unknown as TappedTrack)
    return stream
  }
  return Object.assign(arrives, { change })
}

/** Delays of sound and picture of a recording, in milliseconds. */
const [SOUND, PICTURE] = [250, 295]

test.each(['even', 'live'] as const)(
  '%s: every stream waits for a fixed time, pictures as much longer as sound takes to come out',
  (playout) => {
    const arrives = begin(playout)
    const sound = arrives('audio').jitterBufferTarget ?? 0
    const picture = arrives('video').jitterBufferTarget ?? 0
    expect(sound).toBeGreaterThan(0)
    expect(picture - sound).toBeGreaterThan(0)
    expect(picture - sound).toBeLessThan(150)
  },
)

test.each([
  [0, 0],
  [60, 0],
  [200, 120],
])('of %i ms of sound that is kept ready behind the browser the picture waits for %i', (soundAheadMs, more) => {
  const arrives = begin('even', 'speaker_view', soundAheadMs)
  const delays = [arrives('audio').jitterBufferTarget, arrives('video').jitterBufferTarget]
  expect(delays).toEqual([SOUND, PICTURE + more])
})

test('the delay of sound changes in the meeting, and the picture follows it', async () => {
  const arrives = begin('even')
  const [sound, picture] = [arrives('audio'), arrives('video')]
  for (const [playout, soundMs, pictureMs] of [
    ['live', 40, 85],
    ['even', SOUND, PICTURE],
  ] as const) {
    arrives.change(playout)
    await sound.plays(5, soundMs)
    const delays = [sound, arrives('audio'), picture].map(({ jitterBufferTarget }) => jitterBufferTarget)
    expect(delays).toEqual([soundMs, soundMs, pictureMs])
  }
})

/** Seconds, how much longer than usual sound waited in them, and how much longer the picture waits then. */
test.each<[string, ...[seconds: number, sound: number, picture: number][]]>([
  ['longer for good is followed by every picture, and back again', [10, 120, 120], [10, 60_000, 705], [10, -100, 0]],
  [
    'longer is followed after three seconds, and back after one; one look that errs moves nothing',
    [10, 0, 0],
    [2, 130, 0],
    [1, 120, 120],
    [0.5, 0, 120],
    [3, 120, 120],
    [1, 0, 0],
  ],
  ['a little longer is not worth a change', [10, 8, 0]],
])('sound that waits %s; a stream without speech is ignored', async (_what, ...story) => {
  const arrives = begin('even')
  const [sound, quiet, picture] = [arrives('audio'), arrives('audio'), arrives('video')]
  quiet.sums = { seconds: 0, samples: 1 }
  for (const [seconds, soundMs, pictureMs] of story) {
    await sound.plays(seconds, SOUND + soundMs)
    expect([picture.jitterBufferTarget, arrives('video').jitterBufferTarget]).toEqual(
      Array(2).fill(PICTURE + pictureMs),
    )
  }
})

test('sound that was held up has no delay to keep until it is back at its own, and the picture does not follow', async () => {
  const arrives = begin('even')
  const [sound, other, picture] = [arrives('audio'), arrives('audio'), arrives('video')]
  for (const [seconds, waited, delay] of [
    [10, 5, SOUND],
    [3, 400, 0],
    [10, 0, SOUND],
    [2, 5, SOUND],
    [1, 400, 0],
    [1, 50, 0],
    [1, -20, SOUND],
  ] as const)
    expect(await sound.plays(seconds, SOUND + waited)).toBe(delay)
  expect([other.jitterBufferTarget, picture.jitterBufferTarget]).toEqual([SOUND, PICTURE])
  expect(picture.asked).toBe(0)
})

test('a stream that stalls is left alone, as are streams that have ended or report no delay', async () => {
  const arrives = begin('even')
  const [still, gone, mute] = [arrives('audio'), arrives('audio'), arrives('audio')]
  mute.sums = null
  expect(await mute.plays(2, 900)).toBe(SOUND)
  await vi.advanceTimersByTimeAsync(5000)
  expect(still.jitterBufferTarget).toBe(SOUND)
  gone.track.readyState = 'ended'
  await vi.advanceTimersByTimeAsync(500)
  const { asked } = gone
  await vi.advanceTimersByTimeAsync(5000)
  expect(gone.asked).toBe(asked)
})

test('sound that is recorded alone needs no sync, and its delay is not polled until it is heard live', async () => {
  const arrives = begin('even', 'audio_only')
  const [sound, picture] = [arrives('audio'), arrives('video')]
  expect(await sound.plays(5, 900)).toBe(SOUND)
  expect([sound.asked, picture.jitterBufferTarget]).toEqual([0, PICTURE])
  arrives.change('live')
  expect(await sound.plays(5, 900)).toBe(0)
  expect(picture.jitterBufferTarget).toBe(85)
})
