/** Steps to leave Google Meet, from the call as well as from the waiting room. */
import type { LeaveSteps } from '../shared/in-call/leaving.ts'
import { type DialogKind, dialogStep, kindOf } from './dialogs.ts'
import type { PageSnapshot } from './page/types.ts'
import type { MeetPage } from './page-script.ts'
import { PAGE_PHASES, stateOf } from './page-state.ts'

export function leaveSteps(page: MeetPage): LeaveSteps<PageSnapshot> {
  return {
    press: () => page.press('leave'),
    async confirm(snapshot) {
      // The question whether to end the meeting for all, or a consent dialog over the toolbar: both lead out.
      const open = (kind: DialogKind) => snapshot.dialogs.find((dialog) => kindOf(dialog) === kind)
      const dialog = open('leave_host') ?? open('consent')
      const step = dialog && dialogStep(dialog, { consent: 'refuse', wantsCamera: false })
      if (step) await page.pressReference(step.ref, step.label)
    },
    isOut: (snapshot) => PAGE_PHASES[stateOf(snapshot).kind] === 'out',
  }
}
