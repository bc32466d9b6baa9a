/** What nobody caught is a defect; the recording is finished all the same, rather than left to a recovery. */
const EXIT_DEFECT = 70
/** For as long as this the life may take to finish after a defect that may have broken it. Milliseconds. */
const FINISH_MS = 120_000

export type DefectListener = (thrown: unknown) => void

/** Hears errors that nobody caught until `stop` is called. After the first one the process ends in any case. */
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

  /** Whoever throws from here on ends the process at once. */
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
