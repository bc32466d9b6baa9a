/** The script of each platform, in the page of its mock in front of a meeting: nothing shows that it is there. */
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import type { Page } from 'playwright'
import { afterEach, expect, test } from 'vitest'
import { silentLogger } from '../../packages/core/logger.ts'
import type { MeetingTarget } from '../../packages/core/meeting/meeting.ts'
import type { BotBrowser } from '../../platforms/browser/browser.ts'
import { meetScript } from '../../platforms/google-meet/page-script.ts'
import { SELECTORS as JITSI_SELECTORS, WORDS as JITSI_WORDS } from '../../platforms/jitsi/words.ts'
import { teamsScript } from '../../platforms/microsoft-teams/page-script.ts'
import { meetingScript } from '../../platforms/shared/page-access/meeting-page.ts'
import { scriptConfig } from '../../platforms/shared/page-access/script-config.ts'
import { labelSources } from '../../platforms/shared/words.ts'
import { SELECTORS as ZOOM_SELECTORS, WORDS as ZOOM_WORDS } from '../../platforms/zoom/words.ts'
import { SILENT_STAGE } from './conformance/ground.ts'
import { sharedChromium } from './shared-chromium.ts'
import { workerMocks } from './worker-mocks.ts'

const GIVEN = [{ botName: 'Bot', botImages: [], recordingMode: 'speaker_view' }, {}] as const
const plainScript = (
  name: string,
  meetingHosts: string[],
  selectors: Readonly<Record<string, string>>,
  labels: Parameters<typeof labelSources>[0],
) => meetingScript(name, { ...scriptConfig(...GIVEN), meetingHosts, selectors, labels: labelSources(labels) })

const mocks = await workerMocks()
const opened: BotBrowser[] = []
afterEach(async () => {
  for (const browser of opened.splice(0)) await browser.close()
})

async function open(origin: string, initScript?: string): Promise<Page> {
  const options = { mappedHosts: mocks.hostMap, initScript, mediaOrigins: [origin], logger: silentLogger }
  const browser = await sharedChromium.open(SILENT_STAGE, options, new AbortController().signal)
  opened.push(browser)
  return browser.page
}

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

test.each([
  ['meet', 'https://meet.google.com', meetScript(...GIVEN)],
  ['teams', 'https://teams.microsoft.com', teamsScript(...GIVEN)],
  ['zoom', 'https://app.zoom.us', plainScript('page/zoom', ['app.zoom.us'], ZOOM_SELECTORS, ZOOM_WORDS.labels)],
  ['jitsi', 'https://meet.jit.si', plainScript('page/jitsi', ['meet.jit.si'], JITSI_SELECTORS, JITSI_WORDS.labels)],
] as const)(
  '%s: the script leaves no name in the page, the browser functions look native, and a frame inside is left alone',
  async (platform, origin, { source }) => {
    const seen: Awaited<ReturnType<typeof look>>[] = []
    for (const script of [undefined, source]) {
      const meeting = mocks[platform].open('waiting-room', { speed: 10 })
      const { url } = readMeeting(meeting.url, { jitsiHosts: mocks.jitsi.hosts }) as MeetingTarget
      const page = await open(origin, script)
      await page.goto(url)
      // Without the bot's devices some pages ask about them first.
      await expect.poll(() => ['deepLink', 'devicePrompt', 'preview', 'greenRoom'].includes(meeting.state)).toBe(true)
      seen.push(await look(page))
      if (script === undefined) continue
      const inFrame = await page.evaluate(() => {
        const frame = document.createElement('iframe')
        document.body.append(frame)
        return frame.contentWindow !== null && Object.getOwnPropertySymbols(frame.contentWindow).length
      })
      expect(inFrame).toBe(0)
    }
    // It is hidden, so that the sound of people stays in their receivers.
    const names = seen[0]!.names.filter((name) => platform !== 'meet' || name !== 'RTCRtpScriptTransform')
    expect(seen[1]).toEqual({ ...seen[0], names })
  },
)
