/** What a life does when something that it records with dies in the middle of a meeting. */

import { BotError } from '../errors.ts'
import type { MeetingEvent } from '../meeting/meeting.ts'
import type { RecorderEvent } from '../ports.ts'
import { EncoderRestart, type EncoderRestartParts } from './encoder-restart.ts'
import { Rejoin, type RejoinParts } from './rejoin.ts'

export interface FailoverParts extends RejoinParts, EncoderRestartParts {
  /** The bot is in the meeting again, with a browser that knows nothing of before. */
  onBack(): void
  /** What cannot be repaired ends the life. */
  onFailure(thrown: unknown, step: string): void
}

type Failure<Event extends { type: string }> = Omit<Extract<Event, { type: 'failed' }>, 'type'>

export class Failover {
  readonly #parts: FailoverParts
  readonly #wayBack: Rejoin
  readonly #freshEncoder: EncoderRestart

  constructor(parts: FailoverParts) {
    this.#parts = parts
    this.#wayBack = new Rejoin(parts)
    this.#freshEncoder = new EncoderRestart(parts)
  }

  /** Nothing is seen of the meeting. */
  get isBrowserAway(): boolean {
    return this.#wayBack.isUnderWay
  }

  /** A dead browser ends no recording that runs; every other failure of the meeting's page does. */
  meetingFailed({ error, at }: Failure<MeetingEvent>): Promise<void> {
    return this.#orEnd('in meeting', async () => {
      const hasRecorded = this.#parts.recorder.spans().length > 0
      if (!(hasRecorded && error instanceof BotError && error.canRetry)) throw error
      if (await this.#wayBack.goBack(error, at)) this.#parts.onBack()
    })
  }

  /** What captures is replaced, and with a stage the browser on it too; a place that takes no more ends the life. */
  recorderFailed({ lost, error, at }: Failure<RecorderEvent>): Promise<void> {
    if (lost === 'stage') {
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
