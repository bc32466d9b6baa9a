/**
 * Chooses the button to press in each kind of dialog. Pure; unknown buttons are never pressed.
 * docs/platform-notes/zoom.md#notices-and-dialogs.
 */

import type { DialogSnapshot } from '../shared/page/types.ts'
import { consentAnswer, isRequest } from '../shared/page-access/consent.ts'
import type { DialogAnswer } from '../shared/page-access/dialogs.ts'
import { matches } from '../shared/words.ts'
import { asksForConsent, isDevicePrompt, isFinalDialog, waitingIn } from './page-state.ts'
import { type DialogWord, type LabelName, WORDS } from './words.ts'

export interface DialogPolicy {
  consent: 'accept' | 'refuse'
}

/** The bot never presses a button with these words, unless it knows the dialog. */
const DANGEROUS = /\b(?:leave|end|sign|report|remove|stop|unmute|retry)\b/i

/** The answer to a dialog, or null for one that needs none. */
export function answerDialog(dialog: DialogSnapshot, policy: DialogPolicy): DialogAnswer | null {
  const button = (label: LabelName) => {
    const found = dialog.buttons.find((candidate) => matches(WORDS.labels[label], candidate.label))
    return found ? { label: found.label, ref: found.ref } : null
  }
  const dismissal = () => {
    const press = button('gotIt')
    return press && !DANGEROUS.test(press.label) ? press : null
  }
  // A dialog about the end is read, and the page continues by itself.
  if (isFinalDialog(dialog.text) || waitingIn([dialog.text])) return null
  if (isDevicePrompt(dialog))
    return { kind: 'device_prompt', press: button('allowDevices') ?? button('withoutDevices') }
  switch (kindOf(dialog)) {
    case 'recording': {
      const answer = consentAnswer(dialog, policy.consent, 'recording')
      return answer.refusal === undefined ? { ...answer, press: answer.press ?? dismissal() } : answer
    }
    case 'join_audio':
      return { kind: 'join_audio', press: button('joinAudio') }
    case 'unmute':
      return { kind: 'unmute', press: button('stayMuted') }
    case 'breakout':
      return { kind: 'breakout', press: button('later') }
    case 'breakouts_close':
      return null
    default:
      return { kind: 'notice', press: isRequest(dialog) ? null : dismissal() }
  }
}

function kindOf(dialog: DialogSnapshot): DialogWord | null {
  if (asksForConsent(dialog)) return 'recording'
  const { text } = dialog
  const kinds = Object.keys(WORDS.dialogs) as DialogWord[]
  return kinds.find((kind) => matches(WORDS.dialogs[kind], text)) ?? null
}
