/** Chooses the button to press in each kind of dialog. Pure; unknown buttons are never pressed. */

import type { DialogSnapshot } from '../shared/page/types.ts'
import { consentAnswer, isConsent } from '../shared/page-access/consent.ts'
import type { DialogAnswer } from '../shared/page-access/dialogs.ts'
import { matches } from '../shared/words.ts'
import { type DialogText, type LabelName, WORDS } from './words.ts'

export type DialogKind = DialogText | 'tip' | 'notice'

export interface DialogPolicy {
  consent: 'accept' | 'refuse'
  /** The bot shows a picture, so its camera is wanted. */
  wantsCamera: boolean
}

export interface DialogStep {
  kind: DialogKind
  label: string
  ref: number
}

/** The bot never presses a button with these words, unless it knows the dialog. */
const DANGEROUS = /\b(?:leave|end|report|block|remove)\b/i

/** The answer to a dialog; for one that asks for consent against the policy, the answer is to leave. */
export function answerOf(dialog: DialogSnapshot, policy: DialogPolicy): DialogAnswer {
  const kind = kindOf(dialog)
  const press = dialogStep(dialog, policy)
  return kind === 'consent' ? { ...consentAnswer(dialog, policy.consent), press } : { kind, press }
}

/** The button to press, or null for a dialog that needs no answer. */
export function dialogStep(dialog: DialogSnapshot, policy: DialogPolicy): DialogStep | null {
  const kind = kindOf(dialog)
  const press = (labels: readonly LabelName[], actions: readonly string[] = []): DialogStep | null => {
    for (const label of labels) {
      const button = dialog.buttons.find((candidate) => matches(WORDS.labels[label], candidate.label))
      if (button) return { kind, label: button.label, ref: button.ref }
    }
    const button = dialog.buttons.find(({ action }) => action !== null && actions.includes(action))
    return button ? { kind, label: button.label, ref: button.ref } : null
  }
  switch (kind) {
    case 'consent': {
      const known = consentAnswer(dialog, policy.consent).press
      return known ? { kind, ...known } : press([], [policy.consent === 'accept' ? 'ok' : 'cancel'])
    }
    case 'device_prompt':
      return policy.wantsCamera ? press(['useDevices'], ['ok']) : press(['withoutDevices'], ['cancel'])
    case 'signin_promo':
      return press(['gotIt'], ['close'])
    case 'alone':
      return press(['stay'], ['ok'])
    case 'leave_host':
      return press(['justLeave'])
    case 'breakout':
      return press(['later'], ['cancel', 'close'])
    case 'take_over':
      return press([], ['cancel', 'close'])
    default: {
      const step = press(['gotIt'], dialog.buttons.length === 1 ? ['ok', 'close'] : ['close'])
      return step && !DANGEROUS.test(step.label) ? step : null
    }
  }
}

/** In unknown words the buttons decide, where they leave no doubt. */
export function kindOf(dialog: DialogSnapshot): DialogKind {
  const known = (Object.keys(WORDS.dialogs) as DialogText[]).find((kind) => matches(WORDS.dialogs[kind], dialog.text))
  if (known) return known
  const offers = (label: LabelName) => dialog.buttons.some((button) => matches(WORDS.labels[label], button.label))
  if (isConsent(dialog)) return 'consent'
  if (offers('stay')) return 'alone'
  return dialog.isPersistent ? 'notice' : 'tip'
}
