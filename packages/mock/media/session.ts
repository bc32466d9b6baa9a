import {
  RTCPeerConnection,
  RTCRtpCodecParameters,
  useAudioLevelIndication,
  useSdesMid,
  useTransportWideCC,
} from 'werift'
import { type DataChannelLike, MediaDataChannel } from './data-channel.ts'
import { ReceivedMedia, type SentByPage } from './received-media.ts'
import { LOOPBACK } from './room-options.ts'
import { keepInactiveLines, nameStreams, offersDataChannels, prepareOffer } from './sdp.ts'
import { type LinesRoom, SessionLines, type SessionOptions } from './session-lines.ts'
import type { VideoSlot } from './video-lines.ts'
import type { AudioFrame } from './voice-streams.ts'

/**
 * Answers a browser.
 * @param address where the browser connects to
 * @param onCheck called whenever the browser checks the path
 */
function peerForPage(address: string, onCheck: () => void): RTCPeerConnection {
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

export type { MediaLine, SessionOptions } from './session-lines.ts'

export type SessionState = 'new' | 'connecting' | 'connected' | 'disconnected' | 'failed' | 'closed'

/** The parts of the room that a session uses. */
export interface SessionRoom extends LinesRoom {
  /** Where the page connects to. */
  readonly address: string
  removeSession(session: MediaSession): void
}

/** A browser checks its path every 2.5 s; one that sends nothing for this long is gone or stalls. */
const GONE_AFTER_MS = 10_000

/**
 * One page's connection with the room: the page offers, this side answers, and media flows over one address, usually
 * of the loopback interface. Chromium uses that interface when started with `--allow-loopback-in-peer-connection`.
 */
export class MediaSession {
  readonly #room: SessionRoom
  readonly #peer: RTCPeerConnection
  readonly #received = new ReceivedMedia()
  readonly #lines: SessionLines
  /** Whether the page gets the voices. */
  sendsSound = true
  readonly #channels: MediaDataChannel[] = []
  /** Channels of this side that wait until the page offers data channels at all. */
  readonly #waitingChannels: MediaDataChannel[] = []
  #hasDataChannels = false
  #lastHeardAt = 0
  #emittedState: SessionState = 'new'
  readonly #stateTimer: NodeJS.Timeout
  #answering: Promise<unknown> = Promise.resolve()
  #isClosed = false
  readonly #onVideoSlots: ((slots: VideoSlot[]) => void)[] = []
  readonly #onOfferWanted: ((lines: { audio: number; video: number }) => void)[] = []
  readonly #onChannel: ((label: string, channel: DataChannelLike) => void)[] = []
  readonly #onState: ((state: SessionState) => void)[] = []

  constructor(room: SessionRoom, options: SessionOptions = {}) {
    this.#room = room
    this.#peer = peerForPage(room.address, () => {
      this.#lastHeardAt = performance.now()
    })
    this.#lines = new SessionLines(room, options, this.#peer, {
      slotsChanged: () => {
        for (const listener of this.#onVideoSlots) listener(this.videoSlots())
      },
      offerWanted: (lines) => {
        for (const listener of this.#onOfferWanted) listener(lines)
      },
    })
    this.#peer.connectionStateChange.subscribe(() => this.#emitState())
    this.#stateTimer = setInterval(() => this.#emitState(), 1000).unref()
    this.#peer.onDataChannel.subscribe((channel) => {
      const wrapped = new MediaDataChannel(channel.label)
      wrapped.attach(channel)
      this.#channels.push(wrapped)
      for (const listener of this.#onChannel) listener(channel.label, wrapped)
    })
    this.#peer.onRemoteTransceiverAdded.subscribe((transceiver) => {
      transceiver.onTrack.subscribe((track) => this.#received.add(track, transceiver))
    })
  }

  /**
   * Answers an offer of the page, the first or a later one. The answer is complete: no candidates follow.
   * @throws Error when the offer is not one that can be answered, or the session is closed
   */
  answer(offerSdp: string): Promise<string> {
    const answer = this.#answering.then(() => this.#answer(offerSdp))
    this.#answering = answer.catch(() => {})
    return answer
  }

  /** Turns all pictures to the page on or off. Default: on. */
  sendVideos(wanted: boolean): void {
    this.#lines.wantsVideo = wanted
    this.#lines.update()
  }

  /** The page shows the picture of an m-line with this height in pixels; of those without one it shows none. */
  askFor(heights: ReadonlyMap<string, number>): void {
    this.#lines.video.askFor(heights)
  }

  /** Which participant is on which video m-line now. */
  videoSlots(): VideoSlot[] {
    return this.#lines.video.slots()
  }

  /** The listener receives all slots whenever one changes. */
  onVideoSlots(listener: (slots: VideoSlot[]) => void): void {
    this.#onVideoSlots.push(listener)
  }

  /**
   * In a room with streams per person: called when streams came or went, so that the page should offer again with this
   * many lines to receive on.
   */
  onOfferWanted(listener: (lines: { audio: number; video: number }) => void): void {
    this.#onOfferWanted.push(listener)
  }

  /** Opens a data channel from this side; it waits until the page has offered data channels. */
  openChannel(label: string): DataChannelLike {
    const channel = new MediaDataChannel(label)
    this.#channels.push(channel)
    if (this.#hasDataChannels) channel.attach(this.#peer.createDataChannel(label))
    else this.#waitingChannels.push(channel)
    return channel
  }

  /** Called for each channel that the page opens. Listen before the first answer. */
  onChannel(listener: (label: string, channel: DataChannelLike) => void): void {
    this.#onChannel.push(listener)
  }

  /** The packets that the page sent so far. */
  sent(): SentByPage {
    return this.#received.summary()
  }

  /**
   * The last seconds of the page's camera, or of its shared screen, as an IVF file (VP8), starting with a key frame; null if
   * there are none.
   * Frames come when the page sends them: decode with ffmpeg's `-fps_mode passthrough`.
   */
  async savedCamera(of: 'camera' | 'screen' = 'camera'): Promise<Uint8Array | null> {
    return this.#received.camera(of === 'screen')
  }

  /** The page's shared screen is on this line. */
  receivesScreen(mid: string): void {
    this.#received.screenLines.add(mid)
  }

  cameraTimes(): number[] {
    return this.#received.cameraTimes()
  }

  /** See `ReceivedMedia.voice`. */
  savedVoice() {
    return this.#received.voice()
  }

  isConnected(): boolean {
    return this.#state() === 'connected'
  }

  /** A page that went away without a word is `disconnected` after ten seconds. */
  onState(listener: (state: SessionState) => void): void {
    this.#onState.push(listener)
  }

  /** Repeatable. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#stateTimer)
    this.#room.removeSession(this)
    for (const channel of this.#channels) channel.close()
    await this.#peer.close()
    this.#emitState()
  }

  /** For the room: people came, went, or switched their camera or screen. */
  updateVideo(): void {
    this.#lines.update()
  }

  /** For the room: the sound of one of its audio streams at a room time. */
  sendAudio(stream: number, frame: AudioFrame, roomMs: number): void {
    if (this.sendsSound) this.#lines.voices.send(stream, frame, roomMs)
  }

  /** For the room: the pictures of a room time, see `VideoLines.send`. */
  sendVideo(tick: number, fps: number, roomMs: number, isAfterGap: boolean): void {
    this.#lines.video.send(tick, fps, roomMs, isAfterGap)
  }

  /** As ICE lite werift does not check on its own whether the other side is still there. */
  #state(): SessionState {
    const state = this.#peer.connectionState
    const isGone = performance.now() - this.#lastHeardAt > GONE_AFTER_MS
    return state === 'connected' && isGone ? 'disconnected' : state
  }

  #emitState(): void {
    const state = this.#state()
    if (state === this.#emittedState) return
    this.#emittedState = state
    for (const listener of this.#onState) listener(state)
  }

  async #answer(offerSdp: string): Promise<string> {
    if (this.#isClosed) throw new Error('The media session is closed')
    await this.#peer.setRemoteDescription({ type: 'offer', sdp: prepareOffer(offerSdp) })
    this.#lines.prepareAnswer()
    await this.#peer.setLocalDescription(await this.#peer.createAnswer())
    this.#hasDataChannels ||= offersDataChannels(offerSdp)
    if (this.#hasDataChannels) {
      for (const channel of this.#waitingChannels.splice(0)) {
        channel.attach(this.#peer.createDataChannel(channel.label))
      }
    }
    const names = this.#lines.takeAnswer()
    return nameStreams(keepInactiveLines(this.#peer.localDescription!.sdp), names)
  }
}
