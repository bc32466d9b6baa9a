/** Chooses the button to press in each kind of dialog. Pure; unknown buttons are never pressed. */
import { consentAnswer, isConsent } from '../shared/page-access/consent.ts'
import type { DialogAnswer } from '../shared/page-access/dialogs.ts'
import { matches } from '../shared/words.ts'
import type { DialogSnapshot, PageSnapshot } from './page/types.ts'
import { type DialogText, type LabelName, WORDS } from './words.ts'

export interface DialogPolicy {
  consent: 'accept' | 'refuse'
}

/** The answer to a dialog, or null for one that needs none. */
export function answerOf(dialog: DialogSnapshot, { consent }: DialogPolicy): DialogAnswer | null {
  const kind = kindOf(dialog)
  const press = (label: LabelName): DialogAnswer['press'] => {
    const button = dialog.buttons.find((candidate) => matches(WORDS.labels[label], candidate.label))
    return button ? { label: button.label, ref: button.ref } : null
  }
  switch (kind) {
    case 'consent': {
      const answer = consentAnswer(dialog, consent)
      // The page is left by its own button.
      return { ...answer, press: consent === 'accept' ? (press('understood') ?? answer.press) : null }
    }
    case 'waiting_for_host':
      // "Cancel" leads away from the room, and "Log-in" to an account; only the newer dialog has a button for waiting.
      return { kind, press: press('waitForModerator') }
    case 'to_whom':
      // The bot writes to all, also after a participant sent it a private message.
      return { kind, press: press('sendToAll') }
    case 'password':
    case 'login':
    case 'local_name':
      return null
    default:
      return { kind, press: press('dismiss') }
  }
}

/** The dialog that says why a conference was over is evidence: closing it would remove the evidence. */
export function mayBeAnswered(snapshot: PageSnapshot): boolean {
  return snapshot.leaveReason === null && snapshot.overlay === null
}

/** In unknown words the buttons decide, where they leave no doubt. */
export function kindOf(dialog: DialogSnapshot): DialogText | 'notice' {
  const known = (Object.keys(WORDS.dialogs) as DialogText[]).find((kind) => matches(WORDS.dialogs[kind], dialog.text))
  return known ?? (isConsent(dialog) ? 'consent' : 'notice')
}
