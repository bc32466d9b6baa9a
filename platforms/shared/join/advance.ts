/**
 * Before the bot is in: paints the recorder's picture in advance, and keeps the time from which on the picture counts.
 * Whether the bot is in is decided elsewhere.
 */
import type { Logger } from '../../../packages/core/logger.ts'
import type { FrameLink } from '../page-access/frame-link.ts'
import type { PagePhase } from '../page-state.ts'

/** Pages from which the meeting may follow. */
const MAY_STAND_BY: ReadonlySet<PagePhase> = new Set(['entrance', 'waiting', 'undecided', 'in_call', 'disturbed'])

export interface AdvanceParts {
  frames: Pick<FrameLink, 'prepareAhead' | 'isAsAhead'>
  /** Null if only sound is recorded. */
  paint: (() => Promise<unknown>) | null
  logger: Pick<Logger, 'debug'>
}

export class Advance {
  readonly #parts: AdvanceParts
  /** The frames of this document are painted, or about to be. */
  #isPainting = false
  #hasReported = false
  #onReady: (() => void) | null = null
  #provenAt: number | null = null

  constructor(parts: AdvanceParts) {
    this.#parts = parts
  }

  /** UTC milliseconds since when every poll proves that the bot is in; null if there is no proof. */
  get provenAt(): number | null {
    return this.#provenAt
  }

  /** The listener is called once, when a standby recorder may start. */
  onReady(listener: () => void): void {
    this.#onReady = listener
  }

  /** A poll before admission; `provenSince` comes from the admission judge. */
  observe(phase: PagePhase, provenSince: number | null, isNewDocument: boolean): void {
    this.#provenAt = provenSince
    if (isNewDocument) this.#isPainting = false
    if (!MAY_STAND_BY.has(phase) || this.#isPainting || this.#onReady === null) return
    this.#isPainting = true
    void this.#paint().catch((error) => this.#parts.logger.debug('Nothing could be painted in advance', { error }))
  }

  /** A poll after admission, at `at`: a waiting room withdraws the proof. */
  observeInMeeting(phase: PagePhase, at: number): void {
    if (phase === 'waiting') this.#provenAt = null
    else if (phase === 'in_call') this.#provenAt ??= at
  }

  /** Nothing may be recorded before `at`, even if there were earlier proofs. */
  notBefore(at: number): void {
    if (this.#provenAt !== null) this.#provenAt = Math.max(at, this.#provenAt)
  }

  /** The recorded picture is the meeting's: decides finally whether a standby recorder has seen it. */
  settle(): void {
    if (this.#parts.paint !== null && !this.#parts.frames.isAsAhead) this.#provenAt = null
  }

  async #paint(): Promise<void> {
    const { paint, frames } = this.#parts
    if (paint !== null) {
      if (!(await frames.prepareAhead())) return
      await paint()
    }
    if (this.#hasReported) return
    this.#hasReported = true
    this.#onReady?.()
  }
}
