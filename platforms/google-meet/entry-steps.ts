/** Steps that joining, waiting and being in the meeting share: dialogs are answered, and nothing else is touched. */
import { BotError } from '../../src/errors.ts'
import { type DialogKind, DialogPacer, type DialogPolicy, dialogStep, kindOf } from './dialogs.ts'
import type { MeetPage } from './meet-page.ts'
import type { PageSigns } from './page/types.ts'
import { labelIsJoin } from './texts.ts'

export class DialogSweeper {
  readonly #page: MeetPage
  readonly #policy: DialogPolicy
  readonly #pacer: DialogPacer

  constructor(page: MeetPage, policy: DialogPolicy) {
    this.#page = page
    this.#policy = policy
    this.#pacer = new DialogPacer(page.waits.dialogSweepMs)
  }

  /**
   * Presses the right button of the first dialog that has one. Rejects with BOT_NOT_ACCEPTED when the meeting asks for
   * a consent that the policy refuses.
   */
  async sweep(signs: PageSigns): Promise<DialogKind | null> {
    for (const dialog of signs.dialogs) {
      const kind = kindOf(dialog)
      const step = dialogStep(dialog, this.#policy)
      if (kind === 'consent' && this.#policy.consent === 'refuse') {
        if (step) await this.#page.pressReference(step.ref, step.label)
        const text = dialog.text.slice(0, 160)
        throw new BotError(
          'BOT_NOT_ACCEPTED',
          `The meeting asks for consent ("${text}") and recording_consent says to refuse.`,
          { step: 'consent' },
        )
      }
      if (!step || !this.#pacer.mayPress(step, this.#page.clock.now())) continue
      this.#page.logger.info('Answering a dialog of the page', { dialog: kind, button: step.label })
      if (!(await this.#page.pressReference(step.ref, step.label))) continue
      return kind
    }
    return null
  }
}

/** For a sentence about a page in another language than the one that was asked for. */
export function languageNote(signs: PageSigns | null): string {
  const lang = signs?.lang ?? ''
  if (lang === '' || /^en\b/i.test(lang)) return ''
  const label = signs?.join?.label
  const seen = label === undefined || labelIsJoin(label) ? '' : `; its button says "${label}"`
  return ` The page is in the language "${lang}" although English was asked for${seen}.`
}
