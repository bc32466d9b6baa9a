/**
 * Many bots that are due at once: they are started first, and their outcomes are stored afterwards. Until then only the
 * leases of their claims say that they are being started, so that may not take long.
 */
const MAX_MS = 3_000

export class Burst {
  #over: { promise: Promise<void>; resolve: () => void; timer: NodeJS.Timeout } | null = null
  /** Milliseconds of `performance.now()` from which another burst may begin. */
  #notBefore = 0

  /** After each claim. `isFull`: more bots may be due than there are. */
  claimed(isFull: boolean): void {
    if (!isFull) this.end()
    if (!isFull || this.#over !== null || performance.now() < this.#notBefore) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#over = { promise, resolve, timer: setTimeout(() => this.end(), MAX_MS) }
  }

  /** The outcomes get as much time as the burst had, before another one begins. */
  end(): void {
    if (this.#over === null) return
    clearTimeout(this.#over.timer)
    this.#over.resolve()
    this.#over = null
    this.#notBefore = performance.now() + MAX_MS
  }

  /** Resolves when no burst is under way. */
  async over(): Promise<void> {
    await this.#over?.promise
  }
}
