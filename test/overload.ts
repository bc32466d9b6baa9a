/** Whether this machine had time for what a test measured. */
import { readFileSync } from 'node:fs'
import { setTimeout as passes } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** A thread that sleeps and is woken so late: the whole machine stood still. */
const STOOD_STILL_MS = 250
/** The share of the time in which something that could run had to wait for a core. */
const WAITED_SHARE = 0.5
/** A machine that has stood still does so again within moments, often for minutes. */
const REST_MS = 10_000
const LONGEST_REST_MS = 180_000

export class OverloadWatch {
  readonly #latest = new Int32Array(new SharedArrayBuffer(4))
  #since = 0
  #waitedMs: number | null = null

  constructor() {
    new Worker(new URL('./overload-thread.ts', import.meta.url), { workerData: this.#latest }).unref()
  }

  begin(): void {
    Atomics.store(this.#latest, 0, 0)
    this.#since = performance.now()
    this.#waitedMs = waitedMs()
  }

  /** Since it began. */
  stoodStill(): boolean {
    return Atomics.load(this.#latest, 0) >= STOOD_STILL_MS
  }

  /** Since it began. */
  wasOverloaded(): boolean {
    const now = waitedMs()
    const waited = now === null || this.#waitedMs === null ? 0 : now - this.#waitedMs
    return this.stoodStill() || waited >= WAITED_SHARE * (performance.now() - this.#since)
  }

  /** Resolves once the machine had time for `restMs` on end; one that has none for `longestMs` is waited for no longer. */
  async rested(restMs = REST_MS, longestMs = LONGEST_REST_MS): Promise<void> {
    const last = performance.now() + longestMs
    do {
      this.begin()
      await passes(restMs)
    } while (this.wasOverloaded() && performance.now() < last)
  }
}

/** Linux's pressure stall information, `/proc/pressure/cpu`; null where the kernel keeps none. */
function waitedMs(): number | null {
  try {
    const total = /^some .*total=(\d+)/m.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1]
    return total === undefined ? null : Number(total) / 1000
  } catch {
    return null
  }
}
