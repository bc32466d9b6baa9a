/**
 * Starts a platform's page script: installs what every platform needs, in the order in which it has to be there, and
 * answers the driver's calls. The platform adds its own readers.
 */

import type { PageAudioCapture } from './audio/page-audio-capture.ts'
import { watchPlayback } from './audio/page-playback.ts'
import { syncPlayout } from './audio/playout-sync.ts'
import type { Speech } from './audio/speech.ts'
import type { SpeechChange } from './audio/speech-detector.ts'
import { installWebRtcTap, type WebRtcTap, type WebRtcTapOptions } from './audio/webrtc-tap.ts'
import { createOwnMedia } from './devices/own-media.ts'
import { createTabSource } from './devices/tab-source.ts'
import { installVirtualDevices, type VirtualDevices } from './devices/virtual-devices.ts'
import { watchCallControl } from './dom/call-control.ts'
import { pageCensus } from './dom/census.ts'
import { slowAnimations } from './dom/slow-animations.ts'
import { pageStructure } from './dom/structure.ts'
import { answerDriver, createEventQueue, type EventQueue } from './link.ts'
import { followDriver, pageNow } from './page-clock.ts'
import { createCameras } from './people/cameras.ts'
import { Hands } from './people/hands.ts'
import { type CompositeTile, createComposite } from './picture/composite.ts'
import { pictureCalls } from './picture/picture-calls.ts'
import { takeAnswered } from './signals.ts'
import type { CommonConfig, PageApi, PageEvent } from './types.ts'
import { countWebRtc } from './webrtc-traffic.ts'

/** Interval at which people, chat and pictures are read. Milliseconds. */
const POLL_EVERY_MS = 250

/** Parts that every platform has, installed before the platform's own. */
export interface SharedPage<Config extends CommonConfig> {
  config: Config
  /** Null in a document that is no meeting page, such as a sign-in page. The script only answers the driver there. */
  tap: WebRtcTap | null
  devices: VirtualDevices | null
  queue: Pick<EventQueue, 'hasBegun' | 'miss' | 'release'>
  /** Sends an event to the driver. Events from before admission are held until then. */
  emit(event: PageEvent): void
  emitSpeech(changes: readonly SpeechChange[]): void
  hands: Hands
  /** Polls the page now, between two intervals. */
  poll(): void
}

/** Parts that a platform adds. `Api` names the driver's calls. */
export interface PlatformPage<Api extends PageApi> {
  elements: { find: Api['element'] }
  snapshot: {
    read(): ReturnType<Api['report']>['snapshot']
    reference: Api['reference']
  }
  speech: Speech | null
  /** Null if the driver takes no audio from the page. */
  audioCapture: PageAudioCapture | null
  /**
   * Reads the page and emits the changes since the last poll. Returns the tiles of the recorded picture, in the order
   * in which people joined. Runs only in a meeting page that has a body.
   */
  poll(at: number): CompositeTile[]
  /** Emits the people who are in the meeting since `at`, in UTC milliseconds. The held events follow. */
  begin(at: number): void
  chat: Api['chat']
  /** Sees each event when the driver can receive it. */
  onEvent?(event: PageEvent): void
  /** True if the call is over although its Leave button is still in the page. */
  isCallOver?(): boolean
  /** Prepares the page for the recorded picture, before it is painted or shown. */
  preparePicture?(): void
  /** Calls that the other platforms do not have. */
  calls: Omit<Api, keyof PageApi>
}

export interface PageOptions {
  /** Default: the document's host is one of the meeting hosts. */
  isMeeting?: boolean
  tap?: WebRtcTapOptions
  /** Default: true. False for a page that notices that its animations are slow, see `slow-animations.ts`. */
  slowsAnimations?: boolean
}

/** Has to be called at document start, because the parts replace functions before the page's own scripts use them. */
export function startPage<Config extends CommonConfig, Api extends PageApi>(
  config: Config,
  createPlatformPage: (page: SharedPage<Config>) => PlatformPage<Api>,
  {
    isMeeting = config.meetingHosts.includes(location.hostname),
    tap: tapOptions,
    slowsAnimations = true,
  }: PageOptions = {},
): void {
  const queue = createEventQueue((event) => {
    platform.onEvent?.(event)
    if (event.type !== 'participant_left') return
    platform.speech?.forget(event.participantId)
    hands.forget(event.participantId)
  })
  const emit = queue.emit
  const hands = new Hands(emit)
  const cameras = createCameras(emit)
  const tap = isMeeting ? installWebRtcTap(tapOptions) : null
  const devices = isMeeting ? installVirtualDevices(config) : null
  const restoreSound = isMeeting ? watchPlayback() : null
  const setPlayout = tap && syncPlayout(tap, config)

  const platform = createPlatformPage({
    config,
    tap,
    devices,
    queue,
    emit,
    emitSpeech(changes) {
      for (const change of changes) emit({ type: 'speaking', ...change })
    },
    hands,
    poll,
  })
  const { carry, talks } = config
  if (carry && talks)
    platform.speech?.onVoice((id, isHeard, at) => {
      if (queue.hasBegun) carry(`a ${at} ${isHeard ? 1 : 0} ${id}`)
    })
  // Created after the platform's parts, because Zoom's record every shadow tree and must not record the composite's.
  const composite =
    isMeeting && config.recordingMode !== 'audio_only' ? createComposite({ painter: config.painter }) : null
  if (tap) setInterval(poll, POLL_EVERY_MS)

  function poll(): void {
    if (!document.body || !tap) return
    const at = pageNow()
    const tiles = platform.poll(at).filter(({ stream }) => !devices?.isOwnScreen(stream))
    if (queue.hasBegun) cameras.update(tiles, at)
    composite?.update(tiles)
  }

  const callControl = watchCallControl(
    () => platform.elements.find('leave'),
    () => platform.isCallOver?.() ?? false,
  )
  const api: PageApi = {
    ...createOwnMedia(devices),
    ...createTabSource(devices, config),
    hearMeeting(isOn) {
      platform.audioCapture?.hear(isOn)
      setPlayout?.(isOn ? 'live' : config.playout)
    },
    report(acknowledged, now) {
      if (now !== null) followDriver(now)
      const snapshot = {
        sharesScreen: api.sharesScreen(),
        receivesSound: tap?.connections().some(receivesSound) ?? null,
        ...platform.snapshot.read(),
        callGoneAt: callControl.goneAt(),
        answered: takeAnswered(),
      }
      return { snapshot, ...queue.deliver(acknowledged) }
    },
    element: (name) => platform.elements.find(name),
    reference: (ref) => platform.snapshot.reference(ref),
    begin(at) {
      if (!queue.begin()) return
      callControl.begin()
      // People first, then what they said and did.
      platform.begin(at)
      queue.release()
      platform.audioCapture?.begin()
      if (slowsAnimations) slowAnimations()
    },
    chat: () => platform.chat(),
    restoreSound: async () => (await restoreSound?.()) ?? [],
    traffic: countWebRtc(tap),
    census: (words) => pageCensus(config.selectors, words),
    // In the meeting also buttons may name people.
    structure: (known) => pageStructure({ ...config, known, showsControls: !queue.hasBegun }),
    ...pictureCalls(composite, config.recordingMode, () => {
      platform.preparePicture?.()
      poll()
    }),
  }
  answerDriver(config.channel, { ...api, ...platform.calls })
}

/** Tracks outlive the network, so a connection counts while it stands. */
function receivesSound(connection: RTCPeerConnection): boolean {
  const isLost = connection.connectionState === 'disconnected' || connection.connectionState === 'failed'
  return !isLost && connection.getReceivers().some(({ track }) => track.kind === 'audio' && track.readyState === 'live')
}
