/** How the driver judges the pages of Google Meet, in the form that the shared steps use. */

import type { SignalOf } from '@standin/wire/page-signals.ts'
import { saidIn } from '../shared/in-call/announced-rooms.ts'
import type { PageClassifier, PageState } from '../shared/page-state.ts'
import type { Waits } from '../shared/waits.ts'
import { matches } from '../shared/words.ts'
import { endOf, OUT, REMOVED, refusalOf } from './outcomes.ts'
import type { PageSnapshot } from './page/types.ts'
import { isCorroborated, PAGE_PHASES, type PageStateKind, stateOf } from './page-state.ts'
import { WORDS } from './words.ts'

export function meetClassifier(
  waits: Pick<Waits, 'captchaMs' | 'callErrorMs' | 'suspectedMs'>,
): PageClassifier<PageSnapshot, PageStateKind> {
  return {
    stateOf,
    phases: PAGE_PHASES,
    refusalOf,
    endOf,
    isCorroborated,
    roomWords: WORDS.rooms,
    signals: { platform: 'meet', answeredBy },
    // The second queue, for risky guests.
    deniesAfterMs: waits.suspectedMs,
    // A person may solve a captcha, a call error may disappear, and a page may be on its way to known words.
    patience: { captcha: waits.captchaMs, call_error: waits.callErrorMs, unknown_end: waits.callErrorMs },
    waitsFor: { waiting_for_host: 'host' },
    answers: ['denied', 'request_timed_out'],
  }
}

/** The signals that a snapshot shows; the page notes those of its elements itself. */
function answeredBy(snapshot: PageSnapshot, { kind }: PageState<PageStateKind>): (SignalOf<'meet'> | false)[] {
  const { callEnded, ownStatus } = snapshot
  return [
    kind in WORDS.states && 'out.words',
    callEnded && 'out.page',
    (ownStatus === OUT || ownStatus === REMOVED) && 'out.roster',
    saidIn(snapshot).some((text) => matches(WORDS.rooms.open, text)) && 'rooms.words',
  ]
}
