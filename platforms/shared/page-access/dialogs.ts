/** Answers the dialogs of a page: the platform's rules choose the button, and no other element is touched. */
import { BotError } from '../../../packages/core/errors.ts'
import type { CommonSnapshot, DialogSnapshot } from '../page/types.ts'
import type { MeetingPage } from './meeting-page.ts'

export interface DialogAnswer {
  /** The platform's name for dialogs of this kind. */
  kind: string
  /** Null if the dialog has no button for the bot to press. */
  press: { label: string; ref: number } | null
  /** A sentence on why the bot leaves and does not agree to the dialog; reported with or without a button to press. */
  refusal?: string
}

export class DialogResponder {
  readonly #page: MeetingPage
  readonly #answer: (dialog: DialogSnapshot) => DialogAnswer | null
  readonly #pacer: DialogPacer

  /** `answer` gives the answer to a dialog, or null for a dialog that needs none. */
  constructor(page: MeetingPage, answer: (dialog: DialogSnapshot) => DialogAnswer | null) {
    this.#page = page
    this.#answer = answer
    this.#pacer = new DialogPacer(page.waits.dialogDismissMs)
  }

  /**
   * Presses the right button of the first dialog that has one, and returns the dialog's kind. Rejects with
   * BOT_NOT_ACCEPTED when a dialog asks for consent that the bot refuses.
   */
  async answerOpenDialog({ dialogs }: Pick<CommonSnapshot, 'dialogs'>): Promise<string | null> {
    for (const dialog of dialogs) {
      const answer = this.#answer(dialog)
      if (!answer) continue
      const { kind, press, refusal } = answer
      if (refusal !== undefined) {
        if (press) await this.#page.pressReference(press.ref, press.label)
        throw new BotError('BOT_NOT_ACCEPTED', refusal, { step: 'consent' })
      }
      if (!press || !this.#pacer.mayPress(`${kind}/${press.label}`, this.#page.clock.now())) continue
      this.#page.logger.info('Answering a dialog of the page', { dialog: kind, button: press.label })
      if (await this.#page.pressReference(press.ref, press.label)) return kind
    }
    return null
  }
}

/** Keeps a dialog that does not go away from being pressed for ever: at most three presses of a kind within `dismissMs`. */
export class DialogPacer {
  readonly #dismissMs: number
  readonly #presses = new Map<string, number[]>()

  constructor(dismissMs: number) {
    this.#dismissMs = dismissMs
  }

  /** `key` names the kind of the dialog and the button; `at` is in milliseconds. */
  mayPress(key: string, at: number): boolean {
    const recent = (this.#presses.get(key) ?? []).filter((earlier) => at - earlier < this.#dismissMs)
    if (recent.length >= 3) return false
    this.#presses.set(key, [...recent, at])
    return true
  }
}
