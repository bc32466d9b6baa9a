import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { poll } from '../mock-browser.ts'
import { MeetBrowser } from './meet-browser.ts'
import { messagesAt, numberAt, type Read, readProtobuf, textAt } from './read-protobuf.ts'

let browser: MeetBrowser
beforeAll(async () => {
  browser = await MeetBrowser.start()
})
afterEach(() => browser.clear())
afterAll(() => browser.close())

interface Watched {
  connections: RTCPeerConnection[]
  messages: { label: string; base64: string }[]
  analysers: AnalyserNode[]
}

/** Runs before the page's own scripts, as a driver's would: keeps connections, channels and the audible sound. */
function watchMedia(): void {
  const watched: Watched = { connections: [], messages: [], analysers: [] }
  Object.assign(window, { watched })
  const keep = (channel: RTCDataChannel) => {
    channel.addEventListener('message', ({ data }) => {
      const base64 = btoa(String.fromCharCode(...new Uint8Array(data)))
      watched.messages.push({ label: channel.label, base64 })
    })
  }
  const Native = RTCPeerConnection
  window.RTCPeerConnection = class extends Native {
    constructor(settings?: RTCConfiguration) {
      super(settings)
      watched.connections.push(this)
      this.addEventListener('datachannel', ({ channel }) => keep(channel))
    }
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

const watchedOf = <T>(page: Page, look: (watched: Watched) => T) =>
  page.evaluate(
    ([source]) => {
      const run = new Function(`return (${source})`)() as (watched: Watched) => T
      return run((window as unknown as { watched: Watched }).watched)
    },
    [String(look)] as const,
  )

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

const sources = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as { watched: Watched }).watched.connections
      .flatMap((connection) => connection.getReceivers())
      .flatMap((receiver) => receiver.getContributingSources())
      .filter(({ audioLevel }) => (audioLevel ?? 0) > 0.01)
      .map(({ source }) => source),
  )

async function collections(page: Page): Promise<Read[]> {
  const messages = await page.evaluate(() =>
    (window as unknown as { watched: Watched }).watched.messages
      .filter(({ label }) => label === 'collections')
      .map(({ base64 }) => base64),
  )
  return messages.map((base64) => readProtobuf(gunzipSync(Buffer.from(base64, 'base64'))))
}

describe('the media of the call', () => {
  test('pictures move in the tiles, and the camera of the page arrives', async () => {
    const { page, meeting } = await browser.enter('speaker-csrc', { speed: 1 }, watchMedia)
    const video = page.locator(`[data-participant-id="${meeting.deviceOf('cleo')}"] video`)
    const decoded = () =>
      video.evaluate((element) => (element as HTMLVideoElement).getVideoPlaybackQuality().totalVideoFrames)
    await video.waitFor({ timeout: 20_000 })
    await poll(decoded).toBeGreaterThan(20)
    expect(await page.locator(`[data-participant-id="${meeting.deviceOf('bob')}"] video`).count()).toBe(0)
    await poll(() => meeting.bot.sent().videoPackets).toBeGreaterThan(20)
    await poll(() => meeting.bot.sent().audioPackets).toBeGreaterThan(20)
    await poll(async () => (await meeting.bot.savedCamera())?.length ?? 0).toBeGreaterThan(1000)
  })

  test('a real contributing source names the speaker, who is audible while the audio elements are paused', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit', {}, watchMedia)
    await poll(() => page.locator('[data-tile-media-id] video').count()).toBeGreaterThan(0)
    expect(await sources(page)).toEqual([])
    meeting.startSpeaking('bob')
    await poll(() => sources(page)).toContain(meeting.audioSourceOf('bob'))
    await poll(() => loudness(page)).toBeGreaterThan(0.05)
    const paused = await page
      .locator('body > audio')
      .evaluateAll((all) => all.map((one) => (one as HTMLAudioElement).paused))
    expect(paused).toEqual([true, true, true])
    meeting.stopSpeaking('bob')
    await poll(() => meeting.truth.turns[0]?.endedAt).toBeTruthy()
    await poll(() => loudness(page)).toBeLessThan(0.01)
    const [turn] = meeting.truth.turns
    expect(turn).toMatchObject({ personId: 'bob', name: 'Bob Berg' })
  })

  test('the roster comes over the collections channel in the field numbers of the platform', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit', {}, watchMedia)
    await poll(async () => (await collections(page)).length).toBeGreaterThan(0)
    const [first] = await collections(page)
    const users = messagesAt(first!, 1, 2, 13, 1, 2)
    expect(users.map((user) => [textAt(user, 2), numberAt(user, 4), user.has(7), numberAt(user, 34)])).toEqual([
      ['Test Visitor', 1, true, null],
      ['Ann Host', 1, false, 1],
      ['Bob Berg', 1, false, null],
    ])
    const outputs = messagesAt(first!, 1, 2, 3, 2)
    const annAudio = outputs.find(
      (output) => textAt(output, 6) === meeting.deviceOf('ann') && numberAt(output, 2) === 1,
    )
    expect(textAt(annAudio!, 4)).toBe(String(meeting.audioSourceOf('ann')))

    const bob = meeting.deviceOf('bob')
    meeting.say('ann', 'På kanalen 👋')
    meeting.startSharing('ann')
    meeting.removePerson('bob')
    const deltas = async () => (await collections(page)).slice(1)
    await poll(async () =>
      (await deltas()).flatMap((event) => messagesAt(event, 1, 2, 13, 4, 2, 5).map((m) => textAt(m, 1))),
    ).toEqual(['På kanalen 👋'])
    const changed = async () => (await deltas()).flatMap((event) => messagesAt(event, 1, 2, 13, 1, 2))
    await poll(async () =>
      (await changed()).filter((user) => textAt(user, 1) === bob).map((user) => numberAt(user, 4)),
    ).toContain(6)
    expect((await changed()).map((user) => textAt(user, 21))).toContain(meeting.deviceOf('ann'))
    meeting.remove()
    await meeting.whenState('removed')
  })

  test('the first roster also answers the page over HTTP', async () => {
    const { meeting, page } = await browser.join('waiting-room')
    await meeting.whenState('lobby')
    const answer = page.waitForResponse(/SyncMeetingSpaceCollections/)
    meeting.admit()
    const read = readProtobuf(Buffer.from(await (await answer).text(), 'base64'))
    expect(messagesAt(read, 2, 2, 2).map((user) => textAt(user, 2))).toEqual(['Test Visitor', 'Ann Host', 'Bob Berg'])
  })

  test('people in one room have one source and are marked together', async () => {
    const { page, meeting } = await browser.enter('merged-audio', { speed: 1 })
    expect(meeting.audioSourceOf('cleo')).toBe(meeting.audioSourceOf('dan'))
    expect(meeting.audioSourceOf('cleo')).not.toBe(meeting.audioSourceOf('ann'))
    const marks = (id: string) =>
      page
        .locator(`[data-participant-id="${meeting.deviceOf(id)}"] [jsname="QgSmzd"]`)
        .first()
        .getAttribute('class')
    const [ann, dan] = [await marks('ann'), await marks('dan')]
    meeting.startSpeaking('cleo')
    await poll(() => marks('dan')).not.toBe(dan)
    expect(await marks('ann')).toBe(ann)
  })

  test('without audio elements there is sound, but no source to read', async () => {
    const { page, meeting } = await browser.enter('no-audio-elements', {}, watchMedia)
    expect(await page.locator('audio').count()).toBe(0)
    meeting.startSpeaking('bob')
    await poll(() => loudness(page)).toBeGreaterThan(0.05)
    expect(await sources(page)).toEqual([])
    const kinds = await watchedOf(page, ({ connections }) =>
      connections.flatMap((connection) =>
        connection.getTransceivers().map((line) => `${line.receiver.track.kind} ${line.direction}`),
      ),
    )
    expect(kinds).not.toContain('audio recvonly')
  })

  test('a constructor wrapper without statics is noticed', async () => {
    const { page, meeting } = await browser.join('waiting-room', {}, () => {
      const Native = RTCPeerConnection
      const wrapper = (settings?: RTCConfiguration) => new Native(settings)
      Object.assign(window, { RTCPeerConnection: wrapper })
    })
    await poll(() => meeting.log.some(({ target }) => target === 'media-failed')).toBe(true)
    expect(page.errors).toEqual([])
  })

  test('flash and beep are at known times', async () => {
    const { page, meeting } = await browser.enter('waiting-room-then-admit', {}, watchMedia)
    await poll(() => page.locator('[data-tile-media-id] video').count()).toBeGreaterThan(0)
    meeting.flashAndBeep(true)
    await poll(() => meeting.truth.beeps.length, { timeout: 60_000 }).toBeGreaterThan(2)
    const [one, other] = meeting.truth.beeps
    expect(Math.round(other! - one!)).toBe(2000)
    await poll(() => loudness(page)).toBeGreaterThan(0.1)
  })
})
