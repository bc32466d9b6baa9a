/** One Chromium and one mock for a file of tests; every test gets a context of its own. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { expect } from 'vitest'
import type { MockMeetingOptions } from '../../../mock/types.ts'
import { type MockZoom, startMockZoom, type ZoomMeeting } from '../../../mock/zoom/index.ts'

/** Waits for a value; a loaded machine gets the time it needs. */
export const poll: typeof expect.poll = (look, options) =>
  expect.poll(look, { timeout: 20_000, interval: 50, ...options })

/** Divides the mock's own times in tests that do not care for them. */
export const QUICK = 8

export class MockBrowser {
  readonly mock: MockZoom
  private readonly browser: Browser
  private contexts: BrowserContext[] = []

  private constructor(mock: MockZoom, browser: Browser) {
    this.mock = mock
    this.browser = browser
  }

  static async start(): Promise<MockBrowser> {
    const mock = await startMockZoom()
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
  async page(init?: () => void, locale = 'en-US'): Promise<Page & { errors: string[] }> {
    const context = await this.browser.newContext({
      permissions: ['camera', 'microphone'],
      viewport: { width: 1280, height: 720 },
      locale,
    })
    this.contexts.push(context)
    const page = await context.newPage()
    await page.addInitScript(askForSmallPictures)
    if (init) await page.addInitScript(init)
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    return Object.assign(page, { errors })
  }

  /** Opens a scenario's web client in a fresh page. */
  async open(scenario: string, options: MockMeetingOptions = {}, init?: () => void) {
    const meeting = this.mock.open(scenario, { speed: QUICK, seed: 1, ...options })
    const page = await this.page(init)
    await page.goto(clientUrl(meeting), { waitUntil: 'commit' })
    return { meeting, page }
  }

  /** Opens a scenario and asks to be let in, as a careful visitor does. */
  async join(scenario: string, options: MockMeetingOptions = {}, init?: () => void) {
    const opened = await this.open(scenario, options, init)
    await opened.meeting.whenState('greenRoom')
    await knock(opened.page)
    return opened
  }

  /** As `join`, and waits until the page is in the meeting with its sound. */
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

/** Where a guest goes best: the web client, past the launch page. */
export function clientUrl(meeting: ZoomMeeting): string {
  const link = new URL(meeting.url)
  const host = link.host === 'acme.zoom.us' ? link.host : 'app.zoom.us'
  return `https://${host}/wc/${meeting.code}/join${link.search}`
}

/** Types the name with real keys and clicks Join until the form is gone. */
export async function knock(page: Page, name = 'Test Visitor'): Promise<void> {
  await page.locator('#input-for-name').focus()
  await page.keyboard.type(name)
  const join = page.locator('.preview-join-button')
  await join.and(page.locator(':not(.disabled)')).waitFor({ timeout: 20_000 })
  // A click may come to nothing; by the time the page has moved on the button is gone.
  for (let attempt = 0; attempt < 20 && (await join.count()) > 0; attempt++) {
    await join.click({ timeout: 1000 }).catch(() => {})
    await join.waitFor({ state: 'detached', timeout: 500 }).catch(() => {})
  }
}
