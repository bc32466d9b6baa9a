import { setTimeout as sleep } from 'node:timers/promises'
import type { Frame, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TeamsMeeting } from '../../../mock/microsoft-teams/meeting.ts'
import { JOIN_SCENARIOS } from '../../../mock/microsoft-teams/scenarios-join.ts'
import { LOBBY_SCENARIOS } from '../../../mock/microsoft-teams/scenarios-lobby.ts'
import { notOpenedByDriverTests } from '../driver-tests.ts'
import { visibleText } from '../mock-browser.ts'
import { TeamsBrowser, tid } from './teams-browser.ts'

/** Quick enough for all of them; the log has the states between two polls. */
const SPEED = 25

let browser: TeamsBrowser
beforeAll(async () => {
  browser = await TeamsBrowser.start()
})
afterAll(() => browser.close())

/**
 * Final states of a visitor who answers every dialog, asks to join and stays. Scenarios that are not listed end in the
 * call.
 */
const ENDS: Record<string, string> = {
  'waiting-room': 'lobby',
  'happy-direct-no-lobby': 'hostEnded',
  'splash-stuck': 'loading',
  'invalid-link': 'invalid',
  'unknown-meeting-id': 'invalid',
  'missing-passcode': 'invalid',
  'malformed-link-text': 'malformed',
  'captcha-after-join': 'captcha',
  'webinar-not-started': 'notStarted',
  'could-not-connect-always': 'couldNotConnect',
  'tab-crash-before-admit': 'lobby',
  'happy-light-lobby-admit': 'hostEnded',
  'lobby-denied': 'denied',
  'lobby-declined': 'denied',
  'lobby-not-admitted': 'denied',
  'lobby-no-response': 'requestTimeout',
  'lobby-timeout-not-started': 'lobby',
  'lobby-timeout-started': 'lobby',
  'lobby-drop-rejoin': 'lobbyDropped',
  'cancel-during-lobby': 'lobby',
  'ended-in-lobby': 'hostEnded',
  'e2ee-after-admit': 'encrypted',
  'removed-after-10s': 'removed',
  'removed-after-5min': 'removed',
  'removed-typographic': 'removed',
  'removed-other-words': 'removed',
  'meeting-ended': 'hostEnded',
  'call-vanishes': 'vanished',
  'network-drop-forever': 'couldNotConnect',
  'org-only-wall-after-join': 'signInWall',
}

/** Loads that never become the meeting page, and the page that is there instead. */
const ELSEWHERE: Record<string, RegExp> = {
  'login-wall': /Sign in/,
  'signin-host-redirect': /Sign in/,
  'http-503-forever': /503 Service Unavailable/,
  'http-404': /Not found/,
}

/**
 * Scenarios of the call differ by what happens in it, which other tests check. One of those with equal settings is
 * enough.
 */
const NAMES = [
  ...new Map(
    Object.entries({ ...JOIN_SCENARIOS, ...LOBBY_SCENARIOS })
      .reverse()
      .map(([name, { settings, people, timeline }]) => {
        const { wall, ...others } = settings ?? {}
        return [JSON.stringify([others, people, timeline]), name] as const
      }),
  ).values(),
].reverse()

const DEADLINE_MS = 90_000
const STEP_MS = 60

describe('every scenario of pre-join page and waiting room without a test of the driver', () => {
  test.concurrent.each(notOpenedByDriverTests('microsoft-teams', NAMES))('%s comes to its end', async (name) => {
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
        await goOn(page, meeting, end)
        await sleep(STEP_MS)
      }
      if (page.errors.length > 0) throw new Error(page.errors.join('; '))
    } finally {
      await page.context().close()
    }
  })

  test('an unknown one is refused with the list of scenarios', () => {
    expect(() => browser.mock.open('nonsense')).toThrow(/no scenario "nonsense".*there are: waiting-room/)
  })
})

/** A state between two polls counts too. */
function hasReached(meeting: TeamsMeeting, state: string): boolean {
  return meeting.log.some(({ event, target }) => event === 'state' && target === state)
}

const QUICK = { timeout: 600 }

/**
 * One step of the visitor. An element that it clicks may be gone, covered or not listening yet: the next step tries
 * again.
 */
async function goOn(page: Page, meeting: TeamsMeeting, end: string): Promise<void> {
  try {
    const { state } = meeting
    if (state === 'httpError') await page.reload()
    else if (state === 'launcher' && meeting.settings.launcher === 'choice')
      await page.locator(tid('joinOnWeb')).click(QUICK)
    else if (state === 'permissionGate') await page.evaluate(() => navigator.mediaDevices.getUserMedia({ audio: true }))
    else if (state === 'avConfirm') await dismiss(page)
    else if (state === 'couldNotConnect' && end !== state)
      await page.locator(tid('calling-retry-rejoinbutton')).click(QUICK)
    else if (state === 'greenRoom') {
      const box = page.locator(tid('prejoin-display-name-input'))
      if ((await box.count()) > 0 && (await box.inputValue(QUICK)) !== 'Visitor') await box.fill('Visitor', QUICK)
      else await page.locator(tid('prejoin-join-button')).click(QUICK)
    }
  } catch (error) {
    if (!(error instanceof Error && /Timeout|closed|detached|navigat|context/i.test(error.message))) throw error
  }
}

/** The dialog about devices, in the page or in a frame of it. */
async function dismiss(page: Page): Promise<void> {
  for (const frame of page.frames() as Frame[]) {
    const button = frame.locator('[role="dialog"]').getByRole('button', { name: /^Continue without/ })
    if ((await button.count()) > 0) await button.click(QUICK)
  }
}
