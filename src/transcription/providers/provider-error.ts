/** Errors of a speech service: one plain sentence without its key, and whether a retry can help. */
import { setTimeout as delay } from 'node:timers/promises'
import { backoff } from '@standin/wire/time/backoff.ts'
import { retryAfterMs } from '@standin/wire/time/retry-after.ts'
import { z } from 'zod'
import { BodyTooLong } from '../../../packages/core/bounded-body.ts'

/** Far more than the words of the longest recording; what is longer is no transcript. */
export const MAX_ANSWER_BYTES = 50_000_000

/** Hertz. Speech services recommend it; a higher rate costs more and does not improve the transcript. */
export const LIVE_SAMPLE_RATE = 16_000

export class ProviderError extends Error {
  readonly isTransient: boolean
  readonly retryAfterMs: number | null
  /** No other sound would be taken now either: the key is wrong, the quota is used up, or the service wants a long pause. */
  readonly isForAll: boolean
  /** The connection failed: it may be starting again, which takes longer than an overload. */
  readonly isUnreachable: boolean

  constructor(
    message: string,
    options: {
      isTransient: boolean
      retryAfterMs?: number | null
      isForAll?: boolean
      isUnreachable?: boolean
      cause?: unknown
    },
  ) {
    super(message, { cause: options.cause })
    this.name = 'ProviderError'
    this.isTransient = options.isTransient
    this.retryAfterMs = options.retryAfterMs ?? null
    this.isForAll = options.isForAll ?? false
    this.isUnreachable = options.isUnreachable ?? false
  }
}

/** An answer with a status of failure. */
interface Refusal {
  status: number
  /** The body. */
  text: string
  /** The header `retry-after`, if there is one. */
  retryAfter?: string | null | undefined
}

/** A longer pause than this is not waited for: the transcript can be asked for again then. */
const MAX_RETRY_AFTER_MS = 10 * 60_000
/** Services say so with 429 too, although no pause helps. A quota per minute is not meant: it passes. */
const IS_USED_UP =
  /insufficient[ _-]?(?:quota|credit|balance|fund)|(?:credits?|balance) (?:is |are )?(?:negative|insufficient|exhausted|too low)|(?:not enough|out of|\bno) credits?|\b(?:no|0) (?:more )?(?:remaining |free )?(?:minutes|hours|characters)\b|\b(?:trial|free[ _]tier)\b.{0,20}(?:ended|expired|over\b|exhausted)|(?:额度|額度|余额|餘額|配额|配額|残高|クレジット).{0,6}(?:不足|用尽|用盡|耗尽|超)|exceeded your current quota|billing[ _](?:hard[ _]limit|not[ _]active)|payment[ _]required|\btop[ -]?up\b|\baccount[ _](?:is |has been )?(?:deactivated|suspended|disabled|closed|blocked)|\baccess[ _]terminated/i
/** The same in words that a quota per minute may have as well; a pause that the service names says that it passes. */
const IS_OVER =
  /(?:quota|allowance|free (?:minute|hour|credit)|usage|spending|budget|monthly|daily|plan|crédit|solde|saldo|guthaben|kontingent|cuota|cota)\w*.{0,40}(?:exceeded|exhausted|reached|used[ _]up|depleted|épuis|epuis|dépass|depass|atteint|insuffisant|insuficiente|excedid|agotad|esgotad|aufgebraucht|erschöpft|überschritten)|(?:exceeded|exhausted|reached|used[ _]up|depleted|dépassé|épuisé).{0,30}(?:quota|allowance|monthly|plan|credit|usage[ _]limit)/i
const IS_OF_RATE =
  /\brate\b|rate[ _]?limit|per[ _-]?(?:min|sec|hour)|\brpm\b|\btpm\b|(?:retry|again) (?:in|after)|par (?:min|sec)|pro (?:min|sek)/i

/** The error of a refusal. `host` and the body are its sentence, without the key. */
export function refusedWith({ status, text, retryAfter }: Refusal, host: string, key: string | null): ProviderError {
  const pauseMs = pauseOf(retryAfter)
  const isOver = pauseMs === null && IS_OVER.test(text) && !IS_OF_RATE.test(text)
  const isUsedUp = IS_USED_UP.test(text) || isOver
  const isTooFar = pauseMs !== null && pauseMs > MAX_RETRY_AFTER_MS
  const pause = isTooFar ? ` (not before ${new Date(Date.now() + pauseMs).toISOString()})` : ''
  return new ProviderError(`${host} answered with status ${status}${pause}: ${excerpt(text, key)}`, {
    isTransient: isTransientStatus(status) && !isUsedUp && !isTooFar && !isSilence(text),
    retryAfterMs: pauseMs,
    isForAll: isUsedUp || isTooFar || [401, 402, 403].includes(status),
  })
}

/** Milliseconds; null for none, or a moment that is over. */
function pauseOf(header: string | null | undefined): number | null {
  const milliseconds = retryAfterMs(header) ?? 0
  return milliseconds > 0 && milliseconds < MAX_PAUSE_MS ? milliseconds : null
}

/** A year: what is longer is no pause. */
const MAX_PAUSE_MS = 366 * 86_400_000

const TRIES = 3
/** A minute and a half. */
const TRIES_TO_REACH = 5
const MAX_RETRY_MS = 60_000

/**
 * Tries `work` again after transient failures, with longer and longer waits, or after the pause that the service wants.
 * Rejects with the last failure, also if the time is over while it waits.
 */
export async function tried<T>(
  work: () => Promise<T>,
  { signal, retryMs }: { signal: AbortSignal; retryMs: number },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ProviderError) || !error.isTransient) throw error
      if (attempt >= (error.isUnreachable ? TRIES_TO_REACH : TRIES)) throw error
      const waitMs = backoff({ first: retryMs, max: MAX_RETRY_MS, factor: 3, jitter: 0.3 }, attempt)
      await delay(error.retryAfterMs ?? waitMs, undefined, { signal }).catch(() => {
        throw isTimeUp(signal) ? error : signal.reason
      })
    }
  }
}

/** The signal is aborted because the time is over, not because somebody stopped the work. */
export function isTimeUp({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof DOMException && reason.name === 'TimeoutError'
}

/** Overload and failures of the service itself pass; what is wrong with the request does not. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** Whisper servers that leave silence out fail like this if nothing is left. */
export function isSilence(text: string): boolean {
  return text.includes('No clip timestamps found')
}

/** Shortens a provider's answer to one line for a sentence, without the key that the service may repeat. */
export function excerpt(text: string, key: string | null): string {
  return withoutKey(text, key).replace(/\s+/g, ' ').trim().slice(0, 200)
}

export function withoutKey(text: string, key: string | null): string {
  return key === null || key === '' ? text : text.replaceAll(key, '[key]')
}

/** Whether a request failed because its answer was longer than allowed; another try would not be shorter. */
export function isTooLong(error: unknown): boolean {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  return inner instanceof BodyTooLong
}

/** The root cause of a failed request, such as `connect ECONNREFUSED 127.0.0.1:9`. */
export function causeOf(error: unknown): string {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  const text = inner instanceof Error ? inner.message || inner.name : String(inner)
  return text === '' ? 'no answer' : text
}

/** Status with which a WebSocket was refused, in the words of the `ws` package; null for any other failure. */
export function refusedStatus(error: unknown): number | null {
  const status = /^Unexpected server response: (\d{3})$/.exec(causeOf(error))?.[1]
  return status === undefined ? null : Number(status)
}

/** A field of a foreign answer: null if it is absent or of another kind. */
export function lenient<T extends z.ZodType>(schema: T) {
  return z.nullable(schema).default(null).catch(null)
}
