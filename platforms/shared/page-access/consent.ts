/** Dialogs that ask whether the bot agrees to a recording. Pure. */
import type { DialogSnapshot } from '../page/types.ts'
import { CONSENT, matches } from '../words.ts'
import type { DialogAnswer } from './dialogs.ts'

/** Known by its buttons in any words: a choice to leave or to join, or one to agree or not where a recording is named. */
export function isConsentChoice(dialog: DialogSnapshot): boolean {
  const [leave, decline, join, agree] = (['leave', 'decline', 'join', 'agree'] as const).map((choice) =>
    buttonOf(dialog, choice),
  )
  if (leave && join) return true
  return Boolean((leave ?? decline) && (join ?? agree)) && matches(CONSENT.topic, dialog.text)
}

/** The answer to a dialog that asks for consent; against the policy it is to leave. */
export function consentAnswer(dialog: DialogSnapshot, consent: 'accept' | 'refuse', kind = 'consent'): DialogAnswer {
  if (consent === 'accept') return { kind, press: buttonOf(dialog, 'join') ?? buttonOf(dialog, 'agree') }
  const text = dialog.text.slice(0, 160)
  const refusal = `The meeting asks for consent ("${text}") and recording_consent says to refuse.`
  return { kind, press: buttonOf(dialog, 'leave') ?? buttonOf(dialog, 'decline'), refusal }
}

function buttonOf({ buttons }: DialogSnapshot, choice: keyof typeof CONSENT): DialogAnswer['press'] {
  const button = buttons.find(({ label }) => matches(CONSENT[choice], label))
  return button ? { label: button.label, ref: button.ref } : null
}
