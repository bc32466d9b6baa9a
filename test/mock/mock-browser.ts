/** One Chromium and one mock for a file of tests; every test gets a new context. A platform adds how to join. */
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright'
import { expect } from 'vitest'
import type { MockMeeting, MockMeetingOptions, MockServer } from '../../mock/types.ts'
import { HEADLESS_SHELL } from '../headless-shell.ts'
import { SMALL_PICTURES } from './small-pictures.ts'

/** Waits for a value; a loaded machine gets the time it needs. */
export const poll: typeof expect.poll = (look, options) =>
  expect.poll(look, { timeout: 40_000, interval: 50, ...options })

/** Divides the mock's own times in tests that do not care for them. */
export const QUICK = 8

/** A state that is a few loads away may take this long on a busy machine. */
export const DEADLINE_MS = 60_000

export type TestPage = Page & { errors: string[] }

export interface PageOptions {
  /** Runs at the start of every document. */
  init?: () => void
  locale?: string
}

type Opened<Meeting> = Promise<{ meeting: Meeting; page: TestPage }>

export abstract class MockBrowser<Server extends MockServer, Meeting extends MockMeeting> {
  readonly mock: Server
  protected readonly viewport = { width: 1280, height: 720 }
  private readonly browser: Browser
  private contexts: BrowserContext[] = []

  constructor(mock: Server, browser: Browser) {
    this.mock = mock
    this.browser = browser
  }

  /** The address that a visitor's tab opens. */
  protected abstract addressOf(meeting: Meeting): string

  /** Asks to join, as a careful visitor does, until the page has moved on. */
  protected abstract askToJoin(page: TestPage, meeting: Meeting): Promise<void>

  /** A fresh page that collects its errors in `errors`. */
  async page({ init, locale = 'en-US' }: PageOptions = {}): Promise<TestPage> {
    const context = await this.browser.newContext({
      permissions: ['camera', 'microphone'],
      viewport: this.viewport,
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

  /** Opens a scenario in a fresh page. */
  async open(scenario: string, options: MockMeetingOptions = {}, init?: () => void): Opened<Meeting> {
    const meeting = this.mock.open(scenario, { speed: QUICK, seed: 1, media: SMALL_PICTURES, ...options }) as Meeting
    const page = await this.page(init ? { init } : {})
    await page.goto(this.addressOf(meeting), { waitUntil: 'commit' })
    return { meeting, page }
  }

  /** Opens a scenario and asks to be let in. */
  async join(scenario: string, options: MockMeetingOptions = {}, init?: () => void): Opened<Meeting> {
    const opened = await this.open(scenario, options, init)
    await opened.meeting.whenState('greenRoom', DEADLINE_MS)
    await this.askToJoin(opened.page, opened.meeting)
    return opened
  }

  /** As `join`, and waits until the page is in the meeting. */
  async enter(scenario: string, options: MockMeetingOptions = {}, init?: () => void): Opened<Meeting> {
    const joined = await this.join(scenario, options, init)
    await joined.meeting.whenState('call', DEADLINE_MS)
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

/** Starts a Chromium in which the mock is the platform. */
export function launchFor(mock: MockServer): Promise<Browser> {
  return chromium.launch({
    executablePath: HEADLESS_SHELL,
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
}

/** Encoding a large camera picture would cost more than all the rest. */
function askForSmallPictures(): void {
  if (!navigator.mediaDevices) return // A blank page has none.
  const native = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
  navigator.mediaDevices.getUserMedia = (wish) =>
    native(wish?.video ? { ...wish, video: { width: 160, height: 90, frameRate: 5 } } : wish)
}

/**
 * Clicks something that may be hidden by an idle toolbar or not be listening yet, until the condition holds, and still
 * holds `holdMs` later: on a busy machine a click that timed out may still arrive, and undo the next one.
 */
export async function clickUntil(
  page: Page,
  selector: string,
  done: () => boolean | Promise<boolean>,
  holdMs = 0,
): Promise<void> {
  for (const until = Date.now() + DEADLINE_MS; Date.now() < until; ) {
    await page.mouse.move(300 + (Date.now() % 40), 300)
    // Covered or hidden just then; the next attempt moves the pointer again.
    await page
      .locator(selector)
      .first()
      .click({ timeout: 5000 })
      .catch(() => {})
    for (let wait = 0; wait < 10; wait++) {
      if (await done()) {
        if (holdMs === 0) return
        await page.waitForTimeout(holdMs)
        if (await done()) return
        break
      }
      await page.waitForTimeout(60)
    }
  }
  throw new Error(`Clicking ${selector} came to nothing`)
}

/** Whether a click into the element's middle would hit another element. */
export function isCovered(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { x, y, width, height } = node.getBoundingClientRect()
    return !node.contains(document.elementFromPoint(x + width / 2, y + height / 2))
  })
}

/** The text that a person can read on the page, without script data and hidden nodes. */
export function visibleText(page: Page): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: textContent would hold what is hidden, too.
  return page.evaluate(() => document.body.innerText)
}
