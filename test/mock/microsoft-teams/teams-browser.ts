/** One Chromium and one mock Teams for a file of tests; every test gets a context of its own. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { expect } from 'vitest'
import { type MockMicrosoftTeams, startMockMicrosoftTeams } from '../../../mock/microsoft-teams/index.ts'
import type { TeamsMeeting } from '../../../mock/microsoft-teams/meeting.ts'
import type { MockMeetingOptions } from '../../../mock/types.ts'

/** Waits for a value; a loaded machine gets the time it needs. */
export const poll: typeof expect.poll = (look, options) =>
  expect.poll(look, { timeout: 40_000, interval: 50, ...options })

/** Divides the mock's own times in tests that do not care for them. */
export const QUICK = 10

/** A state that is a few loads away may take this long on a busy machine. */
const DEADLINE_MS = 60_000

export type TestPage = Page & { errors: string[] }

export const tid = (name: string) => `[data-tid="${name}"]`

export class TeamsBrowser {
  readonly mock: MockMicrosoftTeams
  private readonly browser: Browser
  private contexts: BrowserContext[] = []

  private constructor(mock: MockMicrosoftTeams, browser: Browser) {
    this.mock = mock
    this.browser = browser
  }

  static async start(): Promise<TeamsBrowser> {
    const mock = await startMockMicrosoftTeams()
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
    return new TeamsBrowser(mock, browser)
  }

  /** A fresh page that collects its errors in `errors`. */
  async page(init?: () => void): Promise<TestPage> {
    const context = await this.browser.newContext({
      permissions: ['camera', 'microphone'],
      viewport: { width: 1280, height: 720 },
    })
    this.contexts.push(context)
    const page = await context.newPage()
    await page.addInitScript(askForSmallPictures)
    await page.addInitScript(refuseApps)
    if (init) await page.addInitScript(init)
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    return Object.assign(page, { errors })
  }

  /** Opens a scenario's page in a fresh tab, past the documents that lead from its link to it. */
  async open(scenario: string, options: MockMeetingOptions = {}, init?: () => void) {
    const meeting = this.mock.open(scenario, { speed: QUICK, seed: 1, ...options })
    const page = await this.page(init)
    await page.goto(`https://${meeting.ids.host}${meeting.lightPath()}`, { waitUntil: 'commit' })
    return { meeting, page }
  }

  /** Opens a scenario and asks to join, as a careful visitor does. */
  async join(scenario: string, options: MockMeetingOptions = {}, init?: () => void) {
    const opened = await this.open(scenario, options, init)
    await opened.meeting.whenState('greenRoom', DEADLINE_MS)
    await askToJoin(opened.page, opened.meeting)
    return opened
  }

  /** As `join`, and waits until the page is in the call. */
  async enter(scenario: string, options: MockMeetingOptions = {}, init?: () => void) {
    const joined = await this.join(scenario, options, init)
    await joined.meeting.whenState('call', DEADLINE_MS)
    await joined.page.locator('#hangup-button').waitFor({ state: 'attached', timeout: DEADLINE_MS })
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

/**
 * The launcher's frame leads to the app by a scheme of its own. Chromium asks a person whether to open it, outside of
 * the document, and no click reaches the page meanwhile.
 */
function refuseApps(): void {
  const native = Element.prototype.setAttribute
  Element.prototype.setAttribute = function (name, value) {
    if (!(this instanceof HTMLIFrameElement && name === 'src' && /^msteams:/.test(value)))
      native.call(this, name, value)
  }
}

/** Types the name until it holds, then presses the button until the page moves on: both may come to nothing. */
export async function askToJoin(page: Page, meeting: TeamsMeeting, name = 'Test Visitor'): Promise<void> {
  const box = page.locator(tid('prejoin-display-name-input'))
  for (const until = Date.now() + DEADLINE_MS; meeting.state === 'greenRoom'; ) {
    if (Date.now() > until) throw new Error('Joining came to nothing')
    try {
      if ((await box.count()) > 0 && (await box.inputValue()) !== name) {
        // A click reaches the field only when the page listens to it; what is typed before is lost.
        await box.click({ timeout: 2000 })
        await box.fill(name, { timeout: 2000 })
      }
      await page.locator(tid('prejoin-join-button')).click({ timeout: 2000 })
    } catch (error) {
      // Covered, or the page moved on between the look and the click.
      if (!(error instanceof Error && /Timeout|detached|navigat|context/i.test(error.message))) throw error
    }
    await meeting.whenState('joining', 300).catch(() => {})
  }
}

/**
 * Clicks something that may be hidden by the idle toolbar or not be listening yet, until the condition holds, and still
 * holds a moment later: on a busy machine a click that was given up may arrive after all, and undo the next one.
 */
export async function clickUntil(page: Page, selector: string, done: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + DEADLINE_MS; Date.now() < until; ) {
    await page.mouse.move(300 + (Date.now() % 40), 300)
    // Covered or hidden just then; the next attempt moves the pointer again.
    await page
      .locator(selector)
      .first()
      .click({ timeout: 4000 })
      .catch(() => {})
    for (let wait = 0; wait < 20; wait++) {
      await page.waitForTimeout(60)
      if (!(await done())) continue
      await page.waitForTimeout(300)
      if (await done()) return
      break
    }
  }
  throw new Error(`Clicking ${selector} came to nothing`)
}

/** What a person can read on the page. */
export function visibleText(page: Page): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: textContent would hold what is hidden, too.
  return page.evaluate(() => document.body.innerText)
}
