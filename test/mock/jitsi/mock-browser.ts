/** One Chromium and one mock for a file of tests; every test gets a context of its own. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { expect } from 'vitest'
import { type MockJitsi, startMockJitsi } from '../../../mock/jitsi/index.ts'
import type { JitsiMeeting } from '../../../mock/jitsi/meeting.ts'
import type { MockMeetingOptions } from '../../../mock/types.ts'

/** Waits for a value; a loaded machine gets the time it needs. */
export const poll: typeof expect.poll = (look, options) =>
  expect.poll(look, { timeout: 20_000, interval: 50, ...options })

/** Divides the mock's own times in tests that do not care for them. */
const QUICK = 8

const JOIN = '[data-testid="prejoin.joinMeeting"]'

export class MockBrowser {
  readonly mock: MockJitsi
  private readonly browser: Browser
  private contexts: BrowserContext[] = []

  private constructor(mock: MockJitsi, browser: Browser) {
    this.mock = mock
    this.browser = browser
  }

  static async start(): Promise<MockBrowser> {
    const mock = await startMockJitsi()
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
  async page(): Promise<Page & { errors: string[] }> {
    const context = await this.browser.newContext({
      permissions: ['camera', 'microphone'],
      viewport: { width: 1280, height: 720 },
    })
    this.contexts.push(context)
    const page = await context.newPage()
    await page.addInitScript(askForSmallPictures)
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    return Object.assign(page, { errors })
  }

  /** Opens a scenario's link in a fresh page, without the page that offers an app. */
  async open(scenario: string, options: MockMeetingOptions = {}, hash = '#config.disableDeepLinking=true') {
    const meeting = this.mock.open(scenario, { speed: QUICK, seed: 1, ...options }) as JitsiMeeting
    const page = await this.page()
    await page.goto(meeting.url + hash, { waitUntil: 'commit' })
    return { meeting, page }
  }

  /** Opens a scenario and knocks or walks in, as a careful visitor does. */
  async join(scenario: string, options: MockMeetingOptions = {}) {
    const opened = await this.open(scenario, options)
    await opened.meeting.whenState('greenRoom')
    const { page, meeting } = opened
    await page.getByLabel('Enter your name').fill('Test Visitor')
    await clickUntil(page, JOIN, () => meeting.state !== 'greenRoom')
    return opened
  }

  /** As `join`, and waits until the page is in the meeting. */
  async enter(scenario: string, options: MockMeetingOptions = {}) {
    const joined = await this.join(scenario, options)
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

/** Clicks what may be hidden by the idle toolbox or not be listening yet, until the condition holds. */
export async function clickUntil(page: Page, selector: string, done: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 30; attempt++) {
    if (await done()) return
    await page.mouse.move(300 + attempt, 300)
    // It may have moved on between the check and the click.
    await page
      .locator(selector)
      .first()
      .click({ timeout: 2000 })
      .catch(() => {})
    await page.waitForTimeout(150)
  }
  expect(await done(), `clicking ${selector}`).toBe(true)
}
