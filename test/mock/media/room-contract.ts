import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  JanusServer,
  lookColor,
  type MediaPerson,
  MediaRoom,
  type MediaRoomOptions,
  voiceFrequency,
} from '../../../mock/media/room.ts'
import { MediaPage } from './media-page.ts'

const run = promisify(execFile)
const person = (look: number, camera = true): MediaPerson => ({
  id: `person/${look}`,
  name: ['Ann Bell', 'Ben Cole', '<b>Zoë</b> Özil', '李雷'][look] ?? `P ${look}`,
  audioCsrc: 4_000_000_000 + look,
  camera,
  look,
})
const soon = { timeout: 20_000, interval: 100 }
/** Colors are compared with room for the rounding of video coding. */
const COLOR_TOLERANCE = 16

/** To be called once in a test file. Janus is the real media server. */
export function mediaRoomContract(mode: 'its own packets' | 'a real media server'): void {
  let page: MediaPage
  let folder: string
  let room: MediaRoom
  /** The media server of the rooms; undefined: their own packets. */
  let via: JanusServer | undefined

  async function makeRoom(options: MediaRoomOptions, people: MediaPerson[]): Promise<void> {
    room = new MediaRoom({ via, ...options })
    for (const one of people) room.addPerson(one)
    await room.ready()
  }

  async function shownLook(mid: string): Promise<number | null> {
    const shown = await page.show(mid)
    const [red, green, blue] = shown?.color(0.03, 0.5) ?? [0, 0, 0]
    const look = [0, 1, 2, 3].findIndex((candidate) => {
      const color = lookColor(candidate)
      const distance = Math.max(Math.abs(color.red - red), Math.abs(color.green - green), Math.abs(color.blue - blue))
      return distance <= COLOR_TOLERANCE
    })
    return look === -1 ? null : look
  }

  function midOf(session: ReturnType<MediaRoom['connect']>, personId: string, kind = 'camera'): string | undefined {
    return session.videoSlots().find((slot) => slot.personId === personId && slot.kind === kind)?.mid
  }

  /** The looks among 0 to 3 whose voice is on the stream now. */
  async function heardLooks(mid: string): Promise<number[]> {
    const looks = [0, 1, 2, 3]
    const loudness = await page.page.evaluate(([wanted, frequencies]) => window.media.loudness(wanted, frequencies), [
      mid,
      looks.map(voiceFrequency),
    ] as const)
    return looks.filter((look) => loudness[look]! > -50)
  }

  const sourcesOf = (mid: string) => page.page.evaluate((wanted) => window.media.sources(wanted), mid)
  const levelOf = async (mid: string, csrc: number) =>
    (await sourcesOf(mid)).find(({ source }) => source === csrc)?.audioLevel ?? null

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'media-room-'))
    page = await MediaPage.open()
    if (mode === 'a real media server') via = await JanusServer.start()
  }, 60_000)
  afterAll(async () => {
    await page?.close()
    await via?.stop()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(() => page.load())
  afterEach(() => room.close())

  describe(`a media room with ${mode}`, { timeout: 90_000 }, () => {
    it('shows every camera with its own color and with frame numbers that move on', async () => {
      await makeRoom({}, [person(0), person(1), person(2)])
      const session = room.connect()
      await page.join(session, { audio: 3, video: 4 })
      for (const look of [0, 1, 2]) {
        const mid = midOf(session, `person/${look}`)!
        await expect.poll(() => shownLook(mid), soon).toBe(look)
        const first = (await page.show(mid))!.frameNumber()
        expect(first).not.toBeNull()
        await expect.poll(async () => (await page.show(mid))!.frameNumber(), soon).not.toBe(first)
      }
      expect(session.videoSlots()[3]).toMatchObject({ personId: null })
    })

    it('carries each voice on its own stream, with the CSRC and the level of who speaks', async () => {
      await makeRoom({}, [person(0, false), person(1, false), person(2, false), person(3, false)])
      const session = room.connect()
      await page.join(session, { audio: 3, video: 0 })
      expect(session.audioMids()).toEqual(['0', '1', '2'])
      expect(await sourcesOf('0')).toEqual([])

      room.startSpeaking('person/1')
      await expect.poll(() => heardLooks('0'), soon).toEqual([1])
      await expect.poll(() => levelOf('0', 4_000_000_001), soon).toBeGreaterThan(0.02)

      room.startSpeaking('person/3')
      room.startSpeaking('person/3')
      await expect.poll(() => heardLooks('1'), soon).toEqual([3])
      await expect.poll(() => levelOf('1', 4_000_000_003), soon).toBeGreaterThan(0.02)
      expect(await heardLooks('0')).not.toContain(3)

      room.stopSpeaking('person/1')
      await expect.poll(() => levelOf('0', 4_000_000_001), soon).toBe(0)
      await expect.poll(() => heardLooks('0'), soon).toEqual([])

      // A server may keep the line of a person who has just stopped for a moment; then it is the third one.
      room.startSpeaking('person/2')
      const midOfThird = async () => ((await sourcesOf('0')).some(({ source }) => source === 4_000_000_002) ? '0' : '2')
      await expect.poll(async () => heardLooks(await midOfThird()), soon).toEqual([2])
      await expect.poll(async () => levelOf(await midOfThird(), 4_000_000_002), soon).toBeGreaterThan(0.02)

      expect(room.turns.map((turn) => turn.personId)).toEqual(['person/1', 'person/3', 'person/2'])
      const [first, second] = room.turns
      expect(first!.endedAt).toBeGreaterThan(second!.startedAt)
      expect(second!.startedAt).toBeGreaterThan(first!.startedAt)
      expect(second!.endedAt).toBeNull()
    })

    it('mixes all voices into one stream for platforms that send a single one', async () => {
      await makeRoom({ audioStreams: 1 }, [person(0, false), person(1, false)])
      const session = room.connect()
      await page.join(session, { audio: 1, video: 0 })
      room.startSpeaking('person/0')
      room.startSpeaking('person/1')
      await expect.poll(() => heardLooks('0'), soon).toEqual([0, 1])
      await expect
        .poll(async () => (await sourcesOf('0')).map(({ source }) => source).sort(), soon)
        .toEqual([4_000_000_000, 4_000_000_001])
      room.stopSpeaking('person/0')
      await expect.poll(() => heardLooks('0'), soon).toEqual([1])
    })

    it('gives each person separate streams with separate names, for platforms with streams per person', async () => {
      await makeRoom({ audioStreams: 'perPerson' }, [person(0), person(1, false)])
      const session = room.connect({
        streamId: ({ personId, source }) => `${personId}+${source}`,
        ssrc: ({ personId, source }) => 7000 + Number(personId!.slice(-1)) + (source === 'voice' ? 0 : 100),
      })
      session.onOfferWanted((lines) => void page.page.evaluate((wanted) => window.media.addLines(wanted), lines))
      await page.join(session, { audio: 1, video: 0 })
      const streams = () => page.page.evaluate(() => window.media.streams())
      const names = async () => Object.keys(await streams()).sort()
      await expect.poll(names, soon).toEqual(['person/0+camera', 'person/0+voice', 'person/1+voice'])

      room.startSpeaking('person/0')
      room.startSpeaking('person/1')
      for (const look of [0, 1]) {
        const name = `person/${look}+voice`
        await expect.poll(async () => (await streams())[name]?.source, soon).toBe(7000 + look)
        await expect.poll(async () => (await streams())[name]?.level, soon).toBeGreaterThan(0.02)
        await expect.poll(async () => heardLooks((await streams())[name]!.mid), soon).toEqual([look])
        expect(await sourcesOf((await streams())[name]!.mid)).toEqual([])
      }
      await expect.poll(async () => shownLook((await streams())['person/0+camera']!.mid), soon).toBe(0)
      expect((await streams())['person/0+camera']!.source).toBe(7100)

      // The streams of a person who leaves end. A person who joins has new ones, on free lines.
      room.removePerson('person/0')
      room.addPerson(person(2))
      room.startSpeaking('person/2')
      await expect.poll(names, soon).toEqual(['person/1+voice', 'person/2+camera', 'person/2+voice'])
      await expect.poll(async () => heardLooks((await streams())['person/2+voice']!.mid), soon).toEqual([2])
      await expect.poll(async () => shownLook((await streams())['person/2+camera']!.mid), soon).toBe(2)
      await expect.poll(async () => heardLooks((await streams())['person/1+voice']!.mid), soon).toEqual([1])
      expect(session.audioSlots().map(({ personId }) => personId)).toEqual(['person/2', 'person/1'])
    })

    it('speaks a given file instead of the looped voice', async () => {
      const file = join(folder, 'speech.wav')
      await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=frequency=700:duration=2', '-y', file])
      await makeRoom({}, [person(0, false)])
      await page.join(room.connect(), { audio: 3, video: 0 })
      const spoken = room.playVoice('person/0', file)
      const loudness = () => page.page.evaluate(() => window.media.loudness('0', [700, 200]))
      await expect.poll(async () => (await loudness())[0], soon).toBeGreaterThan(-40)
      expect((await loudness())[1]).toBeLessThan(-50)
      await spoken
      await expect.poll(() => room.turns[0]?.endedAt, soon).not.toBeNull()
      expect(Math.abs(room.turns[0]!.endedAt! - room.turns[0]!.startedAt - 1980)).toBeLessThan(450)
      await expect(room.playVoice('person/0', join(folder, 'absent.wav'))).rejects.toThrow(/ffmpeg ended/)
    })

    it('turns cameras off and on and puts a shared screen on a separate stream', async () => {
      await makeRoom({}, [person(0), person(1)])
      const session = room.connect()
      const reported: (string | null)[][] = []
      session.onVideoSlots((slots) =>
        reported.push(slots.map(({ personId, kind }) => personId && `${kind} ${personId}`)),
      )
      await page.join(session, { audio: 3, video: 2 })
      await expect.poll(() => shownLook('3'), soon).toBe(0)

      room.setCamera('person/0', false)
      expect(midOf(session, 'person/0')).toBeUndefined()
      room.startSharing('person/1')
      expect(midOf(session, 'person/1', 'screen')).toBe('3')
      await expect.poll(async () => (await page.show('3'))?.width, soon).toBe(1280)
      // The head line of the document has the sharer's color.
      await expect
        .poll(async () => (await page.show('3'))!.color(0.03, 0.04)[1] - lookColor(1).green, soon)
        .toBeLessThan(COLOR_TOLERANCE)
      const number = (await page.show('3'))!.frameNumber()
      await expect.poll(async () => (await page.show('3'))!.frameNumber(), soon).not.toBe(number)

      room.stopSharing('person/1')
      room.setCamera('person/0', true)
      await expect.poll(() => shownLook('3'), soon).toBe(0)
      expect(await shownLook('4')).toBe(1)
      expect(reported).toEqual([
        ['camera person/0', 'camera person/1'],
        [null, 'camera person/1'],
        ['screen person/1', 'camera person/1'],
        [null, 'camera person/1'],
        ['camera person/0', 'camera person/1'],
      ])
    })

    it('sends a picture to a page that joins late, and to lines that are offered later', async () => {
      await makeRoom({}, [person(0), person(1), person(2)])
      const session = room.connect()
      await page.join(session, { audio: 3, video: 1 })
      await expect.poll(() => shownLook('3'), soon).toBe(0)
      room.addPerson(person(3))
      await page.page.evaluate(() => window.media.addVideoLines(3))
      expect(session.videoSlots().map((slot) => slot.personId)).toEqual([
        'person/0',
        'person/1',
        'person/2',
        'person/3',
      ])
      for (const slot of session.videoSlots()) {
        await expect.poll(() => shownLook(slot.mid), soon).toBe(Number(slot.personId!.slice(-1)))
      }
      room.removePerson('person/1')
      expect(midOf(session, 'person/1')).toBeUndefined()

      // A line that the page closes for a while loses its picture to a free one, and can be opened again.
      await page.page.evaluate(() => window.media.setLine('3', 'inactive'))
      expect(session.videoSlots().map((slot) => slot.personId)).toEqual(['person/0', 'person/2', 'person/3'])
      await page.page.evaluate(() => window.media.setLine('3', 'recvonly'))
      room.addPerson(person(1))
      await expect.poll(() => shownLook('3'), soon).toBe(1)

      await page.load()
      const second = room.connect({ streamId: ({ kind, index }) => `mine/${kind}/${index}` })
      await page.join(second, { audio: 3, video: 3 })
      await expect.poll(() => shownLook(midOf(second, 'person/3')!), soon).toBe(3)
      expect(await page.page.evaluate(() => window.media.streamIds())).toMatchObject({
        0: 'mine/audio/0',
        3: 'mine/video/0',
      })
    })

    it('carries data channels opened by either side', async () => {
      await makeRoom({}, [])
      const session = room.connect()
      const heard: string[] = []
      session.onChannel((label, channel) => {
        channel.onMessage((data) => {
          heard.push(`${label}: ${data}`)
          channel.send('heard')
        })
      })
      const collections = session.openChannel('collections')
      collections.send(new Uint8Array([1, 2, 255]))
      collections.onMessage((data) => heard.push(`collections: ${data}`))
      await page.join(session, { audio: 1, video: 0 })
      await expect.poll(() => page.page.evaluate(() => window.media.channelState('captions')), soon).toBe('open')
      await page.page.evaluate(() => window.media.send('captions', 'hello'))
      const received = () =>
        page.page.evaluate(() => window.media.received.map(({ label, data }) => `${label}: ${data}`))
      await expect
        .poll(received, soon)
        .toEqual(expect.arrayContaining(['collections: bytes 1 2 255', 'captions: heard']))
      await page.page.evaluate(() => window.media.send('collections', 'answer'))
      await expect.poll(() => heard, soon).toEqual(['captions: hello', 'collections: answer'])
      const later = session.openChannel('later')
      later.send('text')
      await expect.poll(received, soon).toContain('later: text')
    })

    it('keeps what the page sends: its camera picture, its microphone, and whether that is silent', async () => {
      await makeRoom({}, [])
      const session = room.connect()
      expect(session.sent()).toEqual({ audioPackets: 0, videoPackets: 0, audioIsSilent: null })
      expect(await session.savedCamera()).toBeNull()
      await page.join(session, { audio: 3, video: 1, sends: true })
      await expect.poll(() => session.sent().audioIsSilent, soon).toBe(false)
      await expect.poll(async () => (await session.savedCamera()) !== null, soon).toBe(true)
      await expect.poll(() => session.sent().videoPackets, soon).toBeGreaterThan(50)
      expect(session.sent().audioPackets).toBeGreaterThan(20)

      // The fake camera of Chromium is green; its fake microphone beeps.
      const camera = join(folder, 'camera.ivf')
      await writeFile(camera, (await session.savedCamera())!)
      const decoded = [
        '-v',
        'error',
        '-i',
        camera,
        '-fps_mode',
        'passthrough',
        '-vf',
        'scale=2:2',
        '-f',
        'rawvideo',
        '-pix_fmt',
        'rgb24',
        'pipe:1',
      ]
      const { stdout } = await run('ffmpeg', decoded, { encoding: 'buffer' })
      expect(stdout.length % 12).toBe(0)
      expect(stdout.length / 12).toBeGreaterThan(5)
      const [red, green, blue] = stdout.subarray(-12)
      expect(green).toBeGreaterThan(Math.max(red!, blue!) + 40)
      const microphone = join(folder, 'microphone.ogg')
      await writeFile(microphone, (await session.savedMicrophone())!)
      const { stderr } = await run('ffmpeg', ['-i', microphone, '-af', 'volumedetect', '-f', 'null', '-'])
      expect(Number(/max_volume: (-?[\d.]+) dB/.exec(stderr)?.[1])).toBeGreaterThan(-40)

      await page.page.evaluate(() => window.media.setMicrophone(false))
      await expect.poll(() => session.sent().audioIsSilent, soon).toBe(true)
      await page.page.evaluate(() => window.media.setMicrophone(true))
      await expect.poll(() => session.sent().audioIsSilent, soon).toBe(false)
    })

    it('flashes and beeps at one instant, in sync where sound and picture share a stream', async () => {
      await makeRoom({}, [person(0), person(1)])
      await page.join(room.connect({ streamId: () => 'together' }), { audio: 1, video: 2 })
      await expect.poll(() => shownLook('1'), soon).toBe(0)
      room.flashAndBeep(true, 'person/0')
      const offsets = await page.page.evaluate(() => window.media.measureSync('0', '1', 5))
      // After a standstill of the machine, sound is late for seconds.
      expect(Math.min(...offsets.map(Math.abs)), String(offsets)).toBeLessThan(250)
      expect(room.flashes.length).toBeGreaterThan(4)
      // At whole multiples of two seconds. A room that stalled for longer skips some.
      for (const at of room.flashes) expect((at - room.flashes[0]! + 1) % 2000).toBeCloseTo(1, 3)
      expect(await shownLook('2')).toBe(1)
      const { length } = room.flashes
      room.flashAndBeep(false)
      expect(await page.page.evaluate(() => window.media.whiteFrames('1', 60))).toBe(0)
      expect(room.flashes).toHaveLength(length)
    })

    it('continues with pictures and sound when packets get lost', async () => {
      await makeRoom({ loss: 0.05 }, [person(0), person(1)])
      await page.join(room.connect(), { audio: 3, video: 2 })
      room.startSpeaking('person/1')
      await expect.poll(() => shownLook('3'), soon).toBe(0)
      await expect.poll(() => shownLook('4'), soon).toBe(1)
      await expect.poll(() => heardLooks('0'), soon).toEqual([1])
      const before = await page.page.evaluate(() => window.media.decodedFrames())
      await expect
        .poll(async () => (await page.page.evaluate(() => window.media.decodedFrames()))['3']! - before['3']!, soon)
        .toBeGreaterThan(48)
    })

    it('detects that the page went away without closing the connection', async () => {
      await makeRoom({}, [person(0)])
      const session = room.connect()
      await page.join(session, { audio: 1, video: 1 })
      await expect.poll(() => session.isConnected(), soon).toBe(true)
      const states: string[] = []
      session.onState((state) => states.push(state))
      await page.load()
      await expect.poll(() => states, { ...soon, timeout: 40_000 }).toEqual(['disconnected'])
      expect(session.isConnected()).toBe(false)
    })

    it('ends every session when it is closed', async () => {
      await makeRoom({}, [person(0)])
      const session = room.connect()
      const states: string[] = []
      session.onState((state) => states.push(state))
      await page.join(session, { audio: 1, video: 1 })
      await expect.poll(() => session.isConnected(), soon).toBe(true)
      await room.close()
      expect(session.isConnected()).toBe(false)
      expect(states.at(-1)).toBe('closed')
      await expect(session.answer('v=0')).rejects.toThrow(/closed/)
      expect(() => room.connect()).toThrow(/closed/)
    })
  })

  if (mode === 'its own packets') return
  describe('a media room with a real media server', { timeout: 90_000 }, () => {
    it('continues when packets get lost before the server and after it', async () => {
      await makeRoom({ publisherLoss: 0.05, loss: 0.05 }, [person(0), person(1)])
      const session = room.connect()
      await page.join(session, { audio: 3, video: 2 })
      room.startSpeaking('person/1')
      await expect.poll(() => shownLook(midOf(session, 'person/0')!), soon).toBe(0)
      await expect.poll(() => heardLooks('0'), soon).toEqual([1])
      const before = await page.page.evaluate(() => window.media.decodedFrames())
      await expect
        .poll(async () => (await page.page.evaluate(() => window.media.decodedFrames()))['3']! - before['3']!, soon)
        .toBeGreaterThan(48)
    })

    it('shows no picture before a late key frame, and then every one', async () => {
      await makeRoom({ keyFrameDelayMs: 2000 }, [person(0, false)])
      const session = room.connect()
      await page.join(session, { audio: 1, video: 1 })
      room.setCamera('person/0', true)
      await expect.poll(() => page.page.evaluate(() => window.media.receivedPackets('1')), soon).toBeGreaterThan(20)
      expect(await page.show('1')).toBeNull()
      await expect.poll(() => shownLook('1'), soon).toBe(0)
    })

    it('reports the error when the server is gone', async () => {
      const gone = await JanusServer.start()
      await gone.stop()
      room = new MediaRoom({ via: gone })
      await expect(room.ready()).rejects.toThrow(/ECONNREFUSED/)
    })
  })
}
