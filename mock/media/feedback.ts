/** Feedback of a receiver in RTCP: lost packets and requests for key frames. */
import {
  GenericNack,
  PictureLossIndication,
  type RTCDtlsTransport,
  RtcpPayloadSpecificFeedback,
  RtcpTransportLayerFeedback,
} from 'werift'

export interface Complaints {
  /** Packets with these numbers did not arrive. */
  missed(ssrc: number, sequenceNumbers: readonly number[]): void
  /** The picture cannot be shown until a key frame comes. */
  needsKeyFrame(ssrc: number): void
}

export function onComplaints(transport: RTCDtlsTransport, { missed, needsKeyFrame }: Complaints): void {
  transport.onRtcp.subscribe((packet) => {
    if (packet instanceof RtcpTransportLayerFeedback && packet.feedback instanceof GenericNack) {
      missed(packet.feedback.mediaSourceSsrc, packet.feedback.lost)
    } else if (packet instanceof RtcpPayloadSpecificFeedback && packet.feedback instanceof PictureLossIndication) {
      needsKeyFrame(packet.feedback.mediaSsrc)
    }
  })
}
