/** Turns on the platform's own captions, which only the bot sees, and keeps them on. */
import type { Logger } from '../../src/logger.ts'
import type { Clock } from '../../src/ports.ts'
import type { CommonSnapshot } from './page/types.ts'

export interface CaptionSteps<Signs extends CommonSnapshot = CommonSnapshot> {
  /** One attempt. True where the platform took it, though the page may show nothing before somebody speaks. */
  turnOn(signs: Signs): Promise<boolean>
}

const TRIES = 5
/** Pages take up to five seconds to obey (docs/platform-notes/google-meet.md#captions). */
const TRY_EVERY_MS = 5_000

export interface CaptionKeeping<Signs extends CommonSnapshot> {
  /** Null where the platform has no captions that a guest can read. */
  steps: CaptionSteps<Signs> | null
  clock: Clock
  logger: Logger
  /** Called when it is known for the first time, and when it changes. */
  onKnown(areOn: boolean): void
}

export class CaptionToggle<Signs extends CommonSnapshot> {
  readonly #keeping: CaptionKeeping<Signs>
  #known: boolean | null = null
  #tries = 0
  #triedAt = Number.NEGATIVE_INFINITY
  /** The platform took it, and the page says nothing against it. */
  #isTaken = false

  constructor(keeping: CaptionKeeping<Signs>) {
    this.#keeping = keeping
  }

  /** Each look at a meeting that is clear. */
  async look(signs: Signs, isNewDocument: boolean): Promise<void> {
    const { steps, clock, logger } = this.#keeping
    if (isNewDocument) {
      this.#isTaken = false
      this.#tries = 0
    }
    const shown = signs.captionsOn ?? null
    if (shown === true || (shown === null && this.#isTaken)) {
      this.#tries = 0
      this.#tell(true)
      return
    }
    if (steps === null || this.#tries >= TRIES) {
      this.#tell(false)
      return
    }
    if (clock.now() - this.#triedAt < TRY_EVERY_MS) return
    this.#triedAt = clock.now()
    this.#tries++
    this.#isTaken = await steps.turnOn(signs)
    logger.info('Captions are asked for', { tries: this.#tries, isTaken: this.#isTaken })
  }

  #tell(areOn: boolean): void {
    if (this.#known === areOn) return
    this.#known = areOn
    this.#keeping.onKnown(areOn)
  }
}
