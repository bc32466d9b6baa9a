/** When a scheduled bot may join. */
import { refusals } from '../../http/errors.ts'

const MAX_DAYS_AHEAD = 90
/** Of clocks that differ, and of requests that take their time. */
const LEEWAY_MS = 60_000
const DAY_MS = 86_400_000
/** A bot whose join time is nearer is being started: the only possible request is to leave. */
const CHANGE_MS = 4 * 60_000

/** The time itself; rejects with 400 if it is past or too far ahead. */
export function joinTimeOf(joinAt: Date, now: number): Date {
  if (joinAt.getTime() < now - LEEWAY_MS) throw refusals.validation('body/join_at must not be in the past')
  if (joinAt.getTime() > now + MAX_DAYS_AHEAD * DAY_MS)
    throw refusals.validation(`body/join_at must be at most ${MAX_DAYS_AHEAD} days ahead`)
  return joinAt
}

/** Whether a bot with this join time may still be changed. */
export function isChangeable(joinAt: Date | null, now: number): boolean {
  return joinAt !== null && joinAt.getTime() >= now + CHANGE_MS
}
