/** Whether this machine had time for what a test measured. */
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** A thread that sleeps and is woken so late: the whole machine stood still. */
const STOOD_STILL_MS = 250
/** The share of the time in which something that could run had to wait for a core. */
const WAITED_SHARE = 0.5

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
