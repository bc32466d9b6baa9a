/** Turns on the platform's own captions, which only the bot sees, and keeps them on. */
import type { Logger } from '../../../packages/core/logger.ts'
import type { Clock } from '../../../packages/core/ports.ts'
import type { CommonSnapshot } from '../page/types.ts'

export interface CaptionSteps<Snapshot extends CommonSnapshot = CommonSnapshot> {
  /** One attempt. True if the platform accepted it, though the page may show nothing before the first speech. */
  turnOn(snapshot: Snapshot): Promise<boolean>
}

const TRIES = 5
/** Pages take up to five seconds to react (docs/platform-notes/google-meet.md#captions). */
const TRY_EVERY_MS = 5_000

export interface CaptionKeeping<Snapshot extends CommonSnapshot> {
  /** Null if the platform has no captions that a guest can read. */
  steps: CaptionSteps<Snapshot> | null
  clock: Clock
  logger: Logger
  /** Called when it is known for the first time, and when it changes. */
  onKnown(areOn: boolean): void
}

export class CaptionToggle<Snapshot extends CommonSnapshot> {
  readonly #keeping: CaptionKeeping<Snapshot>
  #known: boolean | null = null
  #tries = 0
  #triedAt = Number.NEGATIVE_INFINITY
  /** The platform accepted it, and the page does not contradict. */
  #isTaken = false

  constructor(keeping: CaptionKeeping<Snapshot>) {
    this.#keeping = keeping
  }

  /** To be called at each poll in which nothing covers the meeting. */
  async update(snapshot: Snapshot, isNewDocument: boolean): Promise<void> {
    const { steps, clock, logger } = this.#keeping
    if (isNewDocument) {
      this.#isTaken = false
      this.#tries = 0
    }
    const shown = snapshot.captionsOn ?? null
    if (shown === true || (shown === null && this.#isTaken)) {
      this.#tries = 0
      this.#report(true)
      return
    }
    if (steps === null || this.#tries >= TRIES) {
      this.#report(false)
      return
    }
    if (clock.now() - this.#triedAt < TRY_EVERY_MS) return
    this.#triedAt = clock.now()
    this.#tries++
    this.#isTaken = await steps.turnOn(snapshot)
    logger.info('Captions are asked for', { tries: this.#tries, isTaken: this.#isTaken })
  }

  #report(areOn: boolean): void {
    if (this.#known === areOn) return
    this.#known = areOn
    this.#keeping.onKnown(areOn)
  }
}
