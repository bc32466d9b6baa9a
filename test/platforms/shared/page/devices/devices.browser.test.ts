import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Kiosk, near, openKiosk, type Rgb } from '../../kiosk.ts'
import type { Tapped } from './devices.entry.ts'

declare const tapped: Tapped
/** A call that the test page's own script sets up. */
interface Call {
  sender: RTCPeerConnection
  receiver: RTCPeerConnection
  remote: MediaStream
}
declare const negotiate: (one: RTCPeerConnection, other: RTCPeerConnection) => Promise<void>
declare const connect: (stream: MediaStream) => Promise<Call>
declare const look: (stream: MediaStream) => Promise<{ width: number; height: number; colors: Rgb[] }>
/** Address of a picture, left half red, right half blue. */
declare const redAndBlue: (width: number, height: number) => string
declare const loudness: (stream: MediaStream, seconds: number) => Promise<number>

/** The page's own code, which does not know that its browser functions are wrapped. */
const JS = `
  async function negotiate(one, other) {
    one.onicecandidate = ({ candidate }) => other.addIceCandidate(candidate ?? undefined)
    other.onicecandidate = ({ candidate }) => one.addIceCandidate(candidate ?? undefined)
    await one.setLocalDescription()
    await other.setRemoteDescription(one.localDescription)
    await other.setLocalDescription()
    await one.setRemoteDescription(other.localDescription)
  }
  async function connect(stream) {
    const sender = new RTCPeerConnection()
    const receiver = new RTCPeerConnection({ iceServers: [] })
    const remote = new MediaStream()
    receiver.ontrack = ({ track }) => remote.addTrack(track)
    for (const track of stream.getTracks()) sender.addTrack(track, stream)
    await negotiate(sender, receiver)
    await new Promise((resolve) => {
      const check = () => receiver.connectionState === 'connected' && resolve()
      receiver.onconnectionstatechange = check
      check()
    })
    return { sender, receiver, remote }
  }
  async function look(stream) {
    const video = document.createElement('video')
    Object.assign(video, { muted: true, srcObject: stream })
    document.body.append(video)
    await video.play()
    // The first pictures of a connection are blurred.
    for (let frame = 0; frame < 8; frame++) await new Promise((resolve) => video.requestVideoFrameCallback(resolve))
    const canvas = document.createElement('canvas')
    const size = { width: video.videoWidth, height: video.videoHeight }
    Object.assign(canvas, size)
    const pen = canvas.getContext('2d')
    pen.drawImage(video, 0, 0)
    video.remove()
    const spots = [[0.02, 0.5], [0.4, 0.5], [0.6, 0.5], [0.98, 0.5], [0.5, 0.1], [0.43, 0.43]]
    const colors = spots.map(([x, y]) => [...pen.getImageData(x * size.width, y * size.height, 1, 1).data.slice(0, 3)])
    return { ...size, colors }
  }
  async function loudness(stream, seconds) {
    // Received sound flows only while an element plays it.
    const element = Object.assign(new Audio(), { muted: true, srcObject: stream })
    await element.play()
    const context = new AudioContext()
    const analyser = context.createAnalyser()
    analyser.fftSize = 2048
    context.createMediaStreamSource(stream).connect(analyser)
    const samples = new Float32Array(2048)
    let loudest = 0
    const until = performance.now() + seconds * 1000
    while (performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      analyser.getFloatTimeDomainData(samples)
      loudest = Math.max(loudest, Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / 2048))
    }
    await context.close()
    return loudest
  }
  function redAndBlue(width, height) {
    const canvas = Object.assign(document.createElement('canvas'), { width, height })
    const pen = canvas.getContext('2d')
    for (const [x, color] of [[0, 'rgb(220 0 0)'], [width / 2, 'rgb(0 0 220)']]) {
      pen.fillStyle = color
      pen.fillRect(x, 0, width / 2, height)
    }
    return canvas.toDataURL()
  }
`

let kiosk: Kiosk
let page: Page

beforeAll(async () => {
  kiosk = await openKiosk(join(import.meta.dirname, 'devices.entry.ts'))
})
afterAll(() => kiosk?.close())

async function open(query = ''): Promise<void> {
  page = await kiosk.open(
    {
      '/': { type: 'text/html', body: '<!doctype html><html><body><script src="/page.js"></script></body></html>' },
      '/page.js': { type: 'text/javascript', body: JS },
    },
    query,
  )
}

beforeEach(() => open())

const CARD: Rgb = [31, 34, 41]

describe('the camera', () => {
  it('sends the card with initials before there is a picture', async () => {
    const seen = await page.evaluate(async () => {
      const stream = await navigator.mediaDevices.getUserMedia({ video: true })
      return look((await connect(stream)).remote)
    })
    expect([seen.width, seen.height]).toEqual([640, 360])
    const [left, , , , , middle] = seen.colors
    expect(near(left!, CARD)).toBe(true)
    expect(near(middle!, [76, 111, 165]) || near(middle!, [255, 255, 255], 90)).toBe(true)
    expect(kiosk.complaints).toEqual([])
  })

  it("sends the bot's picture, whole on a plain ground, also to a track that was opened before", async () => {
    const seen = await page.evaluate(async () => {
      const stream = await navigator.mediaDevices.getUserMedia({ video: true })
      await tapped.devices.setImage(redAndBlue(40, 40))
      return look((await connect(stream)).remote)
    })
    const [left, red, blue, right, top] = seen.colors
    const isCard = [left, right, top].map((color) => near(color!, CARD))
    expect(isCard).toEqual([true, true, false])
    expect([near(red!, [220, 0, 0]), near(blue!, [0, 0, 220])]).toEqual([true, true])
    expect(kiosk.complaints).toEqual([])
  })

  it('keeps the old picture when the new one is none, and says why', async () => {
    const { answers, seen } = await page.evaluate(async () => {
      await tapped.devices.setImage(redAndBlue(64, 36))
      const answers: string[] = []
      const png = 'data:image/png;base64,'
      for (const one of ['https://example.test/a.png', 'data:text/html,x', `${png}AAAA`, `${png}%%`])
        await tapped.devices.setImage(one).catch((error: Error) => answers.push(error.message))
      const stream = await navigator.mediaDevices.getUserMedia({ video: true })
      return { answers, seen: await look((await connect(stream)).remote) }
    })
    expect(answers).toEqual([
      'The bot image is not a data: URL of an image',
      'The bot image is not a data: URL of an image',
      'The bot image (image/png) cannot be decoded',
      'The bot image (image/png) cannot be decoded',
    ])
    expect(near(seen.colors[1]!, [220, 0, 0])).toBe(true)
  })

  it('keeps sending to participants who come later, although the picture does not change', async () => {
    const frames = await page.evaluate(async () => {
      const stream = await navigator.mediaDevices.getUserMedia({ video: true })
      await connect(stream)
      await new Promise((resolve) => setTimeout(resolve, 1500))
      const late = await connect(stream)
      await look(late.remote)
      const stats = await late.receiver.getStats()
      return [...stats.values()].find(({ type, kind }) => type === 'inbound-rtp' && kind === 'video')?.framesDecoded
    })
    expect(frames).toBeGreaterThan(4)
  })

  it('gives every request a separate track, and works again after it was stopped', async () => {
    const seen = await page.evaluate(async () => {
      const first = await navigator.mediaDevices.getUserMedia({ video: true })
      const second = await navigator.mediaDevices.getUserMedia({ video: true })
      const [one] = first.getVideoTracks()
      const [other] = second.getVideoTracks()
      one!.stop()
      const states = [one!.readyState, other!.readyState]
      const third = await navigator.mediaDevices.getUserMedia({ video: true })
      return { states, differ: one!.id !== other!.id, picture: await look((await connect(third)).remote) }
    })
    expect(seen.states).toEqual(['ended', 'live'])
    expect(seen.differ).toBe(true)
    expect(seen.picture.width).toBe(640)
  })

  it.each([
    [{ width: 320 }, [320, 180]],
    [{ width: { ideal: 1920 }, height: { ideal: 1080 } }, [640, 360]],
    [{ width: { min: 1280 }, height: { min: 720 } }, [1280, 720]],
    [{ width: { exact: 800 }, height: { exact: 600 } }, [800, 600]],
    [{ height: { max: 180 } }, [320, 180]],
    [{ frameRate: 30 }, [640, 360]],
  ])('answers %j with a picture of %j', async (video, size) => {
    const settings = await page.evaluate(async (wanted) => {
      const stream = await navigator.mediaDevices.getUserMedia({ video: wanted })
      const [track] = stream.getVideoTracks()
      await track!.applyConstraints({ width: 4000 })
      const element = document.createElement('video')
      Object.assign(element, { muted: true, srcObject: stream })
      await element.play()
      return { ...track!.getSettings(), shown: [element.videoWidth, element.videoHeight] }
    }, video)
    expect([settings.width, settings.height]).toEqual(size)
    expect(settings.shown).toEqual(size)
  })

  it('refuses what no camera could do, in the words of the browser', async () => {
    const refusals = await page.evaluate(async () => {
      const wanted: (MediaStreamConstraints | undefined)[] = [
        { video: { width: { exact: 9000 } } },
        { video: { deviceId: { exact: 'other' } } },
        { audio: false, video: false },
        undefined,
      ]
      return Promise.all(
        wanted.map((one) =>
          navigator.mediaDevices.getUserMedia(one).then(
            () => 'opened',
            (error) => `${error.name} ${error.constraint ?? ''}`.trim(),
          ),
        ),
      )
    })
    expect(refusals).toEqual(['OverconstrainedError width', 'OverconstrainedError deviceId', 'TypeError', 'TypeError'])
  })
})

describe('the microphone', () => {
  it.each([
    ['', 0.01],
    ['?even', 0.04],
  ])('is silent until something is played, and again afterwards (%j)', async (query, pieceSeconds) => {
    await open(query)
    const heard = await page.evaluate(async () => {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: false })
      const { remote } = await connect(stream)
      const before = await loudness(remote, 1)
      const hertz = (2 * Math.PI * 440) / 16_000
      const tone = Float32Array.from({ length: 16_000 }, (_, index) => 0.5 * Math.sin(hertz * index))
      const queued = tapped.devices.playPcm(tone, 16_000)
      const during = await loudness(remote, 1)
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const after = await loudness(remote, 1)
      const pieces = Int16Array.from(tone, (value) => value * 32_767)
      let total = 0
      for (let piece = 0; piece < 20; piece++) total = tapped.devices.playPcm(pieces, 16_000)
      const again = await loudness(remote, 1)
      tapped.devices.clearPlayback()
      await new Promise((resolve) => setTimeout(resolve, 1000))
      return { before, queued, during, after, total, again, cleared: await loudness(remote, 1) }
    })
    expect(await page.evaluate(() => tapped.pieceSeconds())).toBeCloseTo(pieceSeconds)
    for (const moment of ['before', 'after', 'cleared'] as const) expect(heard[moment], moment).toBeLessThan(0.001)
    for (const moment of ['during', 'again'] as const) expect(heard[moment], moment).toBeGreaterThan(0.2)
    expect(Math.abs(heard.queued - 1.1)).toBeLessThan(0.2)
    expect(heard.total).toBeGreaterThan(15)
    expect(kiosk.complaints).toEqual([])
  })

  it('refuses a sample rate that is none', async () => {
    const played = page.evaluate(() => tapped.devices.playPcm(new Float32Array(10), 0))
    await expect(played).rejects.toThrow('Sample rate 0 is not usable')
  })
})

describe('the list of devices', () => {
  it('has one camera and one microphone, the same every time, as objects of the browser', async () => {
    const read = () =>
      page.evaluate(async () => {
        const list = await navigator.mediaDevices.enumerateDevices()
        return list
          .filter(({ kind }) => kind !== 'audiooutput')
          .map((info) => ({ ...info.toJSON(), isInfo: info instanceof InputDeviceInfo, text: String(info) }))
      })
    const devices = await read()
    expect(devices.map(({ kind, label }) => `${kind} ${label}`)).toEqual([
      'audioinput Integrated Microphone',
      'videoinput Integrated Camera',
    ])
    for (const device of devices) {
      expect(device.deviceId).toMatch(/^[0-9a-f]{64}$/)
      expect(device).toMatchObject({ isInfo: true, text: '[object InputDeviceInfo]' })
    }
    expect(new Set(devices.map(({ deviceId }) => deviceId)).size).toBe(2)
    expect(await read()).toEqual(devices)
  })

  it('leads to the tracks: settings, capabilities and labels agree, on clones too', async () => {
    const seen = await page.evaluate(async () => {
      const list = await navigator.mediaDevices.enumerateDevices()
      const [microphone, camera] = list as InputDeviceInfo[]
      const stream = await navigator.mediaDevices.getUserMedia({
        audio: { deviceId: { exact: microphone!.deviceId } },
        video: { deviceId: camera!.deviceId },
      })
      const tracks = stream.getTracks().flatMap((track) => [track, track.clone()])
      return {
        ids: [microphone!.deviceId, camera!.deviceId],
        width: camera!.getCapabilities().width,
        tracks: tracks.map((track) => ({
          kind: track.kind,
          label: track.label,
          id: track.getSettings().deviceId,
          can: track.getCapabilities().deviceId,
        })),
      }
    })
    const [microphone, camera] = seen.ids
    const audio = { kind: 'audio', label: 'Integrated Microphone', id: microphone, can: microphone }
    const video = { kind: 'video', label: 'Integrated Camera', id: camera, can: camera }
    expect(seen.tracks).toEqual([audio, audio, video, video])
    expect(seen.width).toEqual({ min: 160, max: 1280 })
  })

  it('leaves tracks that are not ours alone', async () => {
    const seen = await page.evaluate(() => {
      const [track] = document.createElement('canvas').captureStream().getVideoTracks()
      return { label: track!.label, clone: track!.clone().kind }
    })
    expect(seen.label).not.toContain('Integrated')
    expect(seen.clone).toBe('video')
  })

  it('serves the old callback form', async () => {
    const kinds = await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const old = navigator as unknown as { webkitGetUserMedia: (...given: unknown[]) => void }
          old.webkitGetUserMedia(
            { audio: true, video: true },
            (stream: MediaStream) => resolve(stream.getTracks().map(({ kind }) => kind)),
            reject,
          )
        }),
    )
    expect(kinds).toEqual(['audio', 'video'])
  })
})

describe('the tap', () => {
  it("the page cannot distinguish it from the browser's own functions", async () => {
    const looks = await page.evaluate(async () => {
      class Own extends RTCPeerConnection {}
      const connection = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:1' }] })
      const own = new Own()
      const certificate = await RTCPeerConnection.generateCertificate({
        name: 'ECDSA',
        namedCurve: 'P-256',
      } as EcKeyGenParams)
      const call = RTCPeerConnection as unknown as () => void
      const isNative = (one: unknown) =>
        /^function \w*\(\) \{ \[native code\] \}$/.test(Function.prototype.toString.call(one))
      const wrapped = [
        RTCPeerConnection,
        RTCPeerConnection.prototype.createDataChannel,
        MediaDevices.prototype.getUserMedia,
        MediaDevices.prototype.enumerateDevices,
        MediaStreamTrack.prototype.getSettings,
        Object.getOwnPropertyDescriptor(MediaStreamTrack.prototype, 'label')!.get!,
      ]
      return {
        length: RTCPeerConnection.length === 0,
        instance: connection instanceof RTCPeerConnection,
        constructor: connection.constructor === RTCPeerConnection,
        prototype: Object.getPrototypeOf(connection) === RTCPeerConnection.prototype,
        subclass: own instanceof Own && own instanceof RTCPeerConnection,
        alias: Reflect.get(window, 'webkitRTCPeerConnection') === RTCPeerConnection,
        servers: connection.getConfiguration().iceServers?.length === 1,
        certificate: certificate.expires > 0,
        refusal: await Promise.try(call).catch((error) => error.name === 'TypeError'),
        hidden: !Object.keys(window).includes('RTCPeerConnection'),
        texts: wrapped.every(isNative),
        names: `${wrapped.slice(0, 3).map(({ name }) => name)}` === 'RTCPeerConnection,createDataChannel,getUserMedia',
        own: Object.keys(navigator.mediaDevices).length === 0,
      }
    })
    expect(Object.entries(looks).filter(([, isAlike]) => isAlike !== true)).toEqual([])
  })

  it('knows every received track and audio receiver, and forgets what was closed', async () => {
    const seen = await page.evaluate(async () => {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: true })
      const { sender, receiver } = await connect(stream)
      const lines = receiver.localDescription!.sdp.match(/^m=/gm)?.length
      const replayed: string[] = []
      tapped.tap.onTrack(({ track }) => replayed.push(track.kind))
      const open = {
        connections: tapped.tap.connections().length,
        tracks: [...tapped.tracks],
        listed: tapped.tap
          .tracks('video')
          .map(({ connection, receiver: one }) => [connection === receiver, one.track.kind]),
        audio: tapped.tap.audioReceivers().length,
        transceivers: receiver.getTransceivers().length,
        sources: tapped.sampleSources(tapped.tap.audioReceivers()),
      }
      sender.close()
      receiver.close()
      const closed = [tapped.tap.connections().length, tapped.tap.tracks().length, tapped.tap.audioReceivers().length]
      return { lines, replayed, open, closed, once: tapped.installAgain() }
    })
    expect(seen.lines).toBe(2)
    expect(seen.replayed.sort()).toEqual(['audio', 'video'])
    expect(seen.open).toMatchObject({ connections: 2, listed: [[true, 'video']], transceivers: 2, sources: [] })
    expect(seen.open.tracks.sort()).toEqual(['audio', 'video'])
    // One at each side: a sender's transceiver can receive too.
    expect(seen.open.audio).toBe(2)
    expect(seen.closed).toEqual([0, 0, 0])
    expect(seen.once).toBe(true)
  })

  it('sees channels of both sides before the page, and misses no message', async () => {
    const seen = await page.evaluate(async () => {
      const one = new RTCPeerConnection()
      const other = new RTCPeerConnection()
      const heard: string[] = []
      const channel = one.createDataChannel('captions', { ordered: true })
      channel.onopen = () => channel.send('first')
      const answered = new Promise<void>((resolve) => {
        channel.onmessage = ({ data }) => {
          heard.push(data)
          resolve()
        }
      })
      other.ondatachannel = ({ channel: remote }) => {
        remote.onmessage = ({ data }) => {
          heard.push(data)
          remote.send('reply')
        }
      }
      await negotiate(one, other)
      await answered
      const open = tapped.tap.channels('captions').map(({ openedBy }) => openedBy)
      one.close()
      other.close()
      const { channels, messages } = tapped
      return { heard, open, channels, messages, none: tapped.tap.channels().length }
    })
    expect(seen.heard).toEqual(['first', 'reply'])
    expect(seen.channels).toEqual([
      { label: 'captions', openedBy: 'page' },
      { label: 'captions', openedBy: 'remote' },
    ])
    expect(seen.messages).toEqual(['remote captions first', 'page captions reply'])
    expect(seen.open).toEqual(['page', 'remote'])
    expect(seen.none).toBe(0)
  })

  it('hides encoded streams only where it was asked to', async () => {
    const read = () =>
      page.evaluate(() => [
        tapped.hadEncodedStreams,
        'createEncodedStreams' in RTCRtpReceiver.prototype,
        'RTCRtpScriptTransform' in globalThis,
      ])
    expect(await read()).toEqual([true, true, true])
    await open('?hide')
    expect(await read()).toEqual([true, false, false])
  })
})
