/** The signals that a snapshot shows; the page notes those of its elements itself. */
import type { SignalOf } from '@standin/wire/page-signals.ts'
import { saidIn } from '../shared/in-call/announced-rooms.ts'
import type { PageState } from '../shared/page-state.ts'
import { matches } from '../shared/words.ts'
import { OUT, REMOVED } from './outcomes.ts'
import type { PageSnapshot } from './page/types.ts'
import type { PageStateKind } from './page-state.ts'
import { WORDS } from './words.ts'

export function answeredBy(snapshot: PageSnapshot, { kind }: PageState<PageStateKind>): (SignalOf<'meet'> | false)[] {
  const { callEnded, ownStatus } = snapshot
  return [
    kind in WORDS.states && 'out.words',
    callEnded && 'out.page',
    (ownStatus === OUT || ownStatus === REMOVED) && 'out.roster',
    saidIn(snapshot).some((text) => matches(WORDS.rooms.open, text)) && 'rooms.words',
  ]
}
