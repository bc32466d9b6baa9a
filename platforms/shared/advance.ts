/**
 * Before the bot is in: the recorder's picture is painted in advance, and the moment is known from which on it counts. The
 * decision whether the bot is in is not made here.
 */
import type { Logger } from '../../src/logger.ts'
import type { FrameLink } from './frame-link.ts'
import type { PagePhase } from './page-state.ts'

/** The page is one from which the meeting may follow. */
const MAY_STAND_BY: ReadonlySet<PagePhase> = new Set(['entrance', 'waiting', 'undecided', 'in_call', 'disturbed'])

export interface AdvanceParts {
  frames: Pick<FrameLink, 'prepareAhead' | 'isAsAhead'>
  /** Null where only sound is recorded. */
  paint: (() => Promise<unknown>) | null
  logger: Pick<Logger, 'debug'>
}

export class Advance {
  readonly #parts: AdvanceParts
  /** The frames of this document are painted, or about to be. */
  #isPainting = false
  #hasTold = false
  #onReady: (() => void) | null = null
  #provenAt: number | null = null

  constructor(parts: AdvanceParts) {
    this.#parts = parts
  }

  /** UTC milliseconds since when every look proves that the bot is in; null where nothing is proven. */
  get provenAt(): number | null {
    return this.#provenAt
  }

  /** Called once, when a recorder may stand by. */
  onReady(listener: () => void): void {
    this.#onReady = listener
  }

  /** A look before admission; `provenSince` is what the judge of the admission has of it. */
  observe(phase: PagePhase, provenSince: number | null, isNewDocument: boolean): void {
    this.#provenAt = provenSince
    if (isNewDocument) this.#isPainting = false
    if (!MAY_STAND_BY.has(phase) || this.#isPainting || this.#onReady === null) return
    this.#isPainting = true
    void this.#paint().catch((error) => this.#parts.logger.debug('Nothing could be painted in advance', { error }))
  }

  /** A look after admission, at `at`: a waiting room after all takes the proof back. */
  observeInMeeting(phase: PagePhase, at: number): void {
    if (phase === 'waiting') this.#provenAt = null
    else if (phase === 'in_call') this.#provenAt ??= at
  }

  /** Nothing may be recorded before `at`, even if there were earlier proofs. */
  notBefore(at: number): void {
    if (this.#provenAt !== null) this.#provenAt = Math.max(at, this.#provenAt)
  }

  /** The picture that is recorded is the meeting's: the last word on whether a recorder that stood by saw it. */
  settle(): void {
    if (this.#parts.paint !== null && !this.#parts.frames.isAsAhead) this.#provenAt = null
  }

  async #paint(): Promise<void> {
    const { paint, frames } = this.#parts
    if (paint !== null) {
      if (!(await frames.prepareAhead())) return
      await paint()
    }
    if (this.#hasTold) return
    this.#hasTold = true
    this.#onReady?.()
  }
}
