/** Which button of which dialog is the right one. Pure; unknown buttons are never touched. */
import type { DialogAnswer } from '../shared/dialogs.ts'
import type { DialogSnapshot } from '../shared/page/types.ts'
import { matches } from '../shared/words.ts'
import { type DialogText, type LabelName, WORDS } from './words.ts'

export interface DialogPolicy {
  consent: 'accept' | 'refuse'
}

/** Wherever these words stand on a button, it is not ours to press without knowing the dialog. */
const DANGEROUS = /\b(?:leave|end|report|block|remove|sign)\b/i

/** The answer to a dialog; one that asks for a consent the policy refuses is answered by going. */
export function answerOf(dialog: DialogSnapshot, { consent }: DialogPolicy): DialogAnswer | null {
  const kind = (Object.keys(WORDS.dialogs) as DialogText[]).find((name) => matches(WORDS.dialogs[name], dialog.text))
  // The order of the wording is the order of preference: an answer is better than the cross in the corner.
  const press = (label: LabelName) => {
    const fitting = (expression: RegExp) => dialog.buttons.find((button) => matches([expression], button.label))
    return WORDS.labels[label].map(fitting).find((button) => button !== undefined) ?? null
  }
  switch (kind) {
    case 'without_devices':
      return { kind, press: press('withoutDevices') }
    case 'captcha':
      // For a person to solve or to leave alone.
      return null
    case 'still_there':
      // Whether the bot stays is decided by its own rules.
      return { kind, press: press('stay') }
    case 'consent': {
      if (consent === 'accept') return { kind, press: press('agree') }
      const text = dialog.text.slice(0, 160)
      const refusal = `The meeting asks for consent ("${text}") and recording_consent says to refuse.`
      return { kind, press: press('decline'), refusal }
    }
    default: {
      const known = press('gotIt')
      return known && !DANGEROUS.test(known.label) ? { kind: 'notice', press: known } : null
    }
  }
}
