export type StopRequester = 'command' | 'interrupt' | 'terminate'
export type StopListener = (askedBy: StopRequester, atOnce: boolean) => void

/** npm forwards an interrupt to its child, which also gets it from the terminal; two so close are one request. */
const SAME_REQUEST_MS = 400

/**
 * Turns SIGINT, SIGTERM and Ctrl-C into stop requests. A second interrupt means: at once. A closed terminal (SIGHUP)
 * means one interrupt, however often it is sent.
 */
export class StopRequests {
  #listener: StopListener | null = null
  /** A request from before the bot listens is kept for it. */
  #pending: Parameters<StopListener>[] = []
  #interruptedAt: number | null = null
  readonly #asked = new AbortController()

  /** Aborted by the first request, for work before the bot listens. */
  get signal(): AbortSignal {
    return this.#asked.signal
  }

  listenToSignals(source: NodeJS.EventEmitter = process): void {
    source.on('SIGINT', () => this.interrupt())
    source.on('SIGTERM', () => this.#ask('terminate', false))
    let isHungUp = false
    source.on('SIGHUP', () => {
      if (!isHungUp) this.#ask('interrupt', false)
      isHungUp = true
    })
  }

  interrupt(now = performance.now()): void {
    const before = this.#interruptedAt
    if (before !== null && now - before < SAME_REQUEST_MS) return
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
