/** One Chromium and one mock for a file of tests; every test gets a context of its own. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { expect } from 'vitest'
import { type MockGoogleMeet, startMockGoogleMeet } from '../../../mock/google-meet/index.ts'
import type { GoogleMeetMeeting } from '../../../mock/google-meet/meeting.ts'
import type { MockMeetingOptions } from '../../../mock/types.ts'

/** Waits for a value; a loaded machine gets the time it needs. */
export const poll: typeof expect.poll = (look, options) =>
  expect.poll(look, { timeout: 20_000, interval: 50, ...options })

/** Divides the mock's own times in tests that do not care for them. */
export const QUICK = 8

export class MockBrowser {
  readonly mock: MockGoogleMeet
  private readonly browser: Browser
  private contexts: BrowserContext[] = []

  private constructor(mock: MockGoogleMeet, browser: Browser) {
    this.mock = mock
    this.browser = browser
  }

  static async start(): Promise<MockBrowser> {
    const mock = await startMockGoogleMeet()
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--use-fake-ui-for-media-stream',
        '--use-fake-device-for-media-stream',
        '--autoplay-policy=no-user-gesture-required',
        '--allow-loopback-in-peer-connection',
        `--host-resolver-rules=${mock.hosts.map((host) => `MAP ${host} ${mock.address}`).join(',')}`,
        `--ignore-certificate-errors-spki-list=${mock.certificateHash}`,
      ],
    })
    return new MockBrowser(mock, browser)
  }

  /** A fresh page that collects its errors in `errors`. */
  async page(init?: () => void): Promise<Page & { errors: string[] }> {
    const context = await this.browser.newContext({
      permissions: ['camera', 'microphone'],
      viewport: { width: 960, height: 640 },
    })
    this.contexts.push(context)
    const page = await context.newPage()
    await page.addInitScript(askForSmallPictures)
    if (init) await page.addInitScript(init)
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    return Object.assign(page, { errors })
  }

  /** Opens a scenario's link in a fresh page. */
  async open(scenario: string, options: MockMeetingOptions = {}, init?: () => void) {
    const meeting = this.mock.open(scenario, { speed: QUICK, seed: 1, ...options })
    const page = await this.page(init)
    await page.goto(meeting.url, { waitUntil: 'commit' })
    return { meeting, page }
  }

  /** Opens a scenario and knocks or walks in, as a careful visitor does. */
  async join(scenario: string, options: MockMeetingOptions = {}, init?: () => void) {
    const opened = await this.open(scenario, options, init)
    await opened.meeting.whenState('greenRoom')
    await knock(opened.page, opened.meeting)
    return opened
  }

  /** As `join`, and waits until the page is in the call. */
  async enter(scenario: string, options: MockMeetingOptions = {}, init?: () => void) {
    const joined = await this.join(scenario, options, init)
    await joined.meeting.whenState('call')
    return joined
  }

  /** Closes the pages of a test. */
  async clear(): Promise<void> {
    for (const context of this.contexts.splice(0)) await context.close()
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.mock.close()
  }
}

/** Encoding a large camera picture would cost more than all the rest. */
function askForSmallPictures(): void {
  if (!navigator.mediaDevices) return // A blank page has none.
  const native = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
  navigator.mediaDevices.getUserMedia = (wish) =>
    native(wish?.video ? { ...wish, video: { width: 160, height: 90, frameRate: 5 } } : wish)
}

const DOOR = ['greenRoom']

/** Types the name and clicks until the page moves on: clicks may be swallowed. */
export async function knock(page: Page, meeting: GoogleMeetMeeting, name = 'Test Visitor'): Promise<void> {
  const box = page.getByLabel('Your name')
  const button = page.locator('button[jsname="Qx7uuf"]')
  for (let attempt = 0; attempt < 20 && DOOR.includes(meeting.state); attempt++) {
    if ((await box.count()) > 0 && (await box.inputValue()) !== name) await box.fill(name)
    // The page may move on between the check and the click.
    await button.click({ timeout: 2000 }).catch(() => {})
    await meeting.whenState('joining', 300).catch(() => {})
  }
}

/** Clicks something that may be hidden by the idle toolbar or not be listening yet, until the condition holds. */
export async function clickUntil(page: Page, selector: string, done: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    await page.mouse.move(300 + attempt, 300)
    // Covered or hidden just then; the next attempt moves the pointer again.
    await page
      .locator(selector)
      .first()
      .click({ timeout: 1500 })
      .catch(() => {})
    for (let wait = 0; wait < 5; wait++) {
      if (await done()) return
      await page.waitForTimeout(60)
    }
  }
  throw new Error(`Clicking ${selector} came to nothing`)
}

/** What a person can read on the page: script data and hidden nodes are no part of it. */
export function visibleText(page: Page): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: textContent would hold what is hidden, too.
  return page.evaluate(() => document.body.innerText)
}
