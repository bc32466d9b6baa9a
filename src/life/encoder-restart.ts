/** What a life does when its encoder dies or stands still in the middle of a meeting: a fresh one, within bounds. */

import { BotError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Clock, ControlPlane, Recorder } from '../ports.ts'
import type { PauseControl } from './pause-control.ts'

/** Encoders that die one soon after the other have a reason that the next one has too. */
const ATTEMPTS = 3
/** One that recorded for so long did not die of its start. */
const STEADY_MS = 60_000
const RETRY_DELAY_MS = 1_000

export interface EncoderRestartParts {
  recorder: Pick<Recorder, 'spans'>
  recording: PauseControl
  control: Pick<ControlPlane, 'report'>
  clock: Clock
  logger: Logger
  signal: AbortSignal
}

export class EncoderRestart {
  readonly #parts: EncoderRestartParts
  /** Since an encoder last recorded for a while. */
  #attempts = 0

  constructor(parts: EncoderRestartParts) {
    this.#parts = parts
  }

  /**
   * The encoder failed at `at`. Resolves when another one records (or would, if there were no other reason to rest).
   * Rejects with what ends the life.
   */
  async replace(failure: Error, at: number): Promise<void> {
    const { recorder, recording, control, clock, logger, signal } = this.#parts
    const begunAt = recorder.spans().at(-1)?.startedAt ?? at
    if (at - begunAt >= STEADY_MS) this.#attempts = 0
    await recording.rest('no_encoder')
    for (let last = failure; ; ) {
      if (this.#attempts >= ATTEMPTS) throw givenUp(failure, last)
      this.#attempts += 1
      const count = `${this.#attempts} of ${ATTEMPTS}`
      control.report({
        type: 'notice',
        level: 'warning',
        message: `${last.message}; the recording begins anew (${count}).`,
      })
      try {
        return await recording.goOn('no_encoder')
      } catch (thrown) {
        signal.throwIfAborted()
        logger.warn('A fresh encoder did not start', { attempt: this.#attempts, error: thrown })
        last = thrown instanceof Error ? thrown : new Error(String(thrown))
      }
      await clock.sleep(RETRY_DELAY_MS, signal)
    }
  }
}

function givenUp(first: Error, last: Error): BotError {
  const why = last === first ? `${ATTEMPTS} fresh encoders died soon too` : last.message
  const message = `${first.message}; the recording could not go on: ${why}.`
  return new BotError('INTERNAL_ERROR', message, { cause: last, step: 'recording' })
}
