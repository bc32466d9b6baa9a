/** One visit's media: the page's offer, the answer once the page is let in, and who is on which video line. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { MediaRoom, MediaSession, SessionOptions } from '../media/room.ts'
import type { OfferMessage, SharedToPage, Slot } from './page/protocol.ts'

export interface MediaLinkPorts {
  room(): MediaRoom
  send(message: SharedToPage): void
  note(target: string, detail: string): void
  /** The page's own word for a person's camera or presentation; null when the person is gone. */
  sourceOf(personId: string, kind: 'camera' | 'screen'): string | null
  session?: SessionOptions
  /** A connection is about to be answered: the place for data channels. */
  opened?(session: MediaSession): void
  /** Returns the answer for the page, on platforms that add their own lines. */
  describe?(sdp: string, session: MediaSession): string
  /** The first answer of a connection was sent. */
  answered?(session: MediaSession): void
  /** The connection is over. */
  closed?(): void
}

export class MediaLink {
  private readonly ports: MediaLinkPorts
  private session: MediaSession | null = null
  /** Kept after the call, for questions about the media that the page sent. */
  private lastSession: MediaSession | null = null
  private pending: { offer: number; sdp: string } | null = null
  private isAllowed = false
  private sendsVideo = true
  private sendsSound = true

  constructor(ports: MediaLinkPorts) {
    this.ports = ports
  }

  /** The page may offer before it is admitted. It is answered after the admission. */
  offer({ offer, sdp, again }: OfferMessage): void {
    if (!again) this.endSession()
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
      const isFirst = this.session === null
      const session = this.session ?? this.connect()
      // Media that cannot be encoded are noted in the page's log.
      this.ports
        .room()
        .ready()
        .catch((error: unknown) => this.ports.note('media-failed', String(error)))
      const sdp = await session.answer(offered.sdp)
      this.ports.send({ do: 'answer', offer: offered.offer, sdp: this.ports.describe?.(sdp, session) ?? sdp })
      this.sendSlots()
      if (isFirst) this.ports.answered?.(session)
    } catch (error) {
      this.ports.note('media-failed', messageOf(error))
    }
  }

  private connect(): MediaSession {
    const session = this.ports.room().connect(this.ports.session)
    this.session = session
    this.lastSession = session
    session.sendVideos(this.sendsVideo)
    session.sendsSound = this.sendsSound
    session.onVideoSlots(() => this.sendSlots())
    session.onOfferWanted((lines) => {
      if (session === this.session) this.ports.send({ do: 'renegotiate', ...lines })
    })
    this.ports.opened?.(session)
    return session
  }

  /** Stream ids of the video lines by source. */
  videoStreams(): Map<string, string> {
    const streams = new Map<string, string>()
    for (const slot of this.session?.videoSlots() ?? []) {
      const source = slot.personId && this.ports.sourceOf(slot.personId, slot.kind)
      if (source) streams.set(source, slot.streamId)
    }
    return streams
  }

  /** The page wants pictures, or none. */
  sendVideos(wanted: boolean): void {
    this.sendsVideo = wanted
    this.session?.sendVideos(wanted)
  }

  /** The page's receivers get the voices, or nothing. */
  sendSounds(wanted: boolean): void {
    this.sendsSound = wanted
    if (this.session) this.session.sendsSound = wanted
  }

  /** The page shows pictures in these sizes: heights in pixels by m-line. */
  askFor(heights: ReadonlyMap<string, number>): void {
    this.session?.askFor(heights)
  }

  sendSlots(): void {
    if (!this.session) return
    const slots: Slot[] = []
    for (const { mid, personId, kind } of this.session.videoSlots()) {
      const source = personId && this.ports.sourceOf(personId, kind)
      if (source) slots.push({ mid, source })
    }
    this.ports.send({ do: 'slots', slots })
  }

  isConnected(): boolean {
    return this.session?.isConnected() ?? false
  }

  sent() {
    return this.lastSession?.sent() ?? { audioPackets: 0, videoPackets: 0, audioIsSilent: null }
  }

  savedCamera(of?: 'camera' | 'screen'): Promise<Uint8Array | null> {
    return this.lastSession?.savedCamera(of) ?? Promise.resolve(null)
  }

  /** The page sends its shared screen on this line. */
  receivesScreen(mid: string): void {
    this.lastSession?.receivesScreen(mid)
  }

  cameraTimes(): number[] {
    return this.lastSession?.cameraTimes() ?? []
  }

  savedVoice() {
    return this.lastSession?.savedVoice() ?? []
  }

  /** The network is gone: the old connection is closed, and the page makes a new one when the network is back. */
  lose(): void {
    this.isAllowed = false
    this.endSession()
    this.ports.send({ do: 'stopMedia' })
  }

  regain(): void {
    this.isAllowed = true
    this.ports.send({ do: 'restartMedia' })
  }

  /** The page loads another document of the same visit: its connection is gone, the next one is answered. */
  drop(): void {
    this.pending = null
    this.endSession()
  }

  close(): void {
    this.isAllowed = false
    this.pending = null
    this.endSession()
  }

  private endSession(): void {
    const session = this.session
    if (!session) return
    this.session = null
    this.ports.closed?.()
    // Closing is best effort: the page may be gone already.
    session.close().catch(() => {})
  }
}
