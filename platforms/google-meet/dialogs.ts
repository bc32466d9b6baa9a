/** Which button of which dialog is the right one. Pure; unknown buttons are never touched. */
import type { DialogSigns } from './page/types.ts'
import { type DialogText, type LabelName, matches, TEXTS } from './texts.ts'

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

/** Wherever these words stand on a button, it is not ours to press without knowing the dialog. */
const DANGEROUS = /\b(?:leave|end|report|block|remove)\b/i

/** What to press, or null for a dialog that is left alone. */
export function dialogStep(dialog: DialogSigns, policy: DialogPolicy): DialogStep | null {
  const kind = kindOf(dialog)
  const press = (labels: readonly LabelName[], actions: readonly string[] = []): DialogStep | null => {
    for (const label of labels) {
      const button = dialog.buttons.find((candidate) => matches(TEXTS.labels[label], candidate.label))
      if (button) return { kind, label: button.label, ref: button.ref }
    }
    const button = dialog.buttons.find(({ action }) => action !== null && actions.includes(action))
    return button ? { kind, label: button.label, ref: button.ref } : null
  }
  switch (kind) {
    case 'consent':
      return policy.consent === 'accept' ? press(['consentYes'], ['ok']) : press(['consentNo'], ['cancel'])
    case 'device_prompt':
      return policy.wantsCamera ? press(['useDevices'], ['ok']) : press(['withoutDevices'], ['cancel'])
    case 'signin_promo':
      return press(['gotIt'], ['close'])
    case 'alone':
      return press(['stay'], ['ok'])
    case 'leave_host':
      return press(['justLeave'])
    default: {
      const step = press(['gotIt'], dialog.buttons.length === 1 ? ['ok', 'close'] : ['close'])
      return step && !DANGEROUS.test(step.label) ? step : null
    }
  }
}

export function kindOf(dialog: DialogSigns): DialogKind {
  const known = (Object.keys(TEXTS.dialogs) as DialogText[]).find((kind) => matches(TEXTS.dialogs[kind], dialog.text))
  return known ?? (dialog.isPersistent ? 'notice' : 'tip')
}

/** Keeps a dialog that does not go away from being pressed for ever: three presses of a kind in one sweep. */
export class DialogPacer {
  readonly #sweepMs: number
  readonly #presses = new Map<string, number[]>()

  constructor(sweepMs: number) {
    this.#sweepMs = sweepMs
  }

  mayPress({ kind, label }: DialogStep, at: number): boolean {
    const key = `${kind}/${label}`
    const recent = (this.#presses.get(key) ?? []).filter((earlier) => at - earlier < this.#sweepMs)
    if (recent.length >= 3) return false
    this.#presses.set(key, [...recent, at])
    return true
  }
}
