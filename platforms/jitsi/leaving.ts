/**
 * Steps to leave a Jitsi meeting: by its button. A moderator's button asks how to leave, and only one answer does not
 * end the meeting for others.
 */
import type { LeaveSteps } from '../shared/in-call/leaving.ts'
import type { MeetingPage } from '../shared/page-access/meeting-page.ts'
import type { ElementName, PageSnapshot } from './page/types.ts'
import { PAGE_PHASES, stateOf } from './page-state.ts'

/**
 * A request to join has no button that withdraws it; it ends when the page is closed
 * (docs/platform-notes/jitsi.md#waiting-in-the-lobby).
 */
export function leaveSteps(
  page: MeetingPage<PageSnapshot, ElementName>,
  meetingHost: string,
): LeaveSteps<PageSnapshot> {
  return {
    press: async (snapshot) => (snapshot?.screen ? false : page.press('leave')),
    async confirm() {
      const choice = await page.element('leaveOnly')
      if (!choice) return
      await choice.dispose().catch(() => {})
      await page.press('leaveOnly')
    },
    isOut: (snapshot) => PAGE_PHASES[stateOf(snapshot, meetingHost).kind] === 'out',
  }
}
