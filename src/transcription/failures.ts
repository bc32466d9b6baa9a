/** Failures of a transcription in pieces. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import { isTimeUp, ProviderError } from './providers/provider-error.ts'

/** What failed of a work in pieces. A stop ends it all; the end of its time leaves what is done. */
export class Failures {
  readonly #signal: AbortSignal
  #first: unknown = null
  #isHopeless = false

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Gives the reason, in one sentence. Throws if the work was stopped. */
  take(error: unknown): string {
    const isOver = isTimeUp(this.#signal)
    if (!isOver) this.#signal.throwIfAborted()
    this.#first ??= error
    if (isOver || (error instanceof ProviderError && error.isForAll)) this.#isHopeless = true
    return isOver && !(error instanceof ProviderError) ? 'The time for the transcript was over.' : messageOf(error)
  }

  /** Throws the first failure if no further piece can be transcribed now. */
  throwIfHopeless(): void {
    if (this.#isHopeless) throw this.#first
  }

  throwFirst(): void {
    if (this.#first !== null) throw this.#first
  }
}
