/** Replaces a part that crashes during a meeting: browser, encoder, display or sound server. */

import { BotError } from '../../packages/core/errors.ts'
import type { MeetingEvent } from '../../packages/core/meeting/meeting.ts'
import type { RecorderEvent } from '../../packages/core/recording.ts'
import { EncoderRestart, type EncoderRestartParts } from './encoder-restart.ts'
import { Rejoin, type RejoinParts } from './rejoin.ts'

export interface FailoverParts extends RejoinParts, EncoderRestartParts {
  /** The bot is in the meeting again, with a browser that has no state of before. */
  onBack(): void
  /** A failure that cannot be repaired ends the bot. */
  onFailure(thrown: unknown, step: string): void
}

type Failure<Event extends { type: string }> = Omit<Extract<Event, { type: 'failed' }>, 'type'>

export class Failover {
  readonly #parts: FailoverParts
  readonly #rejoin: Rejoin
  readonly #freshEncoder: EncoderRestart

  constructor(parts: FailoverParts) {
    this.#parts = parts
    this.#rejoin = new Rejoin(parts)
    this.#freshEncoder = new EncoderRestart(parts)
  }

  /** The bot has no browser, so it does not see the meeting. */
  get isBrowserAway(): boolean {
    return this.#rejoin.isUnderWay
  }

  /** A crashed browser does not end a running recording; every other failure of the meeting's page does. */
  meetingFailed({ error, at }: Failure<MeetingEvent>): Promise<void> {
    return this.#orEnd('in meeting', async () => {
      const hasRecorded = this.#parts.recorder.spans().length > 0
      if (!(hasRecorded && error instanceof BotError && error.canRetry)) throw error
      if (await this.#rejoin.rejoin(error, at)) this.#parts.onBack()
    })
  }

  /**
   * Replaces the encoder, or the capture environment and the browser in it. Storage that accepts no more data ends the
   * bot.
   */
  recorderFailed({ lost, error, at }: Failure<RecorderEvent>): Promise<void> {
    if (lost === 'environment') {
      const why = { cause: error, step: 'recording', canRetry: true }
      return this.meetingFailed({ error: new BotError('INTERNAL_ERROR', `${error.message}.`, why), at })
    }
    return this.#orEnd('recording', async () => {
      if (lost === 'place') throw error
      await this.#freshEncoder.replace(error, at)
    })
  }

  /** Never rejects. */
  async #orEnd(step: string, repair: () => Promise<void>): Promise<void> {
    try {
      await repair()
    } catch (thrown) {
      if (!this.#parts.signal.aborted) this.#parts.onFailure(thrown, step)
    }
  }
}
