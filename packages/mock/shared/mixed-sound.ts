/** The mix of all voices as samples, for the variant of the page that plays sound without audio receivers. */
import { voiceSamples } from '../media/voices.ts'

/** Hertz. The page's worklet expects it. */
const SAMPLE_RATE = 16_000
const SOURCE_RATE = 48_000
const CHUNK_MS = 40

export class MixedSound {
  private readonly send: (samples: Uint8Array) => void
  private readonly loops = new Map<number, Float32Array>()
  private timer: NodeJS.Timeout | null = null
  private startedAt = 0
  private sentChunks = 0
  private looks: number[] = []

  constructor(send: (samples: Uint8Array) => void) {
    this.send = send
  }

  setSpeaking(looks: number[]): void {
    this.looks = looks
  }

  start(): void {
    if (this.timer) return
    this.startedAt = performance.now()
    this.sentChunks = 0
    this.timer = setInterval(() => {
      const due = Math.floor((performance.now() - this.startedAt) / CHUNK_MS)
      // A stall is skipped: sound that is late is of no use.
      if (due - this.sentChunks > 10) this.sentChunks = due - 1
      for (; this.sentChunks < due; this.sentChunks++) this.send(this.chunk(this.sentChunks))
    }, CHUNK_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
    this.timer = null
  }

  private chunk(number: number): Uint8Array {
    const length = (SAMPLE_RATE * CHUNK_MS) / 1000
    const samples = new Int16Array(length)
    for (const look of this.looks) {
      const loop = this.loop(look)
      for (let index = 0; index < length; index++) {
        const value = loop[((number * length + index) * (SOURCE_RATE / SAMPLE_RATE)) % loop.length] ?? 0
        samples[index] = Math.max(-32768, Math.min(32767, (samples[index] ?? 0) + Math.round(value * 32767)))
      }
    }
    return new Uint8Array(samples.buffer)
  }

  private loop(look: number): Float32Array {
    const known = this.loops.get(look)
    if (known) return known
    const made = voiceSamples([look], false)
    this.loops.set(look, made)
    return made
  }
}
