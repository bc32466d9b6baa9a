/** The media that one page receives from one publisher in Janus's video room. */
import { type Extensions, type RTCPeerConnection, type RTCRtpReceiver, RTP_EXTENSION_URI, type RtpPacket } from 'werift'
import { peerForServer } from '../peer.ts'
import type { JanusLink, RoomHandle } from './link.ts'
import { SOURCES, type Source } from './publisher.ts'

export interface RelayedPacket {
  source: Source
  packet: RtpPacket
  /** RFC 6464: 0 is the loudest, 127 silence; null if the packet has none. */
  level: number | null
}

export class Subscription {
  private readonly handle: RoomHandle
  private readonly peer: RTCPeerConnection
  private readonly pictures: Map<Source, { receiver: RTCRtpReceiver; ssrc: number | null }>

  private constructor(
    handle: RoomHandle,
    peer: RTCPeerConnection,
    pictures: Map<Source, { receiver: RTCRtpReceiver; ssrc: number | null }>,
  ) {
    this.handle = handle
    this.peer = peer
    this.pictures = pictures
  }

  /** Resolves once Janus sends what it has; rejects with its reason. */
  static async open(
    link: JanusLink,
    room: number,
    feed: number,
    onPacket: (relayed: RelayedPacket) => void,
  ): Promise<Subscription> {
    const handle = await link.attach()
    const peer = peerForServer()
    const pictures = new Map<Source, { receiver: RTCRtpReceiver; ssrc: number | null }>()
    try {
      const { data, description } = await handle.ask({
        request: 'join',
        ptype: 'subscriber',
        room,
        streams: [{ feed }],
      })
      if (!description) throw new Error('Janus offered nothing')
      // Lines may come in another order than they were published in.
      const sourceOf = (mid: string | null | undefined) =>
        SOURCES[Number(data.streams?.find((stream) => stream.mid === mid)?.feed_mid)]
      peer.onRemoteTransceiverAdded.subscribe((transceiver) => {
        transceiver.onTrack.subscribe((track) => {
          const source = sourceOf(transceiver.mid)
          if (!source) return
          if (source !== 'voice') pictures.set(source, { receiver: transceiver.receiver, ssrc: null })
          track.onReceiveRtp.subscribe((packet, extensions) => {
            const picture = pictures.get(source)
            if (picture) picture.ssrc = packet.header.ssrc
            onPacket({ source, packet, level: levelOf(extensions) })
          })
        })
      })
      await peer.setRemoteDescription(description)
      await peer.setLocalDescription(await peer.createAnswer())
      await handle.ask({ request: 'start' }, { type: 'answer', sdp: peer.localDescription!.sdp })
      return new Subscription(handle, peer, pictures)
    } catch (error) {
      await peer.close()
      throw error
    }
  }

  /** Janus passes it on to the publisher. Nothing came yet: Janus asks for the first one by itself. */
  requestKeyFrame(source: 'camera' | 'screen'): void {
    const picture = this.pictures.get(source)
    if (picture?.ssrc) void picture.receiver.sendRtcpPLI(picture.ssrc)
  }

  async close(): Promise<void> {
    await this.handle.detach()
    await this.peer.close()
  }
}

function levelOf(extensions: Extensions | undefined): number | null {
  const reported: unknown = extensions?.[RTP_EXTENSION_URI.audioLevelIndication]
  if (typeof reported !== 'object' || reported === null || !('level' in reported)) return null
  return typeof reported.level === 'number' ? reported.level : null
}
