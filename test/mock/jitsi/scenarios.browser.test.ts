import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCENARIOS } from '../../../mock/jitsi/index.ts'
import type { JitsiMeeting } from '../../../mock/jitsi/meeting.ts'
import { notOpenedByDriverTests } from '../driver-tests.ts'
import { JitsiBrowser } from './jitsi-browser.ts'

/** Quick enough for all of them, slow enough that a loaded machine sees each state. */
const SPEED = 12

let browser: JitsiBrowser
beforeAll(async () => {
  browser = await JitsiBrowser.start()
})
afterAll(() => browser.close())

/**
 * Final states of a visitor who answers every dialog, asks to join and stays. Scenarios that are not listed end in the
 * call.
 */
const ENDS: Record<string, string> = {
  'waiting-room': 'lobby',
  denied: 'denied',
  'denied-unknown-version': 'denied',
  'cancelled-in-lobby': 'lobby',
  'lobby-closed': 'hostEnded',
  'locked-room': 'password',
  'locked-lobby': 'lobby',
  'moderator-in-lobby': 'waitingForModerator',
  'moderator-never-comes': 'waitingForModerator',
  'login-dialog': 'refused',
  'account-needed': 'refused',
  'not-allowed': 'refused',
  'room-full': 'refused',
  maintenance: 'refused',
  'too-quick': 'refused',
  'reservation-refused': 'refused',
  'not-connected': 'refused',
  removed: 'removed',
  'removed-by-system': 'removed',
  'ended-for-all': 'hostEnded',
  'ended-without-words': 'hostEnded',
  'ended-to-welcome': 'hostEnded',
  'ended-nowhere': 'hostEnded',
  'time-limit': 'hostEnded',
  'own-reason': 'hostEnded',
  consent: 'consent',
  'media-lost': 'reconnecting',
  'server-lost': 'reconnecting',
  'server-error': 'reconnecting',
  'connection-never-back': 'reconnecting',
}

/** Loads that never become the meeting page, and the page that is there instead. */
const ELSEWHERE: Record<string, RegExp> = {
  'login-wall': /Sign in to continue/,
  'refused-page': /not allowed to be here/,
  'invalid-link': /404/,
  'home-page': /Secure and high quality meetings/,
  'server-down': /503/,
}

const DEADLINE_MS = 60_000
const STEP_MS = 50

describe('every scenario without a test of the driver', () => {
  test.concurrent.each(notOpenedByDriverTests('jitsi', Object.keys(SCENARIOS)))('%s comes to its end', async (name) => {
    const meeting = browser.mock.open(name, { speed: SPEED }) as JitsiMeeting
    const page = await browser.page()
    const end = ENDS[name] ?? 'call'
    try {
      await page.goto(meeting.url, { waitUntil: 'domcontentloaded' })
      const elsewhere = ELSEWHERE[name]
      if (elsewhere) {
        expect(await page.locator('body').textContent()).toMatch(elsewhere)
        return
      }
      for (const until = Date.now() + DEADLINE_MS; !hasReached(meeting, end); ) {
        if (Date.now() > until) throw new Error(`${name} is in state ${meeting.state}, not ${end}`)
        await goOn(page, meeting)
        await sleep(STEP_MS)
      }
      expect(page.errors).toEqual([])
      expect(meeting.log.filter(({ target }) => /^(step-skipped|media-failed|bad-message)$/.test(target))).toEqual([])
    } finally {
      await page.context().close()
    }
  })

  test('has a description in one sentence', () => {
    for (const { about } of browser.mock.scenarios) expect(about).toMatch(/[.?"]$/)
  })
})

/** A state between two polls counts too. */
function hasReached(meeting: JitsiMeeting, state: string): boolean {
  return meeting.log.some(({ event, target }) => event === 'state' && target === state)
}

/**
 * One step of the visitor. An element that it clicks may be gone, covered or not listening yet: the next step tries
 * again.
 */
async function goOn(page: Page, meeting: JitsiMeeting): Promise<void> {
  const click = (selector: string) => page.locator(selector).first().click({ timeout: 500 })
  try {
    if (meeting.state === 'deepLink') await click('text=Launch in web')
    if (meeting.state === 'lobbyEntrance') await click('[data-testid="lobby.knockButton"]')
    if (meeting.state !== 'greenRoom') return
    const box = page.locator('#premeeting-name-input')
    if ((await box.count()) > 0 && (await box.inputValue()) !== 'Visitor') await box.fill('Visitor', { timeout: 500 })
    await click('[data-testid="prejoin.joinMeeting"]')
  } catch (error) {
    if (!(error instanceof Error && /Timeout|closed|detached|navigat|context/i.test(error.message))) throw error
  }
}
