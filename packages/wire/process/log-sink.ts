/** The place that a log is written to. A disk that is full and a reader that is gone must not end the program. */
import { writeSync } from 'node:fs'
import { messageOf } from '../text/error-text.ts'

/** Bytes of lines that wait until writing works again; further lines are lost. */
const MAX_WAITING = 1024 * 1024
/** Waiting lines are tried again with the next line, and after this time without one. */
const RETRY_MS = 1000

export class LogSink {
  /** Lines that were given up so far. */
  lost = 0
  /** Called once writing works again after lines were lost, with their number. */
  onRecovery: (lines: number) => void = () => {}
  readonly #fd: number
  readonly #maxWaiting: number
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  #unreported = 0
  #failure: string | null = null
  #retry: NodeJS.Timeout | null = null

  /** `fd` stays open. */
  constructor(fd: number, maxWaiting = MAX_WAITING) {
    this.#fd = fd
    this.#maxWaiting = maxWaiting
  }

  /** Never throws. */
  write(line: string): void {
    this.#push(Buffer.from(line))
    this.#flush()
    if (this.#waitingBytes <= this.#maxWaiting || this.#waiting.length === 1) return
    this.#waitingBytes -= this.#waiting.pop()!.length
    this.lost += 1
    this.#unreported += 1
  }

  /** The present failure as a sentence; null: none. */
  get problem(): string | null {
    if (this.#failure === null) return null
    return `The log cannot be written (${this.#failure}): ${this.#waiting.length} lines wait, ${this.lost} are lost`
  }

  #push(bytes: Buffer): void {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
  }

  #flush(): void {
    try {
      while (this.#waiting.length > 0) {
        const head = this.#waiting[0]!
        const written = writeSync(this.#fd, head)
        this.#waitingBytes -= written
        // The rest of a line continues it, so that no line is torn.
        if (written < head.length) this.#waiting[0] = head.subarray(written)
        else this.#waiting.shift()
      }
      this.#failure = null
    } catch (error) {
      this.#failure = (error as NodeJS.ErrnoException).code ?? messageOf(error)
      this.#retry ??= setTimeout(() => {
        this.#retry = null
        this.#flush()
      }, RETRY_MS).unref()
      return
    }
    if (this.#unreported === 0) return
    const lines = this.#unreported
    this.#unreported = 0
    this.onRecovery(lines)
  }
}
