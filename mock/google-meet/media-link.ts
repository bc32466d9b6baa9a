/** One visit's media: the page's offer, the answer, who is on which video line, and the data channels. */
import type { DataChannelLike, MediaRoom, MediaSession } from '../media/room.ts'
import type { Slot, ToPage } from './page/protocol.ts'

export interface MediaLinkPorts {
  room(): MediaRoom
  send(message: ToPage): void
  note(target: string, detail: string): void
  /** The device of a person's camera or presentation; null when the person is gone. */
  deviceOf(personId: string, kind: 'camera' | 'screen'): string | null
  /** Called when the channel for the roster is there. */
  onCollections(channel: DataChannelLike): void
  onPageMessage(text: string): void
}

export class MediaLink {
  collections: DataChannelLike | null = null
  captions: DataChannelLike | null = null
  private readonly ports: MediaLinkPorts
  private session: MediaSession | null = null
  /** What the page sent can be asked for after the call, too. */
  private lastSession: MediaSession | null = null
  private pending: { offer: number; sdp: string } | null = null
  private isAllowed = false

  constructor(ports: MediaLinkPorts) {
    this.ports = ports
  }

  /** The page offers in the waiting room already; it is answered once it is let in. */
  offer(offer: number, sdp: string): void {
    this.pending = { offer, sdp }
    if (this.isAllowed) void this.answer()
  }

  open(): void {
    this.isAllowed = true
    if (this.pending) void this.answer()
  }

  private async answer(): Promise<void> {
    const offered = this.pending
    if (!offered) return
    this.pending = null
    try {
      const session = this.ports.room().connect({ streamId: ({ index, kind }) => streamId(kind, index) })
      this.session = session
      this.lastSession = session
      session.onChannel((label, channel) => {
        if (label === 'captions') this.captions = channel
        if (label === 'meet_messages') channel.onMessage((data) => this.ports.onPageMessage(String(data)))
      })
      session.onVideoSlots(() => this.sendSlots())
      this.collections = session.openChannel('collections')
      const sdp = await session.answer(offered.sdp)
      this.ports.send({ do: 'answer', offer: offered.offer, sdp })
      this.sendSlots()
      this.ports.onCollections(this.collections)
    } catch (error) {
      this.ports.note('media-failed', error instanceof Error ? error.message : String(error))
    }
  }

  /** Numeric stream ids of the video lines by device, as the roster names them. */
  videoStreams(): Map<string, string> {
    const streams = new Map<string, string>()
    for (const slot of this.session?.videoSlots() ?? []) {
      const device = slot.personId && this.ports.deviceOf(slot.personId, slot.kind)
      if (device) streams.set(device, slot.streamId)
    }
    return streams
  }

  sendSlots(): void {
    if (!this.session) return
    const slots: Slot[] = []
    for (const { mid, personId, kind } of this.session.videoSlots()) {
      const device = personId && this.ports.deviceOf(personId, kind)
      if (device) slots.push({ mid, device })
    }
    this.ports.send({ do: 'slots', slots })
  }

  sent() {
    return this.lastSession?.sent() ?? { audioPackets: 0, videoPackets: 0, audioIsSilent: null }
  }

  savedCamera(): Promise<Uint8Array | null> {
    return this.lastSession?.savedCamera() ?? Promise.resolve(null)
  }

  /** The network is gone: the old connection dies and the page makes a new one when it is back. */
  lose(): void {
    this.isAllowed = false
    this.endSession()
    this.ports.send({ do: 'stopMedia' })
  }

  regain(): void {
    this.isAllowed = true
    this.ports.send({ do: 'restartMedia' })
  }

  close(): void {
    this.isAllowed = false
    this.pending = null
    this.endSession()
  }

  private endSession(): void {
    const session = this.session
    this.session = null
    this.collections = null
    this.captions = null
    // Closing is best effort: the page may be gone already.
    session?.close().catch(() => {})
  }
}

function streamId(kind: 'audio' | 'video', index: number): string {
  return String((kind === 'audio' ? 6_000_000 : 7_000_000) + 101 * index)
}
