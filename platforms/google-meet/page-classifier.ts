/** How the driver judges the pages of Google Meet, in the form that the shared steps use. */
import type { PageClassifier } from '../shared/page-state.ts'
import type { Waits } from '../shared/waits.ts'
import { endOf, refusalOf } from './outcomes.ts'
import type { PageSnapshot } from './page/types.ts'
import { isCorroborated, PAGE_PHASES, type PageStateKind, stateOf } from './page-state.ts'
import { answeredBy } from './signals.ts'
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
    // A person may solve a captcha, and a call error may disappear.
    patience: { captcha: waits.captchaMs, call_error: waits.callErrorMs },
  }
}
