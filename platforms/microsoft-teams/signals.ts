/** The signals that a snapshot shows; the page notes those of its elements itself. */
import type { SignalOf } from '@standin/wire/page-signals.ts'
import { saidIn } from '../shared/in-call/announced-rooms.ts'
import type { PageState } from '../shared/page-state.ts'
import { matches } from '../shared/words.ts'
import type { PageSnapshot } from './page/types.ts'
import { isHeld, type PageStateKind } from './page-state.ts'
import { WORDS } from './words.ts'

export function answeredBy(
  snapshot: PageSnapshot,
  { kind, text }: PageState<PageStateKind>,
): (SignalOf<'teams'> | false)[] {
  const { endNotice, leaveGoneMs, peopleCount, rosterSource } = snapshot
  const says = (expressions: readonly RegExp[]) => snapshot.lines.some((line) => matches(expressions, line))
  const ends: Partial<Record<PageStateKind, readonly RegExp[]>> = WORDS.states
  return [
    snapshot.lobby && 'lobby.screen',
    says(WORDS.states.lobby) && 'lobby.words',
    isHeld(snapshot) && 'lobby.held_button',
    peopleCount !== null && 'people_count.badge',
    (rosterSource === 'push' || rosterSource === 'call') && 'people_count.roster',
    matches(ends[kind] ?? [], text) && 'out.words',
    endNotice !== null && 'out.signalling',
    leaveGoneMs !== null && 'out.no_toolbar',
    saidIn(snapshot).some((text) => matches(WORDS.rooms.open, text)) && 'rooms.words',
  ]
}
