import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from './ports.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
}

/** Waits for `work`, but rejects with what `onTime` makes once `ms` have passed; the work itself is not stopped. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>, onTime: () => Error): Promise<T> {
  const over = new AbortController()
  // Whoever loses the race may still reject later; nobody is left to hear it.
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

/** Resolves when the signal is aborted, also where it is already. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
