import type { Page } from 'playwright'
import { afterAll, expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import type { BotBrowser } from '../../../platforms/browser/browser.ts'
import { meetScript } from '../../../platforms/google-meet/page-script.ts'
import { SELECTORS } from '../../../platforms/google-meet/words.ts'
import { clickUntil } from '../click-until.ts'
import { sharedChromium } from '../shared-chromium.ts'
import { workerMocks } from '../worker-mocks.ts'
import { SILENT_STAGE, until } from './harness.ts'

const { meet: mock, hostMap: mappedHosts } = await workerMocks()
const browsers: BotBrowser[] = []
async function open(initScript?: string): Promise<Page> {
  const options = {
    mappedHosts,
    initScript,
    mediaOrigins: ['https://meet.google.com'],
    logger: silentLogger,
  }
  const browser = await sharedChromium.open(SILENT_STAGE, options, new AbortController().signal)
  browsers.push(browser)
  return browser.page
}
afterAll(async () => {
  for (const browser of browsers) await browser.close()
})

test('every selector is valid and matches an element of the mock meeting', async () => {
  const page = await open(script().source)
  const matched = new Set<string>()
  const look = async () => {
    const found = await page.evaluate(
      (selectors) => {
        return Object.entries(selectors)
          .filter(([, selector]) => document.querySelector(selector) !== null)
          .map(([name]) => name)
      },
      SELECTORS as Record<string, string>,
    )
    for (const name of found) matched.add(name)
  }
  for (const [scenario, seed] of [
    ['people-badge-ui', 2],
    ['chat-pin-overlay', 3],
    ['access-captcha', 1],
  ] as const) {
    const meeting = mock.open(scenario, { seed, speed: 10 })
    await page.goto(meeting.url)
    await meeting.whenState('greenRoom', 30_000)
    await look()
    await page.fill(SELECTORS.nameBox, 'Selector test')
    await until(() => meeting.botName !== null || meeting.state === 'greenRoom', 'the green room is ready')
    for (let click = 0; click < 5 && meeting.state === 'greenRoom'; click++) {
      await page.click(SELECTORS.joinByName, { timeout: 5000 }).catch(() => {})
      await page.waitForTimeout(500)
    }
    await look()
    if (scenario === 'access-captcha') continue
    await meeting.whenState('call', 30_000)
    await page.waitForSelector(SELECTORS.tile, { state: 'attached' })
    meeting.say('ann', 'A message')
    const isShown = (selector: string) => page.locator(selector).first().isVisible()
    await clickUntil(page, SELECTORS.chatPanelButton, () => isShown(SELECTORS.chatMessage))
    await look()
    await clickUntil(page, SELECTORS.chatPanelButton, async () => !(await isShown(SELECTORS.chatMessage)))
    const people = scenario === 'people-badge-ui' ? SELECTORS.peopleBadge : SELECTORS.peoplePanelButton
    await clickUntil(page, people, () => isShown(SELECTORS.personRow))
    meeting.show('got-it')
    await page.waitForSelector(SELECTORS.dialog, { state: 'attached' })
    await page.evaluate(() => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'c' })))
    await page.evaluate(() => document.querySelector<HTMLElement>('[aria-haspopup="menu"]')?.click())
    await look()
    meeting.remove()
    await page.waitForSelector(SELECTORS.callEnded, { state: 'attached' })
    await look()
  }
  const known = Object.keys(SELECTORS)
  // Two accounts differ: the older attribute of the own name and the captions are not on every page.
  const missing = known.filter((name) => !matched.has(name) && !['ownNameAttribute', 'captionsRegion'].includes(name))
  expect(missing).toEqual([])
})

function script() {
  return meetScript({ botName: 'Bot', botImages: [], recordingMode: 'speaker_view' }, {})
}

test('the script leaves no name in the page, the browser functions look native, and a frame inside is left alone', async () => {
  const meeting = mock.open('waiting-room', { speed: 10 })
  const look = (page: Page) =>
    page.evaluate(() => ({
      names: Object.getOwnPropertyNames(window).sort(),
      documentNames: Object.getOwnPropertyNames(document).sort(),
      sources: [
        RTCPeerConnection,
        RTCPeerConnection.prototype.createDataChannel,
        AudioContext.prototype.createMediaStreamSource,
        fetch,
        navigator.mediaDevices.getUserMedia,
      ].map((native) => [
        native.name,
        native.length,
        Function.prototype.toString.call(native).endsWith('() { [native code] }'),
      ]),
      statics: typeof RTCPeerConnection.generateCertificate,
      isInstance: new RTCPeerConnection() instanceof RTCPeerConnection,
      constructorIsSame: new RTCPeerConnection().constructor === RTCPeerConnection,
    }))
  const plain = await open()
  await plain.goto(meeting.url)
  // Without our own devices the page asks about them first.
  await until(() => ['devicePrompt', 'greenRoom'].includes(meeting.state), 'the page is there')
  const without = await look(plain)
  const ours = await open(script().source)
  await ours.goto(meeting.url)
  await meeting.whenState('greenRoom', 30_000)
  expect(await look(ours)).toEqual(without)
  const inFrame = await ours.evaluate(() => {
    const frame = document.createElement('iframe')
    document.body.append(frame)
    return frame.contentWindow !== null && Object.getOwnPropertySymbols(frame.contentWindow).length
  })
  expect(inFrame).toBe(0)
})
