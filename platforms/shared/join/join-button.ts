/** The button that asks to join: limits the number and the interval of presses, and explains a failure in words. */
import { BotError } from '../../../packages/core/errors.ts'
import type { Logger } from '../../../packages/core/logger.ts'
import type { AskGate, Clock } from '../../../packages/core/ports.ts'
import type { Waits } from '../waits.ts'

export interface SeenButton {
  label: string
  isEnabled: boolean
}

/** The part of `MeetingPage` that the button needs. */
export interface PageWithButton {
  readonly clock: Clock
  readonly waits: Waits
  readonly logger: Logger
  readonly gate: Pick<AskGate, 'isOpen'>
  wakePointer(): Promise<void>
  press(name: 'join'): Promise<boolean>
}

export class JoinButton {
  readonly #page: PageWithButton
  #clicks = 0
  #clickedAt: number | null = null

  constructor(page: PageWithButton) {
    this.#page = page
  }

  get wasPressed(): boolean {
    return this.#clicks > 0
  }

  /** The last press had no effect, or there is another button now: the next one need not wait. */
  forgetPress(): void {
    this.#clickedAt = null
  }

  /**
   * Presses the button where it is enabled, the bot may ask, and the last press is long enough ago. `note` ends the
   * sentence about a button without effect; `seen` goes into the log. Rejects with CANNOT_JOIN_MEETING.
   */
  async press(button: SeenButton | null, note: string, seen: Record<string, unknown> = {}): Promise<void> {
    const { clock, waits, logger, gate } = this.#page
    if (!button?.isEnabled || !gate.isOpen) return
    if (this.#clickedAt !== null && clock.now() - this.#clickedAt < waits.joinClickMs) return
    if (this.#clicks >= waits.joinClicks)
      throw cannotJoin(`The button "${button.label}" was pressed ${this.#clicks} times without effect.${note}`)
    logger.info('Asking to join', { button: button.label, ...seen })
    this.#clicks++
    this.#clickedAt = clock.now()
    // Moves the pointer first, as a person would.
    await this.#page.wakePointer()
    await this.#page.press('join')
  }

  /** The error of a page that did not decide within its time. */
  timeOut(button: SeenButton | null, note: string): BotError {
    const why =
      button && !button.isEnabled
        ? `the button "${button.label}" stayed disabled`
        : this.wasPressed
          ? 'it came to no decision after the request to join'
          : 'neither a name box nor a button to join appeared'
    return cannotJoin(`The meeting page did not let the bot ask: ${why}.${note}`)
  }
}

function cannotJoin(sentence: string): BotError {
  return new BotError('CANNOT_JOIN_MEETING', sentence, { step: 'pre-join', canRetry: true })
}
