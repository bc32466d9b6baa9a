import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../ports.ts'

/** One sleep lasts no longer than this, so that a wall clock that is corrected meanwhile is followed. */
const LONGEST_SLEEP_MS = 10_000

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
}

/** Waits for `work`, but rejects with what `onTime` makes once `ms` have passed; the work itself is not stopped. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>, onTime: () => Error): Promise<T> {
  const over = new AbortController()
  // The loser of the race may reject later, and no caller is left to handle it.
  work.catch(() => {})
  try {
    return await Promise.race([
      work,
      clock.sleep(ms, over.signal).then(() => {
        throw onTime()
      }),
    ])
  } finally {
    over.abort()
  }
}

/** Waits until the UTC instant `at` (milliseconds); rejects with the signal's reason when it is aborted first. */
export async function sleepUntil(clock: Clock, at: number, signal: AbortSignal): Promise<void> {
  for (let left = at - clock.now(); left > 0; left = at - clock.now())
    await clock.sleep(Math.min(left, LONGEST_SLEEP_MS), signal)
}

/** Resolves when the signal is aborted, also where it is already. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
