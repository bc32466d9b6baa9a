/** Gives the page a virtual camera and microphone in place of the machine's, and a screen to share. */

import type { PageTarget } from '@standin/wire/bot-fields.ts'
import { oncePerPage, wrapMethod } from '../dom/patch-native.ts'
import type { CommonConfig } from '../types.ts'
import { type DeviceIdentity, deviceId, deviceInfo, wantedSize } from './device-constraints.ts'
import { createVirtualCamera, type ShownFrames, type Size } from './virtual-camera.ts'
import { createVirtualMicrophone } from './virtual-microphone.ts'

/** In pictures per second. */
const CAMERA_RATE = 5

export interface VirtualDevices {
  /** Changes the picture; rejects when it cannot be decoded, and the old one stays. */
  setImage(dataUrl: string | null): Promise<void>
  /**
   * Plays sound into the meeting after what is already queued. Mono, `Float32Array` -1..1 or `Int16Array`, 8 to 192 kHz.
   * Returns the seconds that are now queued.
   */
  playPcm(samples: Float32Array | Int16Array, sampleRate: number): number
  /** Drops the queued sound. */
  clearPlayback(): void
  /** Sends the track's sound into the meeting too, until the returned function is called. */
  mixIn(track: MediaStreamTrack): () => void
  /** Frames take the place of the picture, or are the shared screen, until the end. */
  showFrames(target: PageTarget): ShownFrames
  /** A new track of the shared screen, as the browser would give one of a tab that a person chose. */
  openScreen(): MediaStreamTrack
  /** Whether the page has a track of the screen that it has not stopped. */
  sharesScreen(): boolean
  /** Some pages show a person what the person shares. */
  isOwnScreen(stream: MediaStream | null): boolean
  /** As a person does who presses the browser's own "Stop sharing": the tracks end. */
  endScreen(): void
  /** False: as if they were unplugged. Open tracks end, and the page finds no devices until they are present again. */
  setPresent(isPresent: boolean): void
}

type DevicesConfig = Pick<CommonConfig, 'botName' | 'botImage' | 'playout' | 'talks'>

/**
 * To be called at document start. A second call in the same page returns the first. Where there is no picture of the bot,
 * its camera shows a card with its initials.
 */
export function installVirtualDevices(config: DevicesConfig): VirtualDevices {
  return oncePerPage('virtual-devices', () => createDevices(config))
}

type Source = 'audio' | 'video' | 'screen'

interface OpenTrack {
  source: Source
  /** Null for sound. */
  size: Size | null
}

const SCREEN_SIZE: Size = { width: 1280, height: 720 }
/** What else is true of a tab that a person shares. */
const SCREEN_SETTINGS = { displaySurface: 'browser', logicalSurface: true, cursor: 'motion', resizeMode: 'none' }

const MICROPHONE_SETTINGS = {
  autoGainControl: false,
  channelCount: 1,
  echoCancellation: false,
  latency: 0.01,
  noiseSuppression: false,
  sampleRate: 48_000,
  sampleSize: 16,
} as const

function createDevices({ botName, botImage, playout, talks }: DevicesConfig): VirtualDevices {
  const camera = createVirtualCamera(botName, CAMERA_RATE)
  const screen = createVirtualCamera(botName, CAMERA_RATE)
  const screenId = `web-contents-media-stream://${screenNumber()}`
  const microphone = createVirtualMicrophone(talks ? 'live' : playout)
  const groupId = deviceId(`${botName}/group`)
  const identities: Record<Source, DeviceIdentity> = {
    video: { kind: 'videoinput', label: 'Integrated Camera', deviceId: deviceId(`${botName}/camera`), groupId },
    audio: {
      kind: 'audioinput',
      label: 'Integrated Microphone',
      deviceId: deviceId(`${botName}/microphone`),
      groupId,
    },
    screen: { kind: 'videoinput', label: screenId, deviceId: screenId, groupId: '' },
  }
  if (botImage) {
    camera.setImage(botImage).catch((error) => console.warn('The picture could not be decoded', error))
  }
  const open = new WeakMap<object, OpenTrack>()
  const live = { devices: new Set<MediaStreamTrack>(), screen: new Set<MediaStreamTrack>() }
  let isPresent = true

  function openTracks(constraints: MediaStreamConstraints): MediaStream {
    if (!isPresent) throw new DOMException('Requested device not found', 'NotFoundError')
    const tracks: MediaStreamTrack[] = []
    if (constraints.audio) {
      refuseOtherDevice(constraints.audio, identities.audio.deviceId)
      tracks.push(register(microphone.open(), { source: 'audio', size: null }))
    }
    if (constraints.video) {
      refuseOtherDevice(constraints.video, identities.video.deviceId)
      const size = wantedSize(constraints.video)
      tracks.push(register(camera.open(size), { source: 'video', size }))
    }
    return new MediaStream(tracks)
  }

  function register(track: MediaStreamTrack, known: OpenTrack): MediaStreamTrack {
    open.set(track, known)
    const alike = known.source === 'screen' ? live.screen : live.devices
    for (const former of alike) if (former.readyState === 'ended') alike.delete(former)
    alike.add(track)
    return track
  }

  /** The page did not end them itself. */
  function endAll(tracks: Set<MediaStreamTrack>): void {
    for (const track of tracks) {
      if (track.readyState === 'ended') continue
      track.stop()
      // A track that its page stopped dispatches no event; one whose source is gone does.
      track.dispatchEvent(new Event('ended'))
    }
    tracks.clear()
  }

  function settingsOf({ source, size }: OpenTrack): MediaTrackSettings {
    const { deviceId, groupId } = identities[source]
    if (!size) return { deviceId, groupId, ...MICROPHONE_SETTINGS }
    const picture = source === 'screen' ? screen : camera
    const { width, height } = picture.sizeOf(size)
    const common = { deviceId, groupId, width, height, aspectRatio: width / height, frameRate: picture.rate() }
    return source === 'screen' ? { ...common, ...SCREEN_SETTINGS } : common
  }

  function capabilitiesOf(source: Source): MediaTrackCapabilities {
    const { deviceId, groupId } = identities[source]
    if (source === 'audio') {
      const fixed = { channelCount: { min: 1, max: 1 }, sampleRate: { min: 48_000, max: 48_000 } }
      return { deviceId, groupId, ...fixed, autoGainControl: [false], echoCancellation: [false] }
    }
    const width = { min: 160, max: 1280 }
    const height = { min: 90, max: 720 }
    if (source === 'screen')
      return { deviceId, width, height, frameRate: { min: 0, max: 30 }, displaySurface: 'browser' }
    return { deviceId, groupId, width, height, frameRate: { min: 1, max: 30 }, facingMode: [] }
  }

  const devices = globalThis.MediaDevices?.prototype
  if (devices) {
    wrapMethod(devices, 'getUserMedia', async (native, _self, given) => {
      const constraints = given[0] as MediaStreamConstraints | undefined
      return isOurs(constraints) ? openTracks(constraints) : native(...given)
    })
    wrapMethod(devices, 'enumerateDevices', async (native, _self, given) => {
      const real = await Promise.resolve(native(...given)).catch(() => [])
      const outputs = (real as MediaDeviceInfo[]).filter(({ kind }) => kind === 'audiooutput')
      if (!isPresent) return outputs
      return [
        deviceInfo(identities.audio, () => capabilitiesOf('audio')),
        deviceInfo(identities.video, () => capabilitiesOf('video')),
        ...outputs,
      ]
    })
  }
  for (const name of ['getUserMedia', 'webkitGetUserMedia']) {
    wrapMethod(Navigator.prototype, name, (native, _self, given) => {
      const [constraints, succeeded, failed] = given as [MediaStreamConstraints, unknown, unknown]
      if (!isOurs(constraints) || typeof succeeded !== 'function') return native(...given)
      // Asynchronous, as in the old callback form: never within the call.
      Promise.resolve()
        .then(() => openTracks(constraints))
        .then(
          (stream) => succeeded(stream),
          (error: unknown) => (typeof failed === 'function' ? failed(error) : undefined),
        )
      return undefined
    })
  }
  wrapTracks()

  /** Our tracks answer the page as a camera and a microphone would; all others answer themselves. */
  function wrapTracks(): void {
    const tracks = MediaStreamTrack.prototype
    const answer = (name: string, ofOurs: (known: OpenTrack, given: unknown[]) => unknown) =>
      wrapMethod(tracks, name, (native, self, given) => {
        const known = open.get(self as object)
        return known ? ofOurs(known, given) : native(...given)
      })
    answer('getSettings', settingsOf)
    answer('getCapabilities', ({ source }) => capabilitiesOf(source))
    // A fixed device satisfies every preference.
    answer('applyConstraints', () => Promise.resolve())
    wrapMethod(tracks, 'clone', (native, self) => {
      const known = open.get(self as object)
      const copy = native() as MediaStreamTrack
      return known ? register(copy, known) : copy
    })
    const label = Object.getOwnPropertyDescriptor(tracks, 'label')
    if (label?.get) {
      const get = new Proxy(label.get, {
        apply(native, self, given) {
          const known = open.get(self as object)
          return known ? identities[known.source].label : Reflect.apply(native, self, given)
        },
      })
      Object.defineProperty(tracks, 'label', { ...label, get })
    }
  }

  return {
    setImage: (dataUrl) => camera.setImage(dataUrl),
    playPcm: (samples, sampleRate) => microphone.play(samples, sampleRate),
    clearPlayback: () => microphone.clear(),
    mixIn: (track) => microphone.mixIn(track),
    showFrames: (target) => (target === 'screen' ? screen : camera).showFrames(),
    openScreen() {
      const track = register(screen.open(SCREEN_SIZE), { source: 'screen', size: SCREEN_SIZE })
      // Sharp text rather than smooth motion, as for any display; the page may choose otherwise.
      track.contentHint = 'detail'
      return track
    },
    sharesScreen: () => [...live.screen].some(({ readyState }) => readyState === 'live'),
    isOwnScreen: (stream) => stream?.getVideoTracks().some((track) => open.get(track)?.source === 'screen') ?? false,
    endScreen: () => endAll(live.screen),
    setPresent(present) {
      if (present === isPresent) return
      isPresent = present
      if (!present) endAll(live.devices)
      navigator.mediaDevices?.dispatchEvent(new Event('devicechange'))
    },
  }
}

/** The browser names a tab by two numbers. */
const screenNumber = () => [6, 1].map((least) => least + Math.floor(Math.random() * 30)).join(':')

/** The browser itself refuses empty requests, and requests for a tab or a screen do not ask for a camera. */
function isOurs(constraints: MediaStreamConstraints | undefined): constraints is MediaStreamConstraints {
  if (!constraints || (!constraints.audio && !constraints.video)) return false
  return !JSON.stringify([constraints.audio, constraints.video]).includes('chromeMediaSource')
}

function refuseOtherDevice(wanted: boolean | MediaTrackConstraints, ours: string): void {
  if (typeof wanted === 'boolean') return
  const { deviceId: asked } = wanted
  if (typeof asked !== 'object' || asked === null || Array.isArray(asked) || asked.exact === undefined) return
  if (![asked.exact].flat().includes(ours)) throw new OverconstrainedError('deviceId', 'No such device')
}
