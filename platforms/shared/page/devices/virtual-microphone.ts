/** A microphone that is silent until sound is played. */
import { createResampler } from '../../../../packages/core/meeting/resampler.ts'
import type { Playout } from '../types.ts'

/** The first samples are played this much later, so that the next ones arrive in time. */
const LEAD_SECONDS = 0.06

/**
 * Silence is sound too: the browser makes it as often as a microphone captures, by default a hundred times a second.
 * Larger pieces save a hundredth of a core (bench/notes/2026-11-22-ways-to-capture.md); a bot that talks with the
 * meeting needs a short delay.
 */
const PIECE_SECONDS: Readonly<Record<Playout, number>> = { live: 0.01, even: 0.04 }

export function createVirtualMicrophone(playout: Playout) {
  let graph: { context: AudioContext; output: MediaStreamAudioDestinationNode } | null = null
  let resample: { rate: number; run: (samples: Float32Array) => Float32Array } | null = null
  let queuedUntil = 0
  const queued = new Set<AudioBufferSourceNode>()
  const Context = globalThis.AudioContext

  function openGraph() {
    if (graph) return graph
    // Without an output device: the bot's voice must never be audible on the machine, where it would be recorded.
    const nowhere = { sampleRate: 48_000, sinkId: { type: 'none' }, latencyHint: PIECE_SECONDS[playout] }
    const context = new Context(nowhere as AudioContextOptions)
    const output = context.createMediaStreamDestination()
    output.channelCount = 1
    graph = { context, output }
    return graph
  }

  function clear(): void {
    for (const source of queued) source.stop()
    queued.clear()
    queuedUntil = 0
    resample = null
  }

  return {
    open(): MediaStreamTrack {
      const { context, output } = openGraph()
      context.resume().catch(() => {})
      const track = output.stream.getAudioTracks()[0]
      if (!track) throw new Error('This browser cannot make a microphone')
      return track.clone()
    },
    /** Sends the track's sound too, until the returned function is called. */
    mixIn(track: MediaStreamTrack): () => void {
      const { context, output } = openGraph()
      context.resume().catch(() => {})
      const source = context.createMediaStreamSource(new MediaStream([track]))
      source.connect(output)
      return () => source.disconnect()
    },
    /** Seconds that are now queued. */
    play(samples: Float32Array | Int16Array, sampleRate: number): number {
      if (!(sampleRate >= 8000 && sampleRate <= 192_000))
        throw new RangeError(`Sample rate ${sampleRate} is not usable`)
      const { context, output } = openGraph()
      context.resume().catch(() => {})
      if (queuedUntil < context.currentTime) {
        queuedUntil = context.currentTime + LEAD_SECONDS
        resample = null
      }
      if (resample?.rate !== sampleRate) {
        resample = { rate: sampleRate, run: createResampler(sampleRate, context.sampleRate) }
      }
      const converted = resample.run(asFloats(samples))
      if (converted.length > 0) {
        const buffer = context.createBuffer(1, converted.length, context.sampleRate)
        buffer.copyToChannel(converted as Float32Array<ArrayBuffer>, 0)
        const source = context.createBufferSource()
        source.buffer = buffer
        source.connect(output)
        source.addEventListener('ended', () => queued.delete(source))
        source.start(queuedUntil)
        queued.add(source)
        queuedUntil += buffer.duration
      }
      return Math.max(0, queuedUntil - context.currentTime)
    },
    clear,
  }
}

function asFloats(samples: Float32Array | Int16Array): Float32Array {
  return samples instanceof Int16Array ? Float32Array.from(samples, (value) => value / 32_768) : samples
}
