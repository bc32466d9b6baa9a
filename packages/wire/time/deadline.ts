/** Waits that end: after a time, at an instant, with a signal. */
import { setTimeout as delay } from 'node:timers/promises'

export interface Clock {
  /** UTC milliseconds since 1970. It only moves forward at the pace of time, even if the machine's clock is set. */
  now(): number
  /** The machine's clock, which may be set meanwhile: for instants that people named. As `now` if it is left out. */
  wall?(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** One sleep is at most this long, so that a correction of the system's clock meanwhile is followed. */
const MAX_SLEEP_MS = 10_000

export const systemClock: Clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  wall: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
}

/**
 * Settles as `work` does, but rejects with what `onTime` makes once `ms` have passed. The work itself is not stopped; if
 * it fails later, that is ignored. No timer outlives the call.
 */
export async function within<T>(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<T>,
  onTime: () => Error,
): Promise<T> {
  if (await endsWithin(clock, ms, work)) return work
  throw onTime()
}

/** Waits for `work` for `ms` at most, and resolves with whether it is done; rejects if it fails by then. */
export async function endsWithin(clock: Pick<Clock, 'sleep'>, ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController()
  work.catch(() => {})
  try {
    return await Promise.race([work.then(() => true), clock.sleep(ms, over.signal).then(() => false)])
  } finally {
    over.abort()
  }
}

/** The machine's clock now, in UTC milliseconds. */
export const wallTime = (clock: Clock) => clock.wall?.() ?? clock.now()

/** How far the machine's clock was set away from `clock.now()` since it started, in milliseconds. */
export const clockStep = (clock: Clock) => wallTime(clock) - clock.now()

/** Waits until the UTC instant `at` (milliseconds); rejects with the signal's reason when it is aborted first. */
export async function sleepUntil(clock: Clock, at: number, signal: AbortSignal): Promise<void> {
  for (let left = at - wallTime(clock); left > 0; left = at - wallTime(clock))
    await clock.sleep(Math.min(left, MAX_SLEEP_MS), signal)
}

/** Resolves when the signal is aborted, at once if it already is. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
