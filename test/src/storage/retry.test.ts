import { describe, expect, test } from 'vitest'
import type { Clock } from '../../../packages/core/ports.ts'
import { GaveUp, type RetryOptions, withRetries } from '../../../src/storage/retry.ts'

/** A clock that advances only during its sleeps. */
function handMovedClock(): Clock & { pauses: number[]; time: number } {
  return {
    time: 0,
    pauses: [],
    now() {
      return this.time
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      this.pauses.push(ms)
      this.time += ms
    },
  }
}

function options(overrides: Partial<RetryOptions> = {}): RetryOptions {
  return {
    patience: { firstDelayMs: 100, maxDelayMs: 1_000, totalMs: 10_000 },
    clock: handMovedClock(),
    signal: new AbortController().signal,
    isTransient: () => true,
    onRetry: () => {},
    ...overrides,
  }
}

const failing = (times: number) => {
  let count = 0
  return async () => {
    count += 1
    if (count <= times) throw new Error(`failure ${count}`)
    return count
  }
}

describe('retries', () => {
  test('pause longer and longer, up to the longest pause, and never as long as each other', async () => {
    const clock = handMovedClock()
    expect(await withRetries(failing(8), options({ clock }))).toBe(9)
    const ceilings = [100, 200, 400, 800, 1000, 1000, 1000, 1000]
    for (const [index, ceiling] of ceilings.entries()) {
      expect(clock.pauses[index]).toBeGreaterThanOrEqual(ceiling / 2)
      expect(clock.pauses[index]).toBeLessThanOrEqual(ceiling)
    }
    expect(clock.pauses.length).toBe(8)
  })

  test('end when patience is over, with the last failure', async () => {
    const clock = handMovedClock()
    const error = (await withRetries(failing(1e6), options({ clock })).catch((thrown: unknown) => thrown)) as GaveUp
    expect(error).toBeInstanceOf(GaveUp)
    expect(clock.time).toBeLessThanOrEqual(10_000)
    expect(error.attempts).toBe(clock.pauses.length + 1)
    expect(error.cause).toMatchObject({ message: `failure ${error.attempts}` })
  })

  test('the time before the first failure does not count: a long upload has its whole patience left', async () => {
    const clock = handMovedClock()
    let count = 0
    const slow = async () => {
      count += 1
      clock.time += 60_000
      if (count === 1) throw new Error('broken after a minute')
      return 'stored'
    }
    expect(await withRetries(slow, options({ clock }))).toBe('stored')
  })

  test('do not happen for what lasts', async () => {
    const lasting = new Error('denied')
    let count = 0
    const attempt = async () => {
      count += 1
      throw lasting
    }
    await expect(withRetries(attempt, options({ isTransient: () => false }))).rejects.toBe(lasting)
    expect(count).toBe(1)
  })

  test('end at once with the reason of a stop, during an attempt or a pause', async () => {
    const reason = new Error('asked to stop')
    for (const moment of ['attempt', 'pause']) {
      const stop = new AbortController()
      const attempt = async () => {
        if (moment === 'attempt') stop.abort(reason)
        throw new Error('some abort error of a library')
      }
      const onRetry = () => stop.abort(reason)
      await expect(withRetries(attempt, options({ signal: stop.signal, onRetry }))).rejects.toBe(reason)
    }
  })
})
