export type StopRequester = 'command' | 'interrupt' | 'terminate'
export type StopListener = (askedBy: StopRequester, atOnce: boolean) => void

/** npm passes an interrupt on to its child, which the terminal has told already; two so close are one wish. */
const SAME_WISH_MS = 400

/**
 * SIGINT, SIGTERM and the terminal's Ctrl-C as wishes of the life. A second interrupt means: at once. A terminal that is
 * closed (SIGHUP) means one interrupt, however often it is told.
 */
export class StopRequests {
  #listener: StopListener | null = null
  /** A wish from before the life listened is kept for it. */
  #pending: Parameters<StopListener>[] = []
  #interruptedAt: number | null = null
  readonly #asked = new AbortController()

  /** Aborted by the first request, for what runs before the life listens. */
  get signal(): AbortSignal {
    return this.#asked.signal
  }

  /** Listens to the process's signals until the returned function is called. */
  listenToSignals(source: NodeJS.EventEmitter = process): () => void {
    const interrupt = () => this.interrupt()
    const terminate = () => this.#ask('terminate', false)
    let isHungUp = false
    const hangUp = () => {
      if (!isHungUp) this.#ask('interrupt', false)
      isHungUp = true
    }
    source.on('SIGINT', interrupt)
    source.on('SIGTERM', terminate)
    source.on('SIGHUP', hangUp)
    return () => {
      source.off('SIGINT', interrupt)
      source.off('SIGTERM', terminate)
      source.off('SIGHUP', hangUp)
    }
  }

  interrupt(now = Date.now()): void {
    const before = this.#interruptedAt
    if (before !== null && now - before < SAME_WISH_MS) return
    this.#interruptedAt = now
    this.#ask('interrupt', before !== null)
  }

  listen(listener: StopListener): void {
    this.#listener = listener
    for (const wish of this.#pending.splice(0)) listener(...wish)
  }

  #ask(...wish: Parameters<StopListener>): void {
    this.#asked.abort(new Error('The bot was asked to stop'))
    if (this.#listener) this.#listener(...wish)
    else this.#pending.push(wish)
  }
}
