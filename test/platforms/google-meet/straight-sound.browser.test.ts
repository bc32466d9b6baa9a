import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import type { BotBrowser } from '../../../platforms/browser/browser.ts'
import { meetScript } from '../../../platforms/google-meet/page-script.ts'
import { HEADLESS_SHELL } from '../../headless-shell.ts'
import { sharedChromium } from '../shared-chromium.ts'
import { workerMocks } from '../worker-mocks.ts'
import { SILENT_STAGE } from './harness.ts'

const { meet: mock, hostMap: mappedHosts } = await workerMocks()
let browser: BotBrowser
beforeAll(async () => {
  const { source: initScript } = meetScript({ botName: 'Bot', botImages: [], recordingMode: 'speaker_view' }, {})
  const options = {
    mappedHosts,
    initScript,
    mediaOrigins: ['https://meet.google.com'],
    logger: silentLogger,
    executablePath: HEADLESS_SHELL,
  }
  browser = await sharedChromium.open(SILENT_STAGE, options, new AbortController().signal)
  await browser.page.goto(mock.open('waiting-room').url)
})
afterAll(() => browser.close())

/** A tone that the page sends to itself, and what its AudioContext is given of it. */
declare const tone: {
  element: HTMLAudioElement
  given: MediaStreamTrack
  received: MediaStreamTrack
  ownIsLeft: boolean
}
const whenPageHasSilence = () => browser.page.waitForFunction(() => !tone.given.enabled)

test('sound that the page plays through an AudioContext is played by an element, unless the page plays one itself', async () => {
  await browser.page.evaluate(async () => {
    const context = new AudioContext()
    const sent = context.createMediaStreamDestination()
    const oscillator = context.createOscillator()
    oscillator.connect(sent)
    oscillator.start()
    const [from, to] = [new RTCPeerConnection(), new RTCPeerConnection()]
    from.addEventListener('icecandidate', ({ candidate }) => to.addIceCandidate(candidate ?? undefined))
    to.addEventListener('icecandidate', ({ candidate }) => from.addIceCandidate(candidate ?? undefined))
    const arrived = new Promise<MediaStreamTrack>((resolve) =>
      to.addEventListener('track', ({ track }) => resolve(track)),
    )
    from.addTrack(sent.stream.getAudioTracks()[0]!, sent.stream)
    await from.setLocalDescription()
    await to.setRemoteDescription(from.localDescription!)
    await to.setLocalDescription()
    await from.setRemoteDescription(to.localDescription!)
    const received = await arrived
    const source = context.createMediaStreamSource(new MediaStream([received]))
    source.connect(context.destination)
    const element = document.createElement('audio')
    element.srcObject = new MediaStream([received])
    document.body.append(element)
    const given = source.mediaStream.getAudioTracks()[0]!
    const ownIsLeft = context.createMediaStreamSource(sent.stream).mediaStream === sent.stream
    Object.assign(globalThis, { tone: { element, given, received, ownIsLeft } })
  })
  await whenPageHasSilence()
  expect(await browser.page.evaluate(() => tone.received.enabled && tone.ownIsLeft)).toBe(true)

  await browser.page.evaluate(() => tone.element.play())
  await browser.page.waitForFunction(() => tone.given.enabled)
  await browser.page.evaluate(() => {
    tone.element.muted = true
  })
  await whenPageHasSilence()
})
