import { SILENT_LEVEL } from './voices.ts'

/** Between words a speaker keeps the line, so that two who talk by turns do not swap lines at each breath. */
const KEPT_AFTER_MS = 600

/** Which of a few lines carries whose voice, judged by the levels in the packets, as a meeting server does. */
export class LoudestVoices {
  readonly count: number
  readonly #lines: { personId: string; heardAt: number }[]

  constructor(count: number) {
    this.count = count
    this.#lines = Array.from({ length: count }, () => ({ personId: '', heardAt: Number.NEGATIVE_INFINITY }))
  }

  /** The line for a packet of this person; null if there is none. */
  lineOf(personId: string, level: number, nowMs: number): number | null {
    const own = this.#lines.findIndex((line) => line.personId === personId)
    const isHeard = level < SILENT_LEVEL
    if (own !== -1) {
      if (isHeard) this.#lines[own]!.heardAt = nowMs
      return own
    }
    const free = this.#lines.findIndex(({ heardAt }) => nowMs - heardAt > KEPT_AFTER_MS)
    if (!isHeard || free === -1) return null
    this.#lines[free] = { personId, heardAt: nowMs }
    return free
  }
}
