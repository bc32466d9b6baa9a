/** Runs at document start of the test pages, as a driver's page script does: devices and tap are there before the page. */
import { createSourceSampler } from '../../../../../platforms/shared/page/audio/contributing-sources.ts'
import { installWebRtcTap, type TappedChannel } from '../../../../../platforms/shared/page/audio/webrtc-tap.ts'
import { installVirtualDevices } from '../../../../../platforms/shared/page/devices/virtual-devices.ts'

const wishes = new URLSearchParams(location.search)
const hadEncodedStreams = 'createEncodedStreams' in RTCRtpReceiver.prototype
const tap = installWebRtcTap({ hideEncodedStreams: wishes.has('hide') })
const bot: Parameters<typeof installVirtualDevices>[0] = {
  botName: 'Notes for Ann',
  botImage: null,
  playout: wishes.has('even') ? 'even' : 'live',
}
const { AudioContext } = globalThis
const contexts: AudioContext[] = []
globalThis.AudioContext = class extends AudioContext {
  constructor(options?: AudioContextOptions) {
    super(options)
    contexts.push(this)
  }
}
const devices = installVirtualDevices(bot)
globalThis.AudioContext = AudioContext

const tracks: string[] = []
const channels: Pick<TappedChannel, 'label' | 'openedBy'>[] = []
const messages: string[] = []
tap.onTrack(({ track }) => tracks.push(track.kind))
tap.onDataChannel(({ label, openedBy, channel }) => {
  channels.push({ label, openedBy })
  channel.addEventListener('message', ({ data }) => messages.push(`${openedBy} ${label} ${data}`))
})

const tapped = {
  tap,
  devices,
  tracks,
  channels,
  messages,
  hadEncodedStreams,
  /** Seconds of sound that the microphone makes at a time. */
  pieceSeconds: () => contexts[0]!.baseLatency,
  sampleSources: createSourceSampler(),
  installAgain: () => installWebRtcTap() === tap && installVirtualDevices({ ...bot, botName: 'Other' }) === devices,
}
export type Tapped = typeof tapped
Object.defineProperty(globalThis, 'tapped', { value: tapped })
