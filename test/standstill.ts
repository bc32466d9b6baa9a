/** Whether this machine stalled while a test measured something. */
import { setTimeout as passes } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** A thread that sleeps 20 ms woke this much too late: no load of ours does that, so the machine itself stalled. */
const STANDSTILL_MS = 500
/** A machine that has stalled does so again within moments, often for minutes. */
const REST_MS = 10_000
const MAX_REST_MS = 180_000

export class StandstillWatch {
  /** The longest lateness of the thread, and how often it woke. */
  readonly #seen = new Int32Array(new SharedArrayBuffer(8))

  /** Resolves when the thread runs. It keeps no process alive. */
  readonly watching: Promise<void>

  constructor() {
    const thread = new Worker(new URL('./standstill-thread.ts', import.meta.url), { workerData: this.#seen })
    this.watching = new Promise((resolve) => thread.once('message', () => resolve()))
    thread.unref()
  }

  begin(): void {
    Atomics.store(this.#seen, 0, 0)
  }

  /** Milliseconds of the longest standstill since `begin`. */
  longestMs(): number {
    return Atomics.load(this.#seen, 0)
  }

  stoodStill(): boolean {
    return this.longestMs() >= STANDSTILL_MS
  }

  /** Resolves after `restMs` without a standstill, or after `longestMs` in any case. */
  async recovered(restMs = REST_MS, longestMs = MAX_REST_MS): Promise<void> {
    const last = performance.now() + longestMs
    do {
      this.begin()
      await passes(restMs)
      // After a standstill this thread may wake before the other one, which has to say how long it was.
      const woken = Atomics.load(this.#seen, 1)
      while (Atomics.load(this.#seen, 1) < woken + 2) await passes(10)
    } while (this.stoodStill() && performance.now() < last)
  }
}
