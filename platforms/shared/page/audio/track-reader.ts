/**
 * Reads the sound of received tracks as the browser's jitter buffer gives it: before the machine's sound system, which
 * delays it by another 60 ms. A track plays while the page plays it, so the result is what people in the meeting hear.
 */

import { createResampler } from '../../../../packages/core/meeting/resampler.ts'
import { pageNow } from '../page-clock.ts'

/** The rate of all pieces; WebRTC's own sound has it already. */
export const READ_RATE = 48_000

export interface Heard {
  /** Mono, -1 to 1, at `READ_RATE`. */
  samples: Float32Array
  /** UTC milliseconds of the first sample. */
  at: number
}

/** Missing in TypeScript's library: the browser's reader of a track, which works for sound in windows too. */
declare const MediaStreamTrackProcessor: new (options: {
  track: MediaStreamTrack
}) => { readable: ReadableStream<AudioData> }

/** Largest correction of the relation of two clocks, as a share: a crystal drifts by less. */
const CLOCK_DRIFT = 0.001

/** Calls the listener about every 10 ms until the track ends or the returned function is called. */
export function readTrack(track: MediaStreamTrack, listener: (heard: Heard) => void): () => void {
  const reader = new MediaStreamTrackProcessor({ track }).readable.getReader()
  const utcOf = createInstants()
  let resample: { rate: number; run: (samples: Float32Array) => Float32Array } | null = null
  let isOver = false

  async function read(): Promise<void> {
    while (!isOver) {
      const { value, done } = await reader.read()
      if (done) return
      const { sampleRate, timestamp } = value
      const mono = monoOf(value)
      value.close()
      if (resample?.rate !== sampleRate) resample = { rate: sampleRate, run: createResampler(sampleRate, READ_RATE) }
      const samples = sampleRate === READ_RATE ? mono : resample.run(mono)
      listener({ samples, at: utcOf(timestamp / 1000) })
    }
  }
  read().catch((error) => console.warn('A track cannot be read any more', error))

  return () => {
    isOver = true
    reader.cancel().catch(() => {})
  }
}

function monoOf(data: AudioData): Float32Array {
  const mono = new Float32Array(data.numberOfFrames)
  const plane = data.numberOfChannels === 1 ? mono : new Float32Array(data.numberOfFrames)
  for (let planeIndex = 0; planeIndex < data.numberOfChannels; planeIndex++) {
    data.copyTo(plane, { planeIndex, format: 'f32-planar' })
    if (plane === mono) break
    for (let index = 0; index < mono.length; index++) mono[index]! += plane[index]! / data.numberOfChannels
  }
  return mono
}

/**
 * Converts the media clock to UTC, both in milliseconds. A piece that a busy page reads late was not played late: the
 * shortest delay of those seen shows the relation of the clocks.
 */
function createInstants(now: () => number = pageNow): (timestamp: number) => number {
  let offset = Number.POSITIVE_INFINITY
  let last = 0
  return (timestamp) => {
    const drift = Math.abs(timestamp - last) * CLOCK_DRIFT
    offset = Math.min(offset + (Number.isFinite(offset) ? drift : 0), now() - timestamp)
    last = timestamp
    return offset + timestamp
  }
}
