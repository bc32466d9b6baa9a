/** One mock person as a publisher in Janus's video room: voice, camera and screen, each on its own m-line. */
import type { RTCPeerConnection } from 'werift'
import type { VideoProgram } from '../encode.ts'
import { onComplaints } from '../feedback.ts'
import { peerForServer } from '../peer.ts'
import { type RoomClock, RtpSender } from '../rtp-sender.ts'
import type { VideoSource } from '../slots.ts'
import { VideoLines } from '../video-lines.ts'
import type { AudioFrame } from '../voice-streams.ts'
import type { JanusLink, RoomHandle } from './link.ts'

/** The lines of a publisher, in the order of the offer; Janus keeps their mids. */
export const SOURCES = ['voice', 'camera', 'screen'] as const
export type Source = (typeof SOURCES)[number]

export interface PublisherPlan {
  link: JanusLink
  room: number
  personId: string
  clock: RoomClock
  /** Share of packets (0 to 1) that never leave. */
  loss: number
  /**
   * Milliseconds. A key frame is held back until a receiver requests one, and for this time after the request; 0 sends
   * key frames without delay.
   */
  keyFrameDelayMs: number
  videoProgram(source: VideoSource): VideoProgram | undefined
}

export class Publisher {
  readonly feed: number
  private readonly handle: RoomHandle
  private readonly peer: RTCPeerConnection
  private readonly voice: RtpSender
  private readonly pictures: readonly { kind: 'camera' | 'screen'; sender: RtpSender; lines: VideoLines }[]

  private constructor(plan: PublisherPlan, feed: number, handle: RoomHandle, peer: RTCPeerConnection) {
    this.feed = feed
    this.handle = handle
    this.peer = peer
    const [voice, ...pictures] = peer
      .getTransceivers()
      .map((transceiver) => new RtpSender(transceiver, peer.cname, plan.clock, plan.loss))
    this.voice = voice!
    this.pictures = (['camera', 'screen'] as const).map((kind, index) => {
      const sender = pictures[index]!
      const lines = new VideoLines((source) => plan.videoProgram(source))
      lines.setLines([{ mid: kind, streamId: kind, sender }])
      if (plan.keyFrameDelayMs > 0) sender.holdKeyFrames(plan.keyFrameDelayMs)
      return { kind, sender, lines }
    })
    const senders = [this.voice, ...pictures]
    onComplaints(peer.dtlsTransports[0]!, {
      missed: (ssrc, numbers) => senders.find((sender) => sender.ssrc === ssrc)?.resend(numbers),
      needsKeyFrame: (ssrc) => senders.find((sender) => sender.ssrc === ssrc)?.releaseKeyFrames(),
    })
  }

  /** Resolves once others can subscribe; rejects with Janus's reason. */
  static async publish(plan: PublisherPlan): Promise<Publisher> {
    const handle = await plan.link.attach()
    const peer = peerForServer()
    try {
      const { data } = await handle.ask({
        request: 'join',
        ptype: 'publisher',
        room: plan.room,
        display: plan.personId,
      })
      for (const source of SOURCES) {
        peer.addTransceiver(source === 'voice' ? 'audio' : 'video', { direction: 'sendonly' })
      }
      await peer.setLocalDescription(await peer.createOffer())
      const offer = { type: 'offer', sdp: peer.localDescription!.sdp } as const
      const { description } = await handle.ask({ request: 'publish', audiocodec: 'opus', videocodec: 'vp8' }, offer)
      if (!description) throw new Error('Janus did not answer the offer')
      await peer.setRemoteDescription(description)
      // A page cannot subscribe before.
      await handle.isUp.promise
      return new Publisher(plan, data.id ?? 0, handle, peer)
    } catch (error) {
      await peer.close()
      throw error
    }
  }

  /** Which pictures there are to send now. */
  update(sources: readonly VideoSource[]): void {
    for (const { kind, lines } of this.pictures) lines.place(sources.filter((source) => source.kind === kind))
  }

  sendAudio(frame: AudioFrame, roomMs: number): void {
    // Janus 1.1 cannot encrypt packets with contributing sources. They are added after Janus.
    this.voice.sendOpus(frame.data, roomMs, { ...frame, csrcs: [] })
  }

  /** See `VideoLines.send`. */
  sendVideo(tick: number, fps: number, roomMs: number, isAfterGap: boolean): void {
    for (const { lines } of this.pictures) lines.send(tick, fps, roomMs, isAfterGap)
  }

  async close(): Promise<void> {
    await this.handle.detach()
    await this.peer.close()
  }
}
