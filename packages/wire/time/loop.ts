/** Work that is done again and again, never twice at the same time. */
import { type Backoff, backoff } from './backoff.ts'
import { type Clock, systemClock } from './deadline.ts'

export interface LoopOptions {
  /** A round failed; the loop continues. */
  onError(error: unknown): void
  /** Rest after a failed round; as backoff, it grows with each failure in a row. */
  afterErrorMs: number | Backoff
  /** Ends the loop as `close` does. */
  signal?: AbortSignal
  clock?: Pick<Clock, 'sleep'>
}

export type Loop = ReturnType<typeof startLoop>

/**
 * Begins the first round at once. A round resolves with the milliseconds to rest before the next one, or with null if
 * the work is done. Its signal is aborted when the loop is closed.
 */
export function startLoop(
  round: (signal: AbortSignal) => Promise<number | null>,
  { onError, afterErrorMs, signal, clock = systemClock }: LoopOptions,
) {
  const over = new AbortController()
  let woken = new AbortController()
  const end = () => {
    over.abort(signal?.reason)
    woken.abort()
  }
  if (signal?.aborted) end()
  else signal?.addEventListener('abort', end, { once: true })

  async function run(): Promise<void> {
    // A round may use what is made of this call's result.
    await null
    let failures = 0
    while (!over.signal.aborted) {
      woken = new AbortController()
      let restMs: number | null
      try {
        restMs = await round(over.signal)
        failures = 0
      } catch (error) {
        onError(error)
        failures += 1
        restMs = typeof afterErrorMs === 'number' ? afterErrorMs : backoff(afterErrorMs, failures)
      }
      if (restMs === null) break
      if (restMs > 0 && !over.signal.aborted) await clock.sleep(restMs, woken.signal).catch(() => {})
    }
    signal?.removeEventListener('abort', end)
  }

  const ended = run()
  return {
    /** Resolves after the last round. */
    ended,
    /** Ends the rest. A wake-up during a round is not lost: the next round follows at once. */
    wake(): void {
      // Each call of `abort` makes an error with a stack, also of an aborted one.
      if (!woken.signal.aborted) woken.abort()
    },
    /** Begins no more rounds, and waits for the one under way. */
    close(): Promise<void> {
      end()
      return ended
    },
  }
}
