import type { Page } from 'playwright'
import { afterAll, expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import type { JitsiMeeting } from '../../../packages/mock/jitsi/meeting.ts'
import type { BotBrowser } from '../../../platforms/browser/browser.ts'
import type { PageConfig } from '../../../platforms/jitsi/page/types.ts'
import { SELECTORS, WORDS } from '../../../platforms/jitsi/words.ts'
import { meetingScript } from '../../../platforms/shared/page-access/meeting-page.ts'
import { labelSources } from '../../../platforms/shared/words.ts'
import { sharedChromium } from '../shared-chromium.ts'
import { workerMocks } from '../worker-mocks.ts'
import { SILENT_STAGE, until } from './harness.ts'

const { jitsi: mock, hostMap: mappedHosts } = await workerMocks()
const browsers: BotBrowser[] = []
async function open(initScript?: string): Promise<Page> {
  const options = { mappedHosts, initScript, mediaOrigins: ['https://meet.jit.si'], logger: silentLogger }
  const browser = await sharedChromium.open(SILENT_STAGE, options, new AbortController().signal)
  browsers.push(browser)
  return browser.page
}
afterAll(async () => {
  for (const browser of browsers) await browser.close()
})

function script(): string {
  return meetingScript<PageConfig>('page/jitsi', {
    botName: 'Bot',
    botImage: null,
    recordingMode: 'speaker_view',
    playout: 'even',
    meetingHosts: ['meet.jit.si'],
    selectors: SELECTORS,
    labels: labelSources(WORDS.labels),
  }).source
}

test('every selector is valid and matches an element of the mock meeting', async () => {
  const page = await open(script())
  const left = new Set(Object.keys(SELECTORS))
  /** Looks until these, too, have been seen. */
  const look = async (...wanted: (keyof typeof SELECTORS)[]) => {
    await expect
      .poll(async () => {
        for (const name of await page.evaluate(matching, SELECTORS as Record<string, string>)) left.delete(name)
        return wanted.filter((name) => left.has(name))
      })
      .toEqual([])
  }
  const enter = async (scenario: string): Promise<JitsiMeeting> => {
    const meeting = mock.open(scenario, { seed: 1, speed: 10 }) as JitsiMeeting
    await page.goto(`${meeting.url}#config.disableDeepLinking=true`)
    await meeting.whenState('greenRoom', 30_000)
    await press(page, SELECTORS.join, () => left.has('nameMissing') === false || meeting.state !== 'greenRoom', look)
    await page.fill(SELECTORS.nameBox, 'Selector test')
    await press(page, SELECTORS.join, () => meeting.state !== 'greenRoom')
    return meeting
  }

  await enter('locked-lobby')
  await look('knocking', 'withPassword')
  await page.click(SELECTORS.withPassword)
  await look('passwordBox')
  await page.click(SELECTORS.passwordJoin)
  await look('passwordWrong')
  await enter('login-dialog')
  await look('loginBox', 'dialogOk')

  const meeting = await enter('open')
  await meeting.whenState('call', 30_000)
  meeting.startSpeaking('ann')
  meeting.say('ann', 'A message')
  await look('dominantTile', 'tileName')
  await press(
    page,
    '.toolbar-button-with-badge [role="button"]',
    async () => (await page.locator(SELECTORS.chatBox).count()) > 0,
  )
  await look('chatMessage', 'chatMessageText', 'chatSender')
  meeting.show('noisy-microphone')
  await look('notification')
  meeting.remove()
  await look('leaveReason')
  const lost = await enter('open')
  await lost.whenState('call', 30_000)
  lost.show('server-lost')
  await look('lightOverlay')
  expect([...left]).toEqual([])
})

function matching(selectors: Record<string, string>): string[] {
  return Object.keys(selectors).filter((name) => document.querySelector(selectors[name] ?? '') !== null)
}

/** Presses what may not be listening yet or hides while no pointer moves, until the condition holds. */
async function press(
  page: Page,
  selector: string,
  isDone: () => boolean | Promise<boolean>,
  look: () => Promise<void> = async () => {},
): Promise<void> {
  for (let attempt = 0; attempt < 40; attempt++) {
    await page.mouse.move(300 + attempt, 300)
    await page
      .locator(selector)
      .first()
      .click({ timeout: 2000 })
      .catch(() => {})
    await look()
    if (await isDone()) return
    await page.waitForTimeout(200)
  }
  throw new Error(`Pressing ${selector} came to nothing`)
}

test('the script leaves no name in the page, and the browser functions look native', async () => {
  const look = (page: Page) =>
    page.evaluate(() => ({
      names: Object.getOwnPropertyNames(window).sort(),
      sources: [RTCPeerConnection, navigator.mediaDevices.getUserMedia].map((native) => [
        native.name,
        native.length,
        Function.prototype.toString.call(native).endsWith('() { [native code] }'),
      ]),
      constructorIsSame: new RTCPeerConnection().constructor === RTCPeerConnection,
    }))
  const seen: unknown[] = []
  for (const initScript of [undefined, script()]) {
    const page = await open(initScript)
    const meeting = mock.open('waiting-room', { speed: 10 })
    await page.goto(meeting.url)
    await until(() => ['deepLink', 'greenRoom'].includes(meeting.state), 'the page is there')
    seen.push(await look(page))
    await page.close()
  }
  expect(seen[1]).toEqual(seen[0])
})
