/** Rejoins the meeting with a new browser when the browser crashes, a limited number of times. */

import { messageOf } from '@standin/wire/text/error-text.ts'
import { within } from '@standin/wire/time/deadline.ts'
import { BotError } from '../../packages/core/errors.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { Clock, ControlPlane } from '../../packages/core/ports.ts'
import type { MeetingSession } from './meeting-session.ts'
import type { PauseControl } from './pause-control.ts'

/** After this many crashes, a new browser would crash for the same reason. */
const RETURNS_PER_MEETING = 3
/** Beside the time in the waiting room, which is a person's. */
const RETURN_MS = 300_000

export interface RejoinParts {
  attendance: MeetingSession
  recording: PauseControl
  waitingRoomSeconds: number
  control: Pick<ControlPlane, 'report'>
  clock: Clock
  logger: Logger
  signal: AbortSignal
}

export class Rejoin {
  readonly #parts: RejoinParts
  #returns = 0
  #isUnderWay = false
  /** Ends the running attempt, whose browser crashed too. */
  #interrupt: (failure: BotError) => void = () => {}

  constructor(parts: RejoinParts) {
    this.#parts = parts
  }

  /** From a crash until time is recorded again; the bot does not see the meeting meanwhile. */
  get isUnderWay(): boolean {
    return this.#isUnderWay
  }

  /**
   * The browser crashed at `at`. Resolves with true when time is recorded again (or would be, if no command had paused
   * it), with false if another call is already rejoining. Rejects with the error that ends the bot.
   */
  async rejoin(failure: BotError, at: number): Promise<boolean> {
    if (this.#isUnderWay) {
      this.#interrupt(failure)
      return false
    }
    const { attendance, recording, clock, logger, signal } = this.#parts
    this.#isUnderWay = true
    let last = failure
    for (;;) {
      await recording.rest('no_browser')
      await attendance.lose(last === failure ? at : clock.now())
      if (this.#returns >= RETURNS_PER_MEETING)
        throw cannotRejoin(failure, last, `the browser crashed ${this.#returns + 1} times.`)
      this.#returns += 1
      const count = `${this.#returns} of ${RETURNS_PER_MEETING}`
      this.#notice(`${last.message} The bot rejoins the meeting (${count}).`)
      try {
        await this.#attempt()
        this.#isUnderWay = false
        this.#notice(`The bot rejoined the meeting after ${((clock.now() - at) / 1000).toFixed(1)} s.`)
        return true
      } catch (thrown) {
        signal.throwIfAborted()
        if (!(thrown instanceof BotError && thrown.canRetry)) throw cannotRejoin(failure, thrown)
        logger.warn('Rejoining the meeting failed', { returns: this.#returns, error: thrown })
        last = thrown
      }
    }
  }

  async #attempt(): Promise<void> {
    const { attendance, recording, clock, waitingRoomSeconds } = this.#parts
    let isOver = false
    const interrupted = new Promise<never>((_, reject) => {
      this.#interrupt = (failure) => {
        isOver = true
        reject(failure)
      }
    })
    // A crashing page may look ready for a moment longer.
    const enter = () => attendance.enter().then(() => attendance.makeReady())
    const back = enter().then(() => (isOver ? interrupted : recording.goOn('no_browser')))
    const limitMs = RETURN_MS + waitingRoomSeconds * 1000
    await within(
      clock,
      limitMs,
      Promise.race([back, interrupted]),
      () => new BotError('INTERNAL_ERROR', `It took longer than ${limitMs / 1000} s.`),
    )
  }

  #notice(message: string): void {
    this.#parts.control.report({ type: 'notice', level: 'warning', message })
  }
}

/** The bot ends with the first failure, and the message adds why it could not rejoin. */
function cannotRejoin(first: BotError, last: unknown, because?: string): BotError {
  const reason = because ?? messageOf(last)
  const message = `${first.message} The bot did not rejoin the meeting: ${reason}`
  return new BotError(first.code, message, { cause: last, step: first.step })
}
