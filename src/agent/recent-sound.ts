/** The meeting's sound of the last half minute, so that a question is heard from its begin on. */
import { peakOf } from '../../packages/core/meeting/peak.ts'
import { TURN_KEPT_MS } from './conversation.ts'

/** Speech is reported a moment late and its end early: so much sound around it belongs to it. */
const BEFORE_MS = 300
const BEHIND_MS = 300
/** Peak: -40 dBFS. */
const SILENCE = 328

export class RecentSound {
  #messages: { from: number; to: number; sound: Buffer }[] = []
  readonly #bytesPerMs: number
  readonly #take: (sound: Buffer) => boolean
  /** Of the question that is not complete. */
  #wanted: { from: number; to: number } | null = null
  /** Everything before was taken. */
  #takenTo = 0

  /** `take` gets what is wanted, each sound once; false: it is to come again. */
  constructor(sampleRate: number, take: (sound: Buffer) => boolean) {
    this.#bytesPerMs = (sampleRate / 1000) * 2
    this.#take = take
  }

  /** `at`: when its last sample was heard. */
  add(sound: Buffer, at: number): void {
    this.#messages.push({ from: at - sound.byteLength / this.#bytesPerMs, to: at, sound })
    this.#messages = this.#messages.filter(({ to }) => at - to < TURN_KEPT_MS)
    this.#give()
  }

  /** UTC milliseconds; null: until it is stopped. */
  want(from: number, to: number | null): void {
    // What was sent of this turn before was dropped.
    if (this.#wanted === null) this.#takenTo = 0
    this.#wanted = {
      from: Math.min(this.#wanted?.from ?? from, from),
      to: Math.max(this.#wanted?.to ?? 0, to ?? Number.POSITIVE_INFINITY),
    }
    this.#give()
  }

  /** Whether all sound until this instant has come. It comes late, so its silence shows that, or its time. */
  hasAll(until: number): boolean {
    const last = this.#messages.at(-1)
    if (last === undefined) return false
    return last.to >= until + BEHIND_MS || (last.from >= until && peakOf(last.sound) <= SILENCE)
  }

  /** The turn ended. */
  stop(to: number): void {
    if (this.#wanted !== null) this.#wanted.to = to
  }

  /** The question is complete, or was none. */
  done(): void {
    this.#wanted = null
  }

  /** Another session has to hear the question from its begin. */
  again(): void {
    this.#takenTo = 0
    this.#give()
  }

  drop(): void {
    this.#messages = []
    this.#wanted = null
  }

  #give(): void {
    if (this.#wanted === null) return
    const { from, to } = this.#wanted
    for (const message of this.#messages) {
      const isWanted = message.to >= from - BEFORE_MS && message.from <= to + BEHIND_MS
      if (message.from < this.#takenTo || !isWanted) continue
      if (!this.#take(message.sound)) return
      this.#takenTo = message.to
    }
  }
}
