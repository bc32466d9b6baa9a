/**
 * Steps to leave Microsoft Teams: by the toolbar from the call, by Cancel from the waiting room and the page before it.
 */
import type { LeaveSteps } from '../shared/in-call/leaving.ts'
import type { PageSnapshot } from './page/types.ts'
import type { TeamsPage } from './page-script.ts'
import { PAGE_PHASES, type PageStateKind, stateOf } from './page-state.ts'

/**
 * When the browser closes at once, the bot stays visible for a while, in the waiting room and in the call
 * (docs/platform-notes/microsoft-teams.md#denied-timed-out-dropped and #leaving).
 */
const HEARD_MS = 1000

/** Pages before the meeting: there is no request, or it was withdrawn. */
const IN_FRONT: ReadonlySet<PageStateKind> = new Set<PageStateKind>([
  'pre_join',
  'launcher',
  'sign_in_page',
  'off_site',
])

/** `hasAsked`: there was a request to join, or the bot is in. */
export function leaveSteps(page: TeamsPage, hasAsked: () => boolean): LeaveSteps<PageSnapshot> {
  return {
    async press(snapshot) {
      if (!hasAsked()) {
        // Without a request there is no answer to wait for; the page may be between two documents for long.
        await page.browser.page.goto('about:blank', { timeout: page.waits.leaveMs })
        return false
      }
      const wasPressed = snapshot?.leaveControl
        ? await page.press('leave')
        : (await page.press('cancel')) || (await page.press('leave'))
      if (wasPressed) await page.clock.sleep(HEARD_MS)
      return wasPressed
    },
    async confirm(snapshot) {
      if (!snapshot.leaveControl) return
      // Organizers get a menu; its other item would end the meeting for all.
      if (!(await page.press('leaveItem'))) await page.press('confirmLeave')
    },
    isOut(snapshot) {
      const { kind } = stateOf(snapshot)
      return PAGE_PHASES[kind] === 'out' || IN_FRONT.has(kind)
    },
  }
}
