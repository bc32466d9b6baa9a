/** When a calendar is synced next. Pure but for jitter. */
import { createHash } from 'node:crypto'
import { backoff } from '@standin/wire/time/backoff.ts'
import { ProviderError } from '../platform/ports.ts'
import type { CalendarRow } from '../store/rows/index.ts'
import { lastingStatus } from './status.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A push may announce several changes. */
export const DEBOUNCE_SECONDS = 2
/** Longest time until the next poll is due; what is left of 15 minutes is for waiting and reading. */
const POLL_MS = 14.5 * MINUTE
/** Polls of calendars that were connected together drift apart. */
const JITTER = 0.15
const RETRY = { first: 30 * SECOND, max: POLL_MS, jitter: JITTER }

const after = (now: Date, ms: number) => new Date(now.getTime() + ms)

/** `read`: the calendar as the sync began with it. */
export function afterSync(
  calendar: Pick<CalendarRow, 'id' | 'hinted_at' | 'full_due_at'>,
  read: Pick<CalendarRow, 'sync_started_at'>,
  wasFull: boolean,
  now: Date,
): { sync_due_at: Date; full_due_at: Date } {
  const startedAt = read.sync_started_at ?? now
  // One that was asked for while this sync was under way is still to come.
  const full = wasFull && calendar.full_due_at <= startedAt ? nextFull(calendar.id, now) : calendar.full_due_at
  const poll = after(now, POLL_MS * (1 - JITTER * Math.random()))
  const again =
    calendar.hinted_at !== null && calendar.hinted_at > startedAt ? after(now, DEBOUNCE_SECONDS * SECOND) : poll
  return { sync_due_at: new Date(Math.min(poll.getTime(), again.getTime(), full.getTime())), full_due_at: full }
}

/** The next time of the calendar's own place in the day. */
export function nextFull(calendarId: string, now: Date): Date {
  const place = (createHash('sha256').update(calendarId).digest().readUInt32BE() / 2 ** 32) * DAY
  const today = Math.floor((now.getTime() - place) / DAY) * DAY + place
  return new Date(Math.floor(today + DAY))
}

export function afterFailure(problem: unknown, failures: number, now: Date): Date {
  const lasting = lastingStatus(problem)
  // A permission can be granted again; a refused refresh token stays refused.
  if (lasting !== null) return after(now, (lasting === 'revoked' ? 6 : 1) * HOUR * (1 - JITTER * Math.random()))
  const asked = problem instanceof ProviderError ? (problem.retryAfterMs ?? 0) : 0
  return after(now, Math.max(asked, backoff(RETRY, failures)))
}
