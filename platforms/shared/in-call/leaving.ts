/** Leaves the meeting or withdraws a request to join; never fails and never takes long. */
import { within } from '@standin/wire/time/deadline.ts'
import type { CommonSnapshot } from '../page/types.ts'
import type { MeetingPage } from '../page-access/meeting-page.ts'
import { NoAnswer } from '../page-access/no-answer.ts'

/** A platform's steps to leave. */
export interface LeaveSteps<Snapshot extends CommonSnapshot> {
  /** Presses the control that leaves the meeting or withdraws the request to join; false if there is none. */
  press(snapshot: Snapshot | null): Promise<boolean>
  /** Answers the page's question after that, if there is one; never ends a meeting for others. */
  confirm(snapshot: Snapshot): Promise<void>
  /** The bot is neither in the meeting nor waiting for it. */
  isOut(snapshot: Snapshot): boolean
}

/** `askedToJoin`: there is a request or a call to leave. Resolves with whether the page confirmed it. */
export async function leaveMeeting<Snapshot extends CommonSnapshot>(
  page: MeetingPage<Snapshot>,
  steps: LeaveSteps<Snapshot>,
  askedToJoin: boolean,
): Promise<boolean> {
  if (page.browser.ended !== null) return true
  let isConfirmed = false
  try {
    const work = askedToJoin ? pressUntilLeft(page, steps) : Promise.resolve(false)
    isConfirmed = await within(page.clock, page.waits.leaveTotalMs, work, () => new NoAnswer())
  } catch (error) {
    page.logger.warn('Leaving through the page failed; the page is closed instead', { error })
  }
  if (!isConfirmed) await goAway(page)
  return isConfirmed
}

async function pressUntilLeft<Snapshot extends CommonSnapshot>(
  page: MeetingPage<Snapshot>,
  steps: LeaveSteps<Snapshot>,
): Promise<boolean> {
  const { clock, waits } = page
  const stopAt = clock.now() + waits.leaveTotalMs - 1000
  for (let click = 0; click < waits.leaveClicks && clock.now() < stopAt; click++) {
    await page.wakePointer()
    const wasPressed = await steps.press(page.lastSnapshot)
    const until = Math.min(stopAt, clock.now() + waits.leaveMs)
    let silences = 0
    while (clock.now() < until) {
      const report = await page.ask('report', null, null)
      // No script of ours answered twice: the page is already another one, not just between two documents.
      if (!report && ++silences >= 2) return true
      if (report && steps.isOut(report.snapshot)) return true
      if (report) await steps.confirm(report.snapshot)
      await clock.sleep(Math.min(300, waits.pollEveryMs))
    }
    if (!wasPressed) break
  }
  return false
}

/** A page that is closed has no request to join and no connection. */
async function goAway(page: Pick<MeetingPage, 'browser' | 'clock' | 'waits' | 'logger'>): Promise<void> {
  const gone = page.browser.page.goto('about:blank', { timeout: page.waits.leaveMs })
  await within(page.clock, page.waits.leaveMs, gone, () => new NoAnswer()).catch((error) =>
    page.logger.warn('The meeting page could not be left', { error }),
  )
}
