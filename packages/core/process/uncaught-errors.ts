/** An uncaught error is a defect; the recording is still completed instead of being left to recovery. */
const EXIT_DEFECT = 70
/** Longest time for the bot to finish after a defect. Milliseconds. */
const FINISH_MS = 120_000

export type DefectListener = (thrown: unknown) => void

/** Handles uncaught errors until `stop` is called. After the first one the process ends in any case. */
export class UncaughtErrors {
  readonly #source: NodeJS.EventEmitter
  readonly #exit: (code: number) => void
  #listener: DefectListener | null = null
  #deadline: NodeJS.Timeout | null = null

  constructor(source: NodeJS.EventEmitter = process, exit: (code: number) => void = (code) => process.exit(code)) {
    this.#source = source
    this.#exit = exit
    source.on('uncaughtException', this.#hear)
  }

  listen(listener: DefectListener): void {
    this.#listener = listener
  }

  /** An error after this ends the process at once. */
  stop(): void {
    this.#source.off('uncaughtException', this.#hear)
    if (this.#deadline) clearTimeout(this.#deadline)
  }

  readonly #hear = (thrown: unknown): void => {
    if (this.#listener === null) {
      console.error(thrown)
      this.#exit(EXIT_DEFECT)
      return
    }
    this.#deadline ??= setTimeout(() => this.#exit(EXIT_DEFECT), FINISH_MS)
    this.#listener(thrown)
  }
}
