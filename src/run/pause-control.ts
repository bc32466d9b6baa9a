/**
 * Decides whether time is recorded. The recorder is paused by a command, or while the bot has no browser or no encoder.
 * Changes run one after the other, because the recorder stops and starts its encoder for each.
 */

import type { Gap } from '@standin/wire/events.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import type { Clock } from '../../packages/core/ports.ts'
import type { Recorder } from '../../packages/core/recording.ts'
import { recordedMs } from './recording-clock.ts'

/** Only pauses that no command requested leave a gap. */
const GAPS = { no_browser: 'browser_died', no_encoder: 'encoder_died' } as const
export type PauseReason = 'command' | keyof typeof GAPS

/** A stretch of the meeting that was to be recorded and is not in the recording, or without its sound. */
export interface RecordingGap {
  /** UTC milliseconds. */
  startedAt: number
  endedAt: number
  /** Its place in the recording in seconds, without pauses and gaps. */
  offset: number
  reason: Gap['reason']
}

export class PauseControl {
  readonly #recorder: Pick<Recorder, 'pause' | 'resume' | 'spans'>
  readonly #clock: Clock
  readonly #onGap: (gap: RecordingGap) => void
  readonly #reasons = new Set<PauseReason>()
  readonly #inTurn = inTurn(1)
  #gap: { from: number; reason: Gap['reason'] } | null = null
  /** UTC milliseconds of the bot's end. */
  #endedAt: number | null = null

  constructor(
    recorder: Pick<Recorder, 'pause' | 'resume' | 'spans'>,
    clock: Clock,
    onGap: (gap: RecordingGap) => void,
  ) {
    this.#recorder = recorder
    this.#clock = clock
    this.#onGap = onGap
  }

  /** Something broke and is being replaced. */
  get isBroken(): boolean {
    return this.#reasons.has('no_browser') || this.#reasons.has('no_encoder')
  }

  /** Resolves when nothing more is recorded. */
  rest(reason: PauseReason): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#reasons.has(reason)) return
      if (this.#reasons.size === 0) await this.#recorder.pause()
      const wasWanted = !this.#reasons.has('command')
      this.#reasons.add(reason)
      if (reason === 'command') this.#endGap(this.#clock.now())
      else if (wasWanted) this.#beginGap(this.#recorder.spans().at(-1)?.endedAt ?? this.#clock.now())
    })
  }

  /** Resolves when the first frame is captured, or at once if there is another reason to rest. */
  goOn(reason: PauseReason): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#reasons.has(reason)) return
      if (this.#reasons.size === 1) {
        await this.#recorder.resume()
        this.#endGap(this.#recorder.spans().at(-1)?.startedAt ?? this.#clock.now())
      }
      this.#reasons.delete(reason)
      if (reason === 'command' && this.#reasons.size > 0) this.#beginGap(this.#clock.now())
    })
  }

  /** The bot ended at this instant (UTC milliseconds): what was lost until then and did not come back is a gap too. */
  end(at: number): void {
    this.#endedAt = at
    this.#endGap(at)
  }

  /** The encoder may crash for the same reason as the browser: then the browser explains the gap. */
  #beginGap(at: number): void {
    const reason = GAPS[this.#reasons.has('no_browser') ? 'no_browser' : 'no_encoder']
    this.#gap = { from: this.#gap?.from ?? at, reason }
    if (this.#endedAt !== null) this.#endGap(this.#endedAt)
  }

  #endGap(at: number): void {
    const gap = this.#gap
    this.#gap = null
    if (gap === null || at <= gap.from) return
    const before = this.#recorder.spans().filter((span) => span.startedAt < gap.from)
    const offset = recordedMs(before, gap.from) / 1000
    this.#onGap({ startedAt: gap.from, endedAt: at, offset, reason: gap.reason })
  }
}

/** The gap in the form of an event. */
export function gapOf({ startedAt, endedAt, offset, reason }: RecordingGap): Gap {
  return {
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(endedAt).toISOString(),
    offset,
    seconds: (endedAt - startedAt) / 1000,
    reason,
  }
}
