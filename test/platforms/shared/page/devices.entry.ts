/** Runs at document start of the test pages, as a driver's page script does: devices and tap are there before the page. */
import { createSourceSampler } from '../../../../platforms/shared/page/contributing-sources.ts'
import { installVirtualDevices } from '../../../../platforms/shared/page/virtual-devices.ts'
import { installWebRtcTap, type TappedChannel } from '../../../../platforms/shared/page/webrtc-tap.ts'

const hadEncodedStreams = 'createEncodedStreams' in RTCRtpReceiver.prototype
const tap = installWebRtcTap({ hideEncodedStreams: new URLSearchParams(location.search).has('hide') })
const devices = installVirtualDevices({ name: 'Notes for Ann' })

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
  sampleSources: createSourceSampler(),
  installAgain: () => installWebRtcTap() === tap && installVirtualDevices({ name: 'Other' }) === devices,
}
export type Tapped = typeof tapped
Object.defineProperty(globalThis, 'tapped', { value: tapped })
