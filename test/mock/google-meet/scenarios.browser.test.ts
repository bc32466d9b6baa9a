import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCENARIOS } from '../../../mock/google-meet/index.ts'
import type { GoogleMeetMeeting } from '../../../mock/google-meet/meeting.ts'
import { notOpenedByDriverTests } from '../driver-tests.ts'
import { visibleText } from '../mock-browser.ts'
import { MeetBrowser } from './meet-browser.ts'

/** Quick enough for all of them, slow enough that a loaded machine sees each state. */
const SPEED = 12

let browser: MeetBrowser
beforeAll(async () => {
  browser = await MeetBrowser.start()
})
afterAll(() => browser.close())

/**
 * Final states of a visitor who answers every dialog, asks to join and stays. Scenarios that are not listed end in the
 * call.
 */
const ENDS: Record<string, string> = {
  'waiting-room': 'lobby',
  'invalid-link': 'invalid',
  'effects-phantom-tile': 'lobby',
  denied: 'denied',
  'denied-stale-lobby-text': 'denied',
  'denied-as-you-left': 'denied',
  'request-timeout': 'requestTimeout',
  'own-lobby-timeout': 'lobby',
  'cancelled-in-lobby': 'lobby',
  'captcha-live': 'lobby',
  'ended-in-lobby': 'hostEnded',
  'host-never-comes': 'waitingForHost',
  'signed-in-session-lost': 'lobby',
  'login-wall-after-click': 'closed',
  'blocked-at-load': 'blocked',
  'blocked-after-click': 'blocked',
  'blocked-then-ok': 'blocked',
  'invalid-code': 'invalid',
  'invalid-name': 'invalid',
  'code-does-not-work': 'invalid',
  'expired-code': 'expired',
  'removed-by-host': 'removed',
  'removed-early': 'removed',
  'redirected-in-call': 'closed',
  'false-admission': 'denied',
  'meeting-ended': 'hostEnded',
  'call-ended-everyone-left': 'everyoneLeft',
  'alone-prompt': 'alonePrompt',
  'reconnect-fails': 'reconnecting',
  'consent-mid-call': 'consent',
}

/** Loads that never become the meeting page, and the page that is there instead. */
const ELSEWHERE: Record<string, RegExp> = {
  'login-wall': /Sign in/,
  'redirect-to-landing': /Secure video conferencing for everyone/,
  'http-503': /503/,
  'http-503-forever': /503/,
}

const JOIN = /^(Ask to join( anyway)?|Join now|Switch here|Request entry|Teilnahme erbitten)$/
const DEADLINE_MS = 60_000
const STEP_MS = 50

describe('every scenario without a test of the driver', () => {
  test.concurrent.each(notOpenedByDriverTests('google-meet', Object.keys(SCENARIOS)))(
    '%s comes to its end',
    async (name) => {
      const meeting = browser.mock.open(name, { speed: SPEED })
      const page = await browser.page()
      const end = ENDS[name] ?? 'call'
      try {
        await page.goto(meeting.url, { waitUntil: 'domcontentloaded' })
        const elsewhere = ELSEWHERE[name]
        if (elsewhere) {
          if (!elsewhere.test(await visibleText(page))) throw new Error(`${name} shows ${await visibleText(page)}`)
          return
        }
        for (const until = Date.now() + DEADLINE_MS; !hasReached(meeting, end); ) {
          if (Date.now() > until) throw new Error(`${name} is in state ${meeting.state}, not ${end}`)
          await goOn(page, meeting)
          await sleep(STEP_MS)
        }
        if (page.errors.length > 0) throw new Error(page.errors.join('; '))
      } finally {
        await page.context().close()
      }
    },
  )

  test('has a description in one sentence', () => {
    for (const { about } of browser.mock.scenarios) expect(about).toMatch(/[.?"]$/)
  })

  test('an unknown one is refused with the list of scenarios', () => {
    expect(() => browser.mock.open('nonsense')).toThrow(/no scenario "nonsense"; there are: open-meeting-join-now/)
  })
})

/** A state between two polls counts too. */
function hasReached(meeting: GoogleMeetMeeting, state: string): boolean {
  return meeting.log.some(({ event, target }) => event === 'state' && target === state)
}

/**
 * One step of the visitor. An element that it clicks may be gone, covered or not listening yet: the next step tries
 * again.
 */
async function goOn(page: Page, meeting: GoogleMeetMeeting): Promise<void> {
  try {
    const buttons = page.locator('[role="dialog"] button')
    if (meeting.state !== 'alonePrompt' && (await buttons.count()) > 0) await buttons.last().click({ timeout: 500 })
    if (meeting.state !== 'greenRoom') return
    const box = page.getByLabel('Your name').or(page.getByLabel('Ihr Name'))
    if ((await box.count()) > 0 && (await box.inputValue()) !== 'Visitor') await box.fill('Visitor', { timeout: 500 })
    await page.getByRole('button', { name: JOIN }).first().click({ timeout: 500 })
  } catch (error) {
    if (!(error instanceof Error && /Timeout|closed|detached|navigat|context/i.test(error.message))) throw error
  }
}
