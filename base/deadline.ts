/** Waits that end: after a time, at an instant, with a signal. */
import { setTimeout as delay } from 'node:timers/promises'

export interface Clock {
  /** UTC milliseconds since 1970. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** One sleep is at most this long, so that a correction of the system's clock meanwhile is followed. */
const MAX_SLEEP_MS = 10_000

export const systemClock: Clock = {
  now: () => Date.now(),
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

/** Waits until the UTC instant `at` (milliseconds); rejects with the signal's reason when it is aborted first. */
export async function sleepUntil(clock: Clock, at: number, signal: AbortSignal): Promise<void> {
  for (let left = at - clock.now(); left > 0; left = at - clock.now())
    await clock.sleep(Math.min(left, MAX_SLEEP_MS), signal)
}

/** Resolves when the signal is aborted, at once if it already is. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
