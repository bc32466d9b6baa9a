import type { EndCause } from '@standin/wire/codes.ts'
import { reasonOfFailure } from '@standin/wire/reasons.ts'
import { aborted } from '@standin/wire/time/deadline.ts'
import { toBotError } from '../../packages/core/errors.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { End } from './states.ts'

/** The one funnel for ends: the first reason wins, later ones are logged and change nothing. */
export class Ending {
  /** The bot itself is wrong: the exit code says so, however the run ended. */
  isDefect = false
  readonly #logger: Logger
  readonly #ended = new AbortController()
  readonly #hurry = new AbortController()
  #first: End | null = null

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Aborted by the first end; every wait of the bot uses this signal. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Aborted when the bot must leave at once: graceful steps are skipped, the recording is still completed. */
  get hurry(): AbortSignal {
    return this.#hurry.signal
  }

  get first(): End | null {
    return this.#first
  }

  propose(end: End): void {
    if (end.atOnce) this.#hurry.abort()
    if (this.#first !== null) {
      this.#logger.info('A later reason to end was ignored', { code: end.code, reason: end.message })
      return
    }
    this.#first = end
    this.#logger.info('The bot ends', { code: end.code, reason: end.message, askedBy: end.askedBy })
    this.#ended.abort(new DOMException(end.message, 'AbortError'))
  }

  /** Ends the run with the error of a step. */
  fail(thrown: unknown, step?: string): void {
    const error = toBotError(thrown, step)
    const reason = reasonOfFailure(error.code, error.reason)
    this.propose({ code: error.code, message: error.message, error, reason })
  }

  /** Resolves with the first end. */
  async whenEnded(): Promise<End> {
    await aborted(this.signal)
    return this.#first!
  }
}

/** An error of a part, such as storage, is a failure with a code and not a defect of the bot. */
export async function atEdge<T>(step: string, work: Promise<T>, endCause?: EndCause): Promise<T> {
  try {
    return await work
  } catch (thrown) {
    throw toBotError(thrown, step, endCause)
  }
}
