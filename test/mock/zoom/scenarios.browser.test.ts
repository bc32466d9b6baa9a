import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { ZoomMeeting } from '../../../mock/zoom/index.ts'
import { notOpenedByDriverTests } from '../driver-tests.ts'
import { clientUrl, ZoomBrowser } from './zoom-browser.ts'

/** Quick enough for all of them, slow enough that a loaded machine sees each state. */
const SPEED = 12

let browser: ZoomBrowser
beforeAll(async () => {
  browser = await ZoomBrowser.start()
})
afterAll(() => browser.close())

/**
 * Final states of a visitor who answers every dialog, asks to join and stays. Scenarios that are not listed end in the
 * call.
 */
const ENDS: Record<string, string> = {
  'waiting-room': 'lobby',
  'invalid-link': 'errorPage',
  'login-wall': 'signIn',
  'wc-waiting-room-deny': 'denied',
  'wc-waiting-room-timeout': 'lobby',
  'wc-ended-in-waiting-room': 'hostEnded',
  'wc-host-not-started': 'waitingForHost',
  'wc-host-3001-then-starts': 'errorPage',
  'wc-external-meeting': 'external',
  'wc-passcode-missing': 'greenRoom',
  'wc-passcode-wrong': 'greenRoom',
  'wc-passcode-field': 'greenRoom',
  'wc-email-required': 'greenRoom',
  'wc-invalid-link': 'errorPage',
  'wc-login-required': 'signIn',
  'wc-authorized-only': 'signIn',
  'wc-signin-redirect': 'signIn',
  'signed-in-join': 'signIn',
  'wc-signin-after-join': 'closed',
  'wc-registration': 'registration',
  'wc-captcha': 'greenRoom',
  'wc-captcha-frame': 'greenRoom',
  'wc-captcha-failed': 'captchaFailed',
  'wc-bot-wall': 'botWall',
  'wc-bot-wall-after-join': 'botWall',
  'wc-bot-wall-late': 'botWall',
  'wc-1132': 'blocked',
  'wc-browser-join-off': 'blocked',
  'wc-policy-blocked': 'blocked',
  'wc-locked': 'locked',
  'wc-full': 'full',
  'wc-removed-before': 'removedBefore',
  'wc-join-timeout': 'timeout',
  'wc-blank-page': 'loading',
  'wc-spinner-stall': 'loading',
  'wc-something-wrong': 'somethingWrong',
  'wc-removed': 'removed',
  'wc-removed-early': 'removed',
  'wc-ended': 'hostEnded',
  'wc-ended-by-admin': 'hostEnded',
  'wc-host-other-meeting': 'hostEnded',
  'wc-left-without-dialog': 'hostEnded',
  'wc-free-limit': 'hostEnded',
  'wc-duplicate-session': 'duplicate',
  'wc-reconnect-fails': 'disconnected',
  'wc-on-hold-and-back': 'onHold',
  'wc-host-left': 'onHold',
}

const DEADLINE_MS = 60_000
const STEP_MS = 50
const JOIN = '.preview-join-button:not(.disabled), #joinBtn:not([disabled])'

/** Layers that cover the form, topmost first. */
const CONSENTS = ['#onetrust-reject-all-handler', '#disclaimer_agree', '#wc_agree1']

/** Scenarios that do not end in the call, and some that lead there another way. The rest has separate tests. */
const JUDGED = [...Object.keys(ENDS), 'wc-classic', 'wc-no-devices', 'wc-name-prefilled', 'wc-host-starts']

describe('every scenario that does not end in the call and has no test of the driver', () => {
  test.concurrent.each(notOpenedByDriverTests('zoom', JUDGED))('%s comes to its end', async (name) => {
    const meeting = browser.mock.open(name, { speed: SPEED })
    const page = await browser.page()
    const end = ENDS[name] ?? 'call'
    try {
      await page.goto(clientUrl(meeting), { waitUntil: 'domcontentloaded' })
      for (const until = Date.now() + DEADLINE_MS; !hasReached(meeting, end); await sleep(STEP_MS)) {
        if (Date.now() > until) throw new Error(`${name} is in state ${meeting.state}, not ${end}`)
        await goOn(page, meeting)
      }
      if (page.errors.length > 0) throw new Error(page.errors.join('; '))
    } finally {
      await page.context().close()
    }
  })
})

/** A state between two polls counts too. */
function hasReached(meeting: ZoomMeeting, state: string): boolean {
  return meeting.log.some(({ event, target }) => event === 'state' && target === state)
}

/**
 * One step of the visitor. An element that it clicks may be gone, covered or not listening yet: the next step tries
 * again.
 */
async function goOn(page: Page, meeting: ZoomMeeting): Promise<void> {
  try {
    if (/preview|greenRoom|disclaimer/.test(meeting.state)) {
      for (const selector of CONSENTS) {
        const button = page.locator(selector).first()
        if (await button.isVisible()) await button.click({ timeout: 500 })
      }
    }
    if (meeting.state !== 'greenRoom') return
    const box = page.locator('#input-for-name, #inputname')
    if ((await box.inputValue({ timeout: 500 })) === '') {
      await box.focus({ timeout: 500 })
      await page.keyboard.type('Visitor')
    }
    if (await page.locator(JOIN).isVisible()) await page.locator(JOIN).click({ timeout: 500 })
  } catch (error) {
    if (!(error instanceof Error && /Timeout|closed|detached|navigat|context/i.test(error.message))) throw error
  }
}
