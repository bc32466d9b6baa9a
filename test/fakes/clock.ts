import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../packages/core/ports.ts'

interface Sleeper {
  dueAt: number
  wake: () => void
}

/** Time moves only by `advance`, so hours of waiting pass in milliseconds. */
export class HandClock implements Clock {
  #now = Date.parse('2026-11-21T09:00:00.000Z')
  #sleepers: Sleeper[] = []

  now(): number {
    return this.#now
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const sleeper = { dueAt: this.#now + ms, wake: resolve }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
        reject(signal.reason)
      })
    })
  }

  /** Wakes all sleepers that are due until then, in order, and runs the work that follows. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms
    await settle()
    for (;;) {
      const next = this.#sleepers.toSorted((a, b) => a.dueAt - b.dueAt)[0]
      if (next === undefined || next.dueAt > target) break
      this.#sleepers = this.#sleepers.filter((other) => other !== next)
      this.#now = Math.max(this.#now, next.dueAt)
      next.wake()
      await settle()
    }
    this.#now = target
    await settle()
  }
}

/** Lets pending promises and small file operations continue. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate()
}
