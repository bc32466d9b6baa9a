/** Leaves the meeting or takes back a knock; never fails and never takes long. */
import { within } from '../../src/clock.ts'
import { dialogStep } from './dialogs.ts'
import { type MeetPage, NoAnswer } from './meet-page.ts'
import { dialogOf, type SituationKind, situationOf } from './situation.ts'

/** Pages on which nothing is left to leave. */
const OUT: ReadonlySet<SituationKind> = new Set<SituationKind>([
  'left',
  'removed',
  'ended_for_all',
  'everyone_left',
  'denied',
  'knock_timed_out',
  'blocked',
  'off_site',
  'landing',
  'marketing',
  'login_wall',
  'unknown_end',
])

/** `askedToJoin`: there is a knock or a call to leave. Resolves with whether the page confirmed it. */
export async function leaveMeeting(page: MeetPage, askedToJoin: boolean): Promise<boolean> {
  if (page.browser.ended !== null) return true
  let isConfirmed = false
  try {
    const work = askedToJoin ? pressUntilLeft(page) : Promise.resolve(false)
    isConfirmed = await within(page.clock, page.waits.leaveTotalMs, work, () => new NoAnswer())
  } catch (error) {
    page.logger.warn('Leaving politely failed; the page is closed instead', { error })
  }
  if (!isConfirmed) await goAway(page)
  return isConfirmed
}

async function pressUntilLeft(page: MeetPage): Promise<boolean> {
  const { clock, waits } = page
  const stopAt = clock.now() + waits.leaveTotalMs - 1000
  for (let click = 0; click < waits.leaveClicks && clock.now() < stopAt; click++) {
    await page.wakePointer()
    const wasPressed = await page.press('leave')
    const until = Math.min(stopAt, clock.now() + waits.leaveMs)
    while (clock.now() < until) {
      const snapshot = await page.ask('snapshot', 0)
      // No script of ours answers: the page is already another one.
      if (!snapshot) return true
      if (OUT.has(situationOf(snapshot.signs).kind)) return true
      // The question whether to end it for all, or one for consent that stands over the toolbar: both lead out.
      const dialog = dialogOf(snapshot.signs, 'leave_host') ?? dialogOf(snapshot.signs, 'consent')
      const step = dialog && dialogStep(dialog, { consent: 'refuse', wantsCamera: false })
      if (step) await page.pressReference(step.ref, step.label)
      await clock.sleep(Math.min(300, waits.lookEveryMs))
    }
    if (!wasPressed) break
  }
  return false
}

/** A page that is gone neither knocks nor listens. */
async function goAway(page: MeetPage): Promise<void> {
  const gone = page.browser.page.goto('about:blank', { timeout: page.waits.leaveMs })
  await within(page.clock, page.waits.leaveMs, gone, () => new NoAnswer()).catch((error) =>
    page.logger.warn('The meeting page could not be left', { error }),
  )
}
