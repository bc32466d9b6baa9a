/**
 * Who refused a request to join, by the time of the answer: no person decides within two seconds. If the times
 * leave it open, there is no reason.
 */
import { AT_ONCE_MS, type Reason } from '@standin/wire/reasons.ts'
import { BotError } from '../../../packages/core/errors.ts'
import type { PageClassifier } from '../page-state.ts'

/** How far a wait may differ from the platform's own limit and still be ended by it: a share of the limit. */
const LIMIT_TOLERANCE = 0.1

type PlatformLimits = Pick<PageClassifier<never, string>, 'longestWaitMs' | 'deniesAfterMs'>

/** All times are UTC milliseconds. */
export class AnswerTime {
  /** Between these two instants the request reached those who decide. */
  #asked: { from: number; to: number } | null = null
  #wasHeld = false
  /** Until then no answer was there. */
  #openUntil = 0

  /** When the bot asked first; null if it has not asked. */
  get askedAt(): number | null {
    return this.#asked?.from ?? null
  }

  /** The bot asked, maybe again, between the two instants. */
  asked(from: number, to: number): void {
    this.#asked = { from: this.#asked?.from ?? from, to }
  }

  /** A look that began at this instant showed no answer. `isHeld`: those who decide do not have the request. */
  noAnswer(at: number, isHeld: boolean): void {
    this.#openUntil = at
    // The bot may have asked again since the look before.
    if (this.#asked && (isHeld || this.#wasHeld)) this.#asked.to = at
    this.#wasHeld = isHeld
  }

  /** The refusal as it was seen at this instant, with the reason that page and time prove together. */
  judge(refusal: BotError, at: number, limits: PlatformLimits = {}): BotError {
    const { message, step, canRetry, endCause, cause } = refusal
    const reason = this.#reasonOf(refusal, at, limits)
    const code = reason === 'waiting_ended_by_platform' ? 'TIMEOUT_WAITING_TO_START' : refusal.code
    return new BotError(code, message, { step, canRetry, endCause, cause, reason })
  }

  #reasonOf({ code, reason }: BotError, at: number, limits: PlatformLimits): Reason | undefined {
    const isDenial = code === 'BOT_NOT_ACCEPTED' && (reason === 'denied_by_person' || reason === 'page_unknown')
    if (this.#asked === null || !(isDenial || reason === 'denied_by_platform')) return reason
    const { from, to } = this.#asked
    if (at - from <= AT_ONCE_MS) return 'denied_by_platform'
    if (reason === 'denied_by_platform') return undefined
    const { longestWaitMs, deniesAfterMs = Number.POSITIVE_INFINITY } = limits
    const waitedMs = at - from
    const isAtLimit = (limitMs: number) => Math.abs(waitedMs - limitMs) <= LIMIT_TOLERANCE * limitMs
    if (reason === 'page_unknown')
      return longestWaitMs !== undefined && isAtLimit(longestWaitMs) ? 'waiting_ended_by_platform' : reason
    const mayBePlatform = waitedMs >= (1 - LIMIT_TOLERANCE) * deniesAfterMs
    return this.#openUntil - to >= AT_ONCE_MS && !mayBePlatform ? reason : undefined
  }
}
