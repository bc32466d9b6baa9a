import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCENARIOS } from '../../../mock/google-meet/index.ts'
import { knock, MockBrowser } from './mock-browser.ts'

/** Quick enough for all of them, slow enough that a loaded machine sees each state. */
const SPEED = 12

let browser: MockBrowser
beforeAll(async () => {
  browser = await MockBrowser.start()
})
afterAll(() => browser.close())

/** What a visitor who answers every dialog, knocks and stays ends up in. Those not named end up in the call. */
const ENDS: Record<string, string> = {
  'waiting-room': 'lobby',
  'effects-phantom-tile': 'lobby',
  denied: 'denied',
  'denied-stale-lobby-text': 'denied',
  'denied-as-you-left': 'denied',
  'knock-timeout': 'knockTimeout',
  'own-lobby-timeout': 'lobby',
  'cancelled-in-lobby': 'lobby',
  'captcha-live': 'lobby',
  'ended-in-lobby': 'hostEnded',
  'host-never-comes': 'waitingForHost',
  'login-wall': 'none',
  'login-wall-after-click': 'closed',
  'blocked-at-load': 'blocked',
  'blocked-after-click': 'blocked',
  'blocked-then-ok': 'blocked',
  'invalid-code': 'invalid',
  'invalid-name': 'invalid',
  'code-does-not-work': 'invalid',
  'expired-code': 'expired',
  'redirect-to-landing': 'none',
  'http-503': 'none',
  'http-503-forever': 'none',
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

const BEFORE_JOINING = ['none', 'boot', 'loading', 'devicePrompt', 'signinPromo', 'greenRoom']

describe('every scenario', () => {
  test.concurrent.each(Object.keys(SCENARIOS))('%s comes to its end', async (name) => {
    const meeting = browser.mock.open(name, { speed: SPEED })
    const page = await browser.page()
    const end = ENDS[name] ?? 'call'
    try {
      await page.goto(meeting.url, { waitUntil: 'commit' }).catch(() => {}) // A redirect may abort the first load.
      await expect
        .poll(
          async () => {
            if (end === 'none') return page.url() === meeting.url ? 'none' : meeting.state
            if (meeting.state === end && !BEFORE_JOINING.includes(end)) return end
            // Every dialog and the join button, as often as it takes; each may be gone or covered when it is clicked.
            const buttons = page.locator('[role="dialog"] button')
            if (meeting.state !== 'alonePrompt' && (await buttons.count().catch(() => 0)) > 0) {
              await buttons
                .last()
                .click({ timeout: 500 })
                .catch(() => {})
            } else if (meeting.state === 'greenRoom') {
              await knockWith(page, meeting, name)
            }
            return meeting.state
          },
          { timeout: 60_000, interval: 60 },
        )
        .toBe(end)
      expect(page.errors).toEqual([])
    } finally {
      await page.context().close()
    }
  })

  test('says in a sentence what it is', () => {
    for (const { about } of browser.mock.scenarios) expect(about).toMatch(/[.?"]$/)
  })

  test('an unknown one is refused with the list of those there are', () => {
    expect(() => browser.mock.open('nonsense')).toThrow(/no scenario "nonsense"; there are: open-meeting-join-now/)
  })
})

async function knockWith(
  page: Parameters<typeof knock>[0],
  meeting: Parameters<typeof knock>[1],
  name: string,
): Promise<void> {
  if (name !== 'new-jsname') return knock(page, meeting)
  await page.getByLabel('Your name').fill('Test Visitor')
  await page
    .getByRole('button', { name: 'Ask to join' })
    .click({ timeout: 1000 })
    .catch(() => {})
}
