/** Dialogs that ask whether the bot agrees to a recording. Pure. */
import type { DialogSnapshot } from '../page/types.ts'
import { CONSENT, matches } from '../words.ts'
import type { DialogAnswer } from './dialogs.ts'

/**
 * Known by its buttons in any words: a choice to leave or to join, or one to agree or not where a recording is named. Cancel
 * and OK are no such choice: then a text decides that names a recording and says that it goes on.
 */
export function isConsent(dialog: DialogSnapshot): boolean {
  const [leave, decline, join, agree] = (['leave', 'decline', 'join', 'agree'] as const).map((choice) =>
    buttonOf(dialog, choice),
  )
  if (leave && join) return true
  const { text } = dialog
  if (!matches(CONSENT.topic, text) || matches(CONSENT.leaving, text)) return false
  // A participant who wants to record leaves no choice to go.
  if (!leave && isRequest(dialog)) return false
  if (text.split(SENTENCES).some(saysRecorded)) return true
  if (matches(CONSENT.apart, text)) return false
  if ((leave && (agree ?? besideLeave(dialog))) || (decline && join)) return true
  return Boolean(decline && agree && ![decline, agree].every(({ label }) => matches(CONSENT.weak, label)))
}

const SENTENCES = /(?<=[.!?。！？])\s*/u

function saysRecorded(sentence: string): boolean {
  const { topic, happens, apart } = CONSENT
  return matches(topic, sentence) && matches(happens, sentence) && !matches(apart, sentence)
}

/** A participant asks for something that the bot never grants: control, a recording, admission of others. */
export function isRequest({ text }: DialogSnapshot): boolean {
  return matches(CONSENT.request, text)
}

/** The answer to a dialog that asks for consent; against the policy it is to leave. */
export function consentAnswer(dialog: DialogSnapshot, consent: 'accept' | 'refuse', kind = 'consent'): DialogAnswer {
  if (consent === 'accept')
    return { kind, press: buttonOf(dialog, 'join') ?? buttonOf(dialog, 'agree') ?? besideLeave(dialog) }
  const text = dialog.text.slice(0, 160)
  const refusal = `The meeting asks for consent ("${text}") and recording_consent says to refuse.`
  return { kind, press: buttonOf(dialog, 'leave') ?? buttonOf(dialog, 'decline'), refusal }
}

/** These do something else than agree. */
const NO_ANSWER = /\b(?:leave|end|stop|report|block|remove|learn|more|settings?|privacy|policy|details?|help|sign)\b/i

/** The one other button of a dialog that offers to leave. */
function besideLeave(dialog: DialogSnapshot): DialogAnswer['press'] {
  const leave = buttonOf(dialog, 'leave')
  const [other, ...more] = dialog.buttons.filter(({ ref }) => ref !== leave?.ref)
  return leave && other && more.length === 0 && !NO_ANSWER.test(other.label)
    ? { label: other.label, ref: other.ref }
    : null
}

function buttonOf({ buttons }: DialogSnapshot, choice: keyof typeof CONSENT): DialogAnswer['press'] {
  const button = buttons.find(({ label }) => matches(CONSENT[choice], label))
  return button ? { label: button.label, ref: button.ref } : null
}
