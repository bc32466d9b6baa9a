/**
 * Makes a stream without holes from the pieces of sound that a page sends. A page that is loaded again, a meeting without
 * sound so far, or a browser that crashed gives silence. A page that resumes after a stall does not repeat sound.
 */
import type { CapturedAudio, Clock } from '../../packages/core/ports.ts'
import { BYTES_PER_SAMPLE } from './messages.ts'

/** A piece this close to the end of the stream still follows it without a hole; clocks and timers are not finer. */
const SLIP_MS = 60
/** A piece that has not come by then is not waited for. */
const LATE_MS = 300
/** A busy machine delivers every piece late: then the stream is late too, but never by more than this. */
const MAX_DELAY_MS = 3_000
/** The longest silence that fills a hole, as after a sleep of the machine; a piece further ahead has a wrong time. */
const MAX_SILENCE_MS = 10_000
/** Speech is louder than this peak (-50 dBFS); the comfort noise of meeting clients does not reach it. */
const QUIET = 100
/** How often the stream is checked. */
const TICK_MS = 50

export class SteadySound {
  readonly #bytesPerMs: number
  readonly #listener: (samples: Buffer) => void
  /** UTC milliseconds up to which sound or silence was given; null before the start. */
  #until: number | null = null
  /** Milliseconds by which the stream is later than the captured sound; reduced in pauses. */
  #delay = 0
  /** UTC milliseconds of the latest piece that was as loud as speech. */
  lastHeardAt: number | null = null

  constructor(sampleRate: number, listener: (samples: Buffer) => void) {
    this.#bytesPerMs = (sampleRate / 1000) * BYTES_PER_SAMPLE
    this.#listener = listener
  }

  add({ at, samples }: CapturedAudio): void {
    if (this.#until === null) return
    const peak = peakOf(samples)
    if (peak >= QUIET) this.lastHeardAt = at
    if (peak < QUIET && this.#delay > 0) {
      this.#delay = Math.max(0, this.#delay - samples.byteLength / this.#bytesPerMs)
      return
    }
    const late = this.#until - (at + this.#delay)
    if (late > SLIP_MS) {
      if (this.#delay + late > MAX_DELAY_MS) return
      this.#delay += late
    } else if (late < -MAX_SILENCE_MS) return
    else if (late < -SLIP_MS) this.#beSilentUntil(at + this.#delay)
    this.#give(samples)
  }

  /** Runs until the signal is aborted; nothing is given before. */
  async run(clock: Clock, signal: AbortSignal): Promise<void> {
    this.#until = clock.now()
    while (!signal.aborted) {
      const due = clock.now() - LATE_MS
      if (this.#until < due) this.#beSilentUntil(due)
      await clock.sleep(TICK_MS, signal).catch(() => {})
    }
    this.#until = null
  }

  #beSilentUntil(at: number): void {
    const missing = Math.round(at - this.#until!)
    const silence = Math.min(missing, MAX_SILENCE_MS)
    if (missing > silence) this.#until! += missing - silence
    if (silence > 0) this.#give(Buffer.alloc(silence * this.#bytesPerMs))
  }

  #give(samples: Buffer): void {
    this.#until! += samples.byteLength / this.#bytesPerMs
    this.#listener(samples)
  }
}

function peakOf(samples: Buffer): number {
  let peak = 0
  for (let at = 0; at + 1 < samples.length; at += BYTES_PER_SAMPLE)
    peak = Math.max(peak, Math.abs(samples.readInt16LE(at)))
  return peak
}
