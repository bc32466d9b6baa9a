import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ZoomMeeting } from '../../../mock/zoom/index.ts'
import { poll } from '../mock-browser.ts'
import { ZoomBrowser } from './zoom-browser.ts'

let browser: ZoomBrowser
beforeAll(async () => {
  browser = await ZoomBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

/** The page's media as a hook sees them. The hook is installed before the page's own script. */
interface Watched {
  tracks: { stream: string; receiver: RTCRtpReceiver }[]
  played: HTMLMediaElement[]
  analysers: AnalyserNode[]
}

function watchMedia(): void {
  const watched: Watched = { tracks: [], played: [], analysers: [] }
  Object.assign(window, { watched })
  const Native = RTCPeerConnection
  class Watching extends Native {
    constructor(...given: ConstructorParameters<typeof Native>) {
      super(...given)
      this.addEventListener('track', ({ track, streams, receiver }) => {
        if (track.kind === 'audio') watched.tracks.push({ stream: streams[0]?.id ?? '', receiver })
      })
    }
  }
  Object.assign(window, { RTCPeerConnection: Watching })
  const context = new AudioContext()
  const play = HTMLMediaElement.prototype.play
  HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
    const stream = this.srcObject as MediaStream | null
    if (stream && stream.getAudioTracks().length > 0 && !watched.played.includes(this)) {
      watched.played.push(this)
      const analyser = new AnalyserNode(context, { fftSize: 8192 })
      context.createMediaStreamSource(stream).connect(analyser)
      watched.analysers.push(analyser)
    }
    return play.call(this)
  }
  const connect = AudioNode.prototype.connect as (this: AudioNode, to: AudioNode) => AudioNode
  AudioNode.prototype.connect = function (this: AudioNode, to: AudioNode) {
    if (to === this.context.destination) {
      const analyser = new AnalyserNode(this.context, { fftSize: 8192 })
      watched.analysers.push(analyser)
      connect.call(this, analyser)
    }
    return connect.call(this, to)
  } as typeof AudioNode.prototype.connect
}

/** The loudest sample of the last 170 ms, 0 to 1, of everything the page plays. */
const loudness = (page: Page) =>
  page.evaluate(() => {
    const { analysers } = (window as unknown as { watched: Watched }).watched
    return Math.max(
      0,
      ...analysers.map((analyser) => {
        const samples = new Float32Array(analyser.fftSize)
        analyser.getFloatTimeDomainData(samples)
        return Math.max(...samples.map(Math.abs))
      }),
    )
  })

/** Looks while Bob speaks: the scenario's own turns may have stopped him. */
function speak<T>(meeting: ZoomMeeting, look: () => Promise<T>): Promise<T> {
  meeting.startSpeaking('bob')
  return look()
}

const streams = (page: Page) =>
  page.evaluate(() => [
    ...new Set((window as unknown as { watched: Watched }).watched.tracks.map(({ stream }) => stream)),
  ])

describe('on the WebRTC path', () => {
  test('each participant has a stream named after the node, with separate levels, beside a copy under another name', async () => {
    const { page, meeting } = await browser.enter('wc-audio-webrtc', { speed: 4 }, watchMedia)
    const named = (id: string) => new RegExp(`^${meeting.nodeOf(id) + 1}\\+.+\\+CS\\+`)
    for (const id of ['ann', 'bob', 'cleo']) {
      await poll(() => streams(page)).toContainEqual(expect.stringMatching(named(id)))
    }
    await poll(async () => (await streams(page)).some((stream) => !stream.includes('+CS+'))).toBe(true)
    const level = (node: number) =>
      page.evaluate(
        (prefix) => {
          const { tracks } = (window as unknown as { watched: Watched }).watched
          const track = tracks.findLast(({ stream }) => stream.startsWith(prefix))
          return track?.receiver.getSynchronizationSources()[0]?.audioLevel ?? 0
        },
        `${node + 1}+`,
      )
    await poll(() => speak(meeting, () => level(meeting.nodeOf('bob')))).toBeGreaterThan(0.01)
    await poll(() => speak(meeting, () => loudness(page))).toBeGreaterThan(0.05)
    meeting.addPerson({ id: 'dan', name: 'Dan Dole', camera: true })
    await poll(() => streams(page)).toContainEqual(expect.stringMatching(named('dan')))
    // Sounds are played outside the tiles, pictures are videos inside them.
    expect(await page.locator('video-player audio').count()).toBe(0)
    const player = page.locator(`video-player[node-id="${meeting.nodeOf('ann')}"] video`).first()
    await poll(() => player.evaluate((video) => (video as HTMLVideoElement).videoWidth)).toBeGreaterThan(0)
    await poll(() => meeting.bot.sent().audioPackets).toBeGreaterThan(20)
    meeting.flashAndBeep(true)
    await poll(() => meeting.truth.beeps.length, { timeout: 60_000 }).toBeGreaterThan(1)
    expect(page.errors).toEqual([])
  })
})

describe('on the WASM path', () => {
  test.each(['worklet', 'loopback'] as const)(
    'by %s there is sound but no sound to read, and canvases',
    async (way) => {
      const { page, meeting } = await browser.enter(`wc-audio-${way}`, { speed: 4, seed: 5 }, watchMedia)
      await poll(() => speak(meeting, () => loudness(page))).toBeGreaterThan(0.05)
      const heard = await streams(page)
      expect(heard.filter((stream) => stream.includes('+CS+'))).toEqual([])
      expect(heard.length).toBe(way === 'loopback' ? 1 : 0)
      expect(await page.locator('video-player video').count()).toBe(0)
      const node = meeting.nodeOf('ann')
      const picture = () =>
        page.evaluate((id) => {
          const canvas = document.querySelector(`video-player[node-id="${id}"]`)?.shadowRoot?.querySelector('canvas')
          const pen = canvas?.getContext('2d')
          if (!canvas || !pen) return null
          const { data } = pen.getImageData(0, 0, canvas.width, canvas.height)
          return data.reduce((sum, value, index) => (index % 4 === 3 ? sum : (sum * 31 + value) % 1_000_003), 0)
        }, node)
      await poll(picture).toBeTruthy()
      const first = await picture()
      await poll(picture).not.toBe(first)
      const silence = () => {
        for (const { id } of meeting.people) meeting.stopSpeaking(id)
        return loudness(page)
      }
      await poll(silence).toBeLessThan(0.01)
    },
  )
})

test('there is no sound before audio is joined', async () => {
  const { page, meeting } = await browser.enter('wc-audio-not-joined', { speed: 4 }, watchMedia)
  meeting.startSpeaking('bob')
  await poll(() => meeting.truth.turns.length).toBeGreaterThan(0)
  await page.locator('.join-audio-by-pc-container').waitFor()
  expect(await loudness(page)).toBe(0)
  await page.getByText('Join Audio by Computer').click()
  await poll(() => speak(meeting, () => loudness(page))).toBeGreaterThan(0.05)
})
