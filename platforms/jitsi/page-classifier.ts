/** How the driver judges the pages of Jitsi, in the form that the shared steps use. */

import type { SignalOf } from '@standin/wire/page-signals.ts'
import type { PageClassifier, PageState } from '../shared/page-state.ts'
import type { Waits } from '../shared/waits.ts'
import type { Address } from './address.ts'
import { endOf, refusalOf } from './outcomes.ts'
import type { PageSnapshot } from './page/types.ts'
import { isCorroborated, PAGE_PHASES, type PageStateKind, stateOf } from './page-state.ts'

const NOTICE_MS = 3000

export function jitsiClassifier(
  { host }: Pick<Address, 'host'>,
  hasPassword: boolean,
  waits: Pick<Waits, 'reconnectMs' | 'callErrorMs'>,
): PageClassifier<PageSnapshot, PageStateKind> {
  return {
    stateOf: (snapshot) => stateOf(snapshot, host),
    phases: PAGE_PHASES,
    refusalOf: (state, joinStep) => refusalOf(state, joinStep, hasPassword),
    endOf,
    isCorroborated,
    waitsFor: { waiting_for_host: 'host' },
    signals: { platform: 'jitsi', answeredBy },
    // The page reloads itself after half a minute. Sites with an automatic sign-in return at once.
    patience: {
      reconnecting: waits.reconnectMs,
      unreachable: waits.callErrorMs,
      not_connected: waits.callErrorMs,
      off_site: waits.callErrorMs,
      // A notification may follow that says more.
      not_allowed: NOTICE_MS,
    },
  }
}

const PAGES: readonly PageStateKind[] = ['off_site', 'landing', 'left', 'not_allowed']

/** The signals that a snapshot shows; all are known from the page's source. */
function answeredBy(
  { leaveReason, notices, state }: PageSnapshot,
  { kind }: PageState<PageStateKind>,
): (SignalOf<'jitsi'> | false)[] {
  return [
    leaveReason !== null && 'out.dialog',
    notices.length > 0 && 'out.notice',
    PAGES.includes(kind) && 'out.page',
    state !== null && !state.isJoined && 'out.state',
  ]
}
