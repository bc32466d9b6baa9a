/** When a failed delivery is tried again, and how long an attempt may take. */

import { spread } from '@standin/wire/time/backoff.ts'
import { retryAfterMs } from '@standin/wire/time/retry-after.ts'
import type { EndpointKind } from '../store/webhooks/endpoints.ts'

/** Seconds between attempts of the newer webhooks, and of the older final and calendar events. */
export const DEFAULT_DELAYS: readonly number[] = [5, 10, 300, 900, 1800, 7200]
const SHORT_DELAYS: readonly number[] = [1, 5, 15]
const JITTER = 0.2
/** Seconds. A receiver that is overrun or hangs is left alone for this long. */
const FLOOR_SECONDS = 60
const MAX_RETRY_AFTER_SECONDS = 3600

export interface Attempted {
  kind: EndpointKind
  event: string
  /** Attempts before this one. */
  attempts: number
  /** Null without an answer. */
  status: number | null
  isTimeout: boolean
  retryAfter: string | undefined
}

const isOlderStatus = ({ kind, event }: Pick<Attempted, 'kind' | 'event'>) =>
  (kind === 'account' || kind === 'bot') && event === 'bot.status_change'

/** Milliseconds for one attempt. */
export function timeLimitMs(sent: Pick<Attempted, 'kind' | 'event'>): number {
  if (isOlderStatus(sent)) return 5_000
  return sent.kind === 'account' || sent.kind === 'bot' ? 10_000 : 30_000
}

/** Seconds until the next attempt after a failed one; null: no further attempt. `random` is from 0 to 1. */
export function nextDelay(sent: Attempted, delays: readonly number[], random: number, nowMs: number): number | null {
  const { kind, attempts, status } = sent
  const isCallback = kind === 'callback'
  if (isCallback && status !== null && status < 500) return null
  const isShort = isCallback || isOlderStatus(sent)
  const delay = (isShort ? SHORT_DELAYS : delays)[attempts]
  if (delay === undefined) return null
  if (isCallback) return delay
  const wait = isShort ? delay : spread(delay, JITTER, () => random)
  const floor = status === 429 || sent.isTimeout ? FLOOR_SECONDS : 0
  const asked = (retryAfterMs(sent.retryAfter, nowMs) ?? 0) / 1000
  return Math.max(wait, floor, Math.min(asked, MAX_RETRY_AFTER_SECONDS))
}
