/** The peer connection of this side: over one address, usually the loopback interface's, with the two codecs that the rooms have. */
import {
  RTCPeerConnection,
  RTCRtpCodecParameters,
  useAudioLevelIndication,
  useSdesMid,
  useTransportWideCC,
} from 'werift'
import { LOOPBACK } from './room-options.ts'

/**
 * Answers a browser.
 * @param address where the browser connects to
 * @param onCheck called whenever the browser checks the path
 */
export function peerForPage(address: string, onCheck: () => void): RTCPeerConnection {
  return new RTCPeerConnection({
    iceServers: [],
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceAdditionalHostAddresses: [address],
    bundlePolicy: 'max-bundle',
    codecs: {
      audio: [new RTCRtpCodecParameters({ mimeType: 'audio/opus', clockRate: 48_000, channels: 2 })],
      video: [
        new RTCRtpCodecParameters({
          mimeType: 'video/VP8',
          clockRate: 90_000,
          rtcpFeedback: [{ type: 'nack' }, { type: 'nack', parameter: 'pli' }, { type: 'transport-cc' }],
        }),
      ],
    },
    headerExtensions: {
      audio: [useAudioLevelIndication(), useSdesMid()],
      video: [useSdesMid(), useTransportWideCC()],
    },
    // As ICE lite this side only answers. The browser finds it, so the browser's own candidates do not matter.
    iceLite: true,
    // On one machine the browser also tries from its other addresses, and the first path that it names would be kept for good.
    iceFilterStunResponse: (_message, [from]) => {
      onCheck()
      return address !== LOOPBACK || from === LOOPBACK
    },
  })
}
