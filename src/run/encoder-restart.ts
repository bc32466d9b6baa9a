/** Restarts the encoder when it crashes or stalls during a meeting, a limited number of times. */

import { toError } from '@standin/wire/text/error-text.ts'
import { BotError } from '../../packages/core/errors.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { Clock, ControlPlane } from '../../packages/core/ports.ts'
import type { Recorder } from '../../packages/core/recording.ts'
import type { PauseControl } from './pause-control.ts'

/** After several crashes in a row, the next encoder would crash for the same reason. */
const ATTEMPTS = 3
/** An encoder that recorded for so long did not crash because of its start. */
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
   * The encoder failed at `at`. Resolves when a new one records (or would, if there were no other reason to pause).
   * Rejects with the error that ends the bot.
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
        message: `${last.message}; the encoder is restarted (${count}).`,
      })
      try {
        return await recording.goOn('no_encoder')
      } catch (thrown) {
        signal.throwIfAborted()
        logger.warn('A new encoder did not start', { attempt: this.#attempts, error: thrown })
        last = toError(thrown)
      }
      await clock.sleep(RETRY_DELAY_MS, signal)
    }
  }
}

function givenUp(first: Error, last: Error): BotError {
  const why = last === first ? `${ATTEMPTS} new encoders failed soon too` : last.message
  const message = `${first.message}; the recording could not continue: ${why}.`
  return new BotError('INTERNAL_ERROR', message, { cause: last, step: 'recording' })
}
