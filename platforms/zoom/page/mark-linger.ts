/**
 * How long a mark stays after the last word. Learned from silences, in which marks go one after the other and the last
 * one belongs to the last speaker. Pure.
 */
import type { Mark } from './speakers.ts'

/** Zoom's marks stay for 3 s (docs/platform-notes/zoom.md#tiles-and-active-speaker). */
const USUAL_LINGER_MS = 3000
export const MAX_LINGER_MS = 5000
const SAMPLES = 5
/** When another person begins to speak, the old mark goes before the new sound is captured. Milliseconds. */
const SOUND_LATE_MS = 700

export class MarkLinger {
  /** The present estimate. */
  ms = USUAL_LINGER_MS
  #seen: number[] = []
  #gone: { at: number; ms: number } | null = null
  #lastLoudAt = Number.NEGATIVE_INFINITY
  #marks: readonly Mark[] = []

  /** One poll, a few times a second. */
  observe(marks: readonly Mark[], isLoud: boolean, at: number): void {
    if (isLoud) this.#lastLoudAt = at
    const before = this.#marks
    this.#marks = marks
    const hasCome = marks.some(({ id }) => before.every((mark) => mark.id !== id))
    if (isLoud || hasCome) this.#gone = null
    else if (this.#gone && at - this.#gone.at >= SOUND_LATE_MS) {
      this.#learn(this.#gone.ms)
      this.#gone = null
    }
    // A mark that came without a sound does not count, nor one that went beside others: its person fell silent before
    // them.
    const hasGone = before.some(({ id, since }) => since <= this.#lastLoudAt && marks.every((mark) => mark.id !== id))
    if (hasGone && marks.length === 0 && !isLoud) this.#gone = { at, ms: at - this.#lastLoudAt }
  }

  #learn(ms: number): void {
    if (ms > MAX_LINGER_MS) return
    this.#seen = [...this.#seen, ms].slice(-SAMPLES)
    this.ms = Math.max(...this.#seen)
  }
}
