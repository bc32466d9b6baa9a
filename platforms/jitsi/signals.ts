/** The signals that a snapshot shows; all are known from the page's source. */
import type { SignalOf } from '@standin/wire/page-signals.ts'
import type { PageState } from '../shared/page-state.ts'
import type { PageSnapshot } from './page/types.ts'
import type { PageStateKind } from './page-state.ts'

const PAGES: readonly PageStateKind[] = ['off_site', 'landing', 'left', 'not_allowed']

export function answeredBy(
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
