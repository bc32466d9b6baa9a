/** Packets that a receiver says in RTCP that it missed. */
import { GenericNack, type RTCDtlsTransport, RtcpTransportLayerFeedback } from 'werift'

export function onMissedPackets(
  transport: RTCDtlsTransport,
  missed: (ssrc: number, sequenceNumbers: readonly number[]) => void,
): void {
  transport.onRtcp.subscribe((packet) => {
    if (packet instanceof RtcpTransportLayerFeedback && packet.feedback instanceof GenericNack)
      missed(packet.feedback.mediaSourceSsrc, packet.feedback.lost)
  })
}
