/** Chooses the button to press in each kind of dialog. Pure; unknown buttons are never pressed. */

import type { DialogSnapshot } from '../shared/page/types.ts'
import { consentAnswer, isConsent } from '../shared/page-access/consent.ts'
import type { DialogAnswer } from '../shared/page-access/dialogs.ts'
import { matches } from '../shared/words.ts'
import { type DialogText, type LabelName, WORDS } from './words.ts'

export interface DialogPolicy {
  consent: 'accept' | 'refuse'
}

/** The bot never presses a button with these words, unless it knows the dialog. */
const DANGEROUS = /\b(?:leave|end|report|block|remove|sign)\b/i

/** The answer to a dialog; for one that asks for consent against the policy, the answer is to leave. */
export function answerOf(dialog: DialogSnapshot, { consent }: DialogPolicy): DialogAnswer | null {
  const kind = kindOf(dialog)
  // The order of the words is the order of preference: an answer is better than the cross in the corner.
  const press = (label: LabelName) => {
    const fitting = (expression: RegExp) => dialog.buttons.find((button) => matches([expression], button.label))
    return WORDS.labels[label].map(fitting).find((button) => button !== undefined) ?? null
  }
  switch (kind) {
    case 'without_devices':
      return { kind, press: press('withoutDevices') }
    case 'captcha':
      // A person may solve it; the bot does not press.
      return null
    case 'still_there':
      // The bot's own rules decide whether it stays.
      return { kind, press: press('stay') }
    case 'breakout':
      return { kind, press: press('later') }
    case 'consent':
      return consentAnswer(dialog, consent)
    default: {
      const known = press('gotIt')
      return known && !DANGEROUS.test(known.label) ? { kind: 'notice', press: known } : null
    }
  }
}

/** In unknown words the buttons decide, where they leave no doubt. */
function kindOf(dialog: DialogSnapshot): DialogText | null {
  const { text, buttons } = dialog
  const known = (Object.keys(WORDS.dialogs) as DialogText[]).find((name) => matches(WORDS.dialogs[name], text))
  if (known) return known
  const offers = (label: LabelName) => buttons.some((button) => matches(WORDS.labels[label], button.label))
  if (isConsent(dialog)) return 'consent'
  return offers('leave') && offers('stay') ? 'still_there' : null
}
