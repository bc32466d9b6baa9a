import { backoff } from '@standin/wire/time/backoff.ts'
import type { Clock } from '../../packages/core/ports.ts'

export interface Patience {
  /** Milliseconds before the second attempt; doubles from attempt to attempt. */
  firstDelayMs: number
  maxDelayMs: number
  /** No new attempt is begun when this much time has passed since the first failure. */
  totalMs: number
}

/** The last failure, once patience ran out. */
export class GaveUp extends Error {
  readonly attempts: number
  readonly elapsedMs: number

  constructor(cause: unknown, attempts: number, elapsedMs: number) {
    super(`Gave up after ${attempts} attempts`, { cause })
    this.name = 'GaveUp'
    this.attempts = attempts
    this.elapsedMs = elapsedMs
  }
}

export interface RetryOptions {
  patience: Patience
  clock: Clock
  signal: AbortSignal
  isTransient: (error: unknown) => boolean
  /** Ends the pause that is under way when it is aborted; later pauses are as long as ever. */
  hurry?: AbortSignal
  /** Told before each pause. */
  onRetry: (error: unknown, attempt: number, delayMs: number) => void
}

/**
 * Repeats what fails for a passing reason, with growing pauses. The only owner of retries in storage: the SDK's own are
 * switched off. Rejects with the signal's reason, the lasting error as it is, or `GaveUp` with the last passing one.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { patience, clock, signal } = options
  let firstFailureAt: number | null = null
  for (let count = 1; ; count++) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      if (!options.isTransient(error)) throw error
      firstFailureAt ??= clock.now()
      const elapsedMs = clock.now() - firstFailureAt
      const { firstDelayMs: first, maxDelayMs: max } = patience
      const delayMs = Math.round(backoff({ first, max, jitter: 0.5 }, count))
      if (elapsedMs + delayMs > patience.totalMs) throw new GaveUp(error, count, elapsedMs)
      options.onRetry(error, count, delayMs)
      await pause(delayMs, options)
    }
  }
}

async function pause(delayMs: number, { clock, signal, hurry }: RetryOptions): Promise<void> {
  const cut = new AbortController()
  const onHurry = () => cut.abort()
  if (hurry?.aborted === false) hurry.addEventListener('abort', onHurry, { once: true })
  try {
    await clock.sleep(delayMs, AbortSignal.any([signal, cut.signal]))
  } catch (stopped) {
    if (signal.aborted) throw signal.reason
    if (!cut.signal.aborted) throw stopped
  } finally {
    hurry?.removeEventListener('abort', onHurry)
  }
}
