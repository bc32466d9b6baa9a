/**
 * Leaves the meeting or the waiting room, as one participant: a bot that has become host does not end it for the
 * others.
 */
import type { LeaveSteps } from '../shared/in-call/leaving.ts'
import type { MeetingPage } from '../shared/page-access/meeting-page.ts'
import type { ElementName, PageSnapshot } from './page/types.ts'
import { PAGE_PHASES, stateOf } from './page-state.ts'

/** `page` may have more elements and signs than these. */
export function leaveSteps(page: Pick<MeetingPage<PageSnapshot, ElementName>, 'press'>): LeaveSteps<PageSnapshot> {
  return {
    // In the meeting it opens a bar of options; in the waiting room it leaves at once.
    press: (snapshot) => (snapshot !== null && isOut(snapshot) ? Promise.resolve(true) : page.press('leave')),
    async confirm(snapshot) {
      if (snapshot.leaveOptions) await page.press('leaveMeeting')
    },
    isOut,
  }
}

/**
 * A page without the control has no meeting to leave: a form, an error. Only while it joins, the control is still to
 * come.
 */
function isOut(snapshot: PageSnapshot): boolean {
  const { kind } = stateOf(snapshot)
  return (
    PAGE_PHASES[kind] === 'out' ||
    (!snapshot.leaveControl && PAGE_PHASES[kind] !== 'reconnecting' && kind !== 'joining')
  )
}
