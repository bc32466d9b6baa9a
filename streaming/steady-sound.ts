/**
 * Sound that comes piece by piece from a page, as a stream without holes: a page that is loaded anew, a meeting in which
 * nobody has been heard yet, or a browser that died gives silence, and a page that comes to itself does not repeat itself.
 */
import type { Clock, HeardSound } from '../src/ports.ts'
import { BYTES_PER_SAMPLE } from './messages.ts'

/** A piece may lie this far from where the stream stands and still follow it; clocks and timers are not finer. */
const SLIP_MS = 60
/** Later than this a piece is not waited for. */
const LATE_MS = 300
/** How often the stream is looked after. */
const TICK_MS = 50

export class SteadySound {
  readonly #bytesPerMs: number
  readonly #listener: (samples: Buffer) => void
  /** UTC milliseconds up to which sound or silence was given; null before the start. */
  #until: number | null = null
  /** UTC milliseconds of the latest piece that was not silent. */
  lastHeardAt: number | null = null

  constructor(sampleRate: number, listener: (samples: Buffer) => void) {
    this.#bytesPerMs = (sampleRate / 1000) * BYTES_PER_SAMPLE
    this.#listener = listener
  }

  take({ at, samples }: HeardSound): void {
    if (this.#until === null) return
    if (samples.some((byte) => byte !== 0)) this.lastHeardAt = at
    // Said before the stream stood here: it would be heard late, and everything behind it too.
    if (at < this.#until - SLIP_MS) return
    if (at > this.#until + SLIP_MS) this.#beSilentUntil(at)
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
    // A machine that slept for an hour is not made up for.
    const silence = Math.min(missing, 10_000)
    if (missing > silence) this.#until! += missing - silence
    if (silence > 0) this.#give(Buffer.alloc(silence * this.#bytesPerMs))
  }

  #give(samples: Buffer): void {
    this.#until! += samples.byteLength / this.#bytesPerMs
    this.#listener(samples)
  }
}
