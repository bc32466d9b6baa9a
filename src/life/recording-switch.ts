/**
 * Whether time is recorded just now. The recorder rests while a command paused it, and while the bot has no browser; it
 * runs when neither is so. One change after the other, since the recorder stops and starts its encoder for each.
 */
import type { Clock, Recorder } from '../ports.ts'
import { recordedMs } from './recording-clock.ts'

export type RestReason = 'command' | 'no_browser'

/** A stretch of the meeting that was to be recorded and is not in the recording. */
export interface RecordingGap {
  /** UTC milliseconds. */
  startedAt: number
  endedAt: number
  /** Where it lies in the recording; seconds, pauses and gaps removed. */
  offset: number
}

export class RecordingSwitch {
  readonly #recorder: Pick<Recorder, 'pause' | 'resume' | 'spans'>
  readonly #clock: Clock
  readonly #onGap: (gap: RecordingGap) => void
  readonly #reasons = new Set<RestReason>()
  #turn: Promise<unknown> = Promise.resolve()
  #gapFrom: number | null = null

  constructor(
    recorder: Pick<Recorder, 'pause' | 'resume' | 'spans'>,
    clock: Clock,
    onGap: (gap: RecordingGap) => void,
  ) {
    this.#recorder = recorder
    this.#clock = clock
    this.#onGap = onGap
  }

  restsFor(reason: RestReason): boolean {
    return this.#reasons.has(reason)
  }

  /** Resolves when nothing more is recorded. */
  rest(reason: RestReason): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#reasons.has(reason)) return
      if (this.#reasons.size === 0) await this.#recorder.pause()
      const wasWanted = !this.#reasons.has('command')
      this.#reasons.add(reason)
      if (reason === 'no_browser' && wasWanted)
        this.#gapFrom = this.#recorder.spans().at(-1)?.endedAt ?? this.#clock.now()
      if (reason === 'command') this.#endGap(this.#clock.now())
    })
  }

  /** Resolves when the first frame is captured, or at once where there is another reason to rest. */
  goOn(reason: RestReason): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#reasons.has(reason)) return
      if (this.#reasons.size === 1) {
        await this.#recorder.resume()
        this.#endGap(this.#recorder.spans().at(-1)?.startedAt ?? this.#clock.now())
      }
      this.#reasons.delete(reason)
      if (reason === 'command' && this.#reasons.has('no_browser')) this.#gapFrom = this.#clock.now()
    })
  }

  #endGap(at: number): void {
    const startedAt = this.#gapFrom
    this.#gapFrom = null
    if (startedAt === null || at <= startedAt) return
    const before = this.#recorder.spans().filter((span) => span.startedAt < startedAt)
    this.#onGap({ startedAt, endedAt: at, offset: recordedMs(before, startedAt) / 1000 })
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }
}
