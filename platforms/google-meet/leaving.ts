/** How Google Meet is left, from the call and from the waiting room alike. */
import type { LeaveSteps } from '../shared/leaving.ts'
import { dialogStep } from './dialogs.ts'
import type { PageSnapshot } from './page/types.ts'
import type { MeetPage } from './page-script.ts'
import { dialogOf, PAGE_PHASES, situationOf } from './page-state.ts'

export function leaveSteps(page: MeetPage): LeaveSteps<PageSnapshot> {
  return {
    press: () => page.press('leave'),
    async confirm(signs) {
      // The question whether to end it for all, or one for consent that stands over the toolbar: both lead out.
      const dialog = dialogOf(signs, 'leave_host') ?? dialogOf(signs, 'consent')
      const step = dialog && dialogStep(dialog, { consent: 'refuse', wantsCamera: false })
      if (step) await page.pressReference(step.ref, step.label)
    },
    isOut: (signs) => PAGE_PHASES[situationOf(signs).kind] === 'out',
  }
}
