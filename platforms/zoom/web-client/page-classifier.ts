/** The web client guest's knowledge of its pages, in the form that the shared join steps need. */

import type { SignalOf } from '@standin/wire/page-signals.ts'
import type { PageClassifier } from '../../shared/page-state.ts'
import type { Waits } from '../../shared/waits.ts'
import { matches } from '../../shared/words.ts'
import { endOf, refusalOf } from '../outcomes.ts'
import type { ZoomPaces } from '../paces.ts'
import type { PageSnapshot } from '../page/types.ts'
import {
  asksForConsent,
  isFinalDialog,
  isFinalName,
  locationOf,
  PAGE_PHASES,
  type PageStateKind,
  stateOf,
  waitingIn,
} from '../page-state.ts'
import { WORDS } from '../words.ts'

export function webClientClassifier(
  waits: Pick<Waits, 'captchaMs' | 'callErrorMs'>,
  { onHoldMs }: Pick<ZoomPaces, 'onHoldMs'>,
): PageClassifier<PageSnapshot, PageStateKind> {
  let onHoldSince: number | null = null
  return {
    stateOf,
    phases: PAGE_PHASES,
    refusalOf,
    endOf(state, { at }) {
      const end = endOf(state)
      if (end !== null) return end
      // A return to the waiting room is no end, unless no host ever lets the bot in again.
      const isOnHold = PAGE_PHASES[state.kind] === 'waiting'
      onHoldSince = isOnHold ? (onHoldSince ?? at) : null
      return onHoldSince !== null && at - onHoldSince > onHoldMs ? 'removed' : null
    },
    patience: {
      captcha: waits.captchaMs,
      join_failed: waits.callErrorMs,
      went_wrong: waits.callErrorMs,
    },
    decidedBefore: ['removed_before'],
    waitsFor: { waiting_for_host: 'host', invalid_link: 'valid_link' },
    // The footer and a picture are drawn by different parts of the client.
    isCorroborated: ({ proofs }) => proofs.length > 1,
    signals: { platform: 'zoom', answeredBy },
  }
}

/** The signals that a snapshot shows; the page notes those of its elements itself. */
function answeredBy(snapshot: PageSnapshot): (SignalOf<'zoom'> | false)[] {
  const { joining, waiting, lines, dialogs, dialogNames } = snapshot
  return [
    joining !== null && 'joining.layer',
    lines.some((line) => matches(WORDS.states.joining, line)) && 'joining.words',
    waiting !== null && 'waiting.room',
    waitingIn(waiting ?? lines) !== null && 'waiting.words',
    dialogs.some(asksForConsent) && 'recording.words',
    dialogNames.some(isFinalName) && 'out.dialog',
    dialogs.some(({ text }) => isFinalDialog(text)) && 'out.words',
    locationOf(snapshot) !== null && 'out.page',
  ]
}
