import {
  GenericNack,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  type RTCRtpTransceiver,
  RtcpTransportLayerFeedback,
  useAudioLevelIndication,
  useSdesMid,
  useTransportWideCC,
} from 'werift'
import { type DataChannelLike, MediaDataChannel } from './data-channel.ts'
import type { VideoProgram } from './encode.ts'
import { ReceivedMedia, type SentByPage } from './received-media.ts'
import { type RoomClock, RtpSender } from './rtp-sender.ts'
import { keepInactiveLines, offersDataChannels, prepareOffer } from './sdp.ts'
import type { VideoSource } from './slots.ts'
import { VideoLines, type VideoSlot } from './video-lines.ts'
import type { AudioFrame } from './voice-streams.ts'

export type SessionState = 'new' | 'connecting' | 'connected' | 'disconnected' | 'failed' | 'closed'

/** An m-line that carries media to the page, to be named. */
export interface MediaLine {
  mid: string
  kind: 'audio' | 'video'
  /** Among those of its kind. */
  index: number
  /** Whose line it is, where each person has lines of their own; null otherwise. */
  personId: string | null
  source: 'voice' | 'camera' | 'screen'
}

export interface SessionOptions {
  /**
   * Names the media stream of each receiving m-line, for instance to put a sound and a picture into one stream, which
   * makes the browser play them in step. Each has a stream of its own by default, as in Google Meet.
   */
  streamId?: (line: MediaLine) => string
  /** For lines of a person of their own: the id of the track, and the RTP source where it matters. */
  trackId?: (line: MediaLine) => string
  ssrc?: (line: MediaLine) => number
}

/** Whose voice comes on which m-line, where each person has one. */
export interface AudioSlot {
  mid: string
  streamId: string
  personId: string | null
}

/** What a session asks of its room. */
export interface SessionRoom {
  clock: RoomClock
  loss: number
  audioStreams: number | 'perPerson'
  people(): readonly { id: string; audioCsrc: number }[]
  videoSources(): readonly VideoSource[]
  /** The encoded pictures to send for a source; undefined until they are encoded. */
  videoProgram(source: VideoSource): VideoProgram | undefined
  removeSession(session: MediaSession): void
}

const LOOPBACK = '127.0.0.1'
/** A browser checks its path every 2.5 s; one that is not heard for this long is gone or stands still. */
const GONE_AFTER_MS = 10_000

/**
 * One page's connection with the room: the page offers, this side answers, and media flows over the loopback
 * interface only. Chromium uses that interface when started with `--allow-loopback-in-peer-connection`.
 */
export class MediaSession {
  readonly #room: SessionRoom
  readonly #options: SessionOptions
  readonly #peer: RTCPeerConnection
  readonly #received = new ReceivedMedia()
  readonly #senders = new Map<string, RtpSender>()
  #audio: { mid: string; streamId: string; sender: RtpSender; personId: string | null }[] = []
  readonly #video: VideoLines
  readonly #channels: MediaDataChannel[] = []
  /** Channels of this side that wait until the page offers data channels at all. */
  readonly #waitingChannels: MediaDataChannel[] = []
  #hasDataChannels = false
  #isListening = false
  #lastHeardAt = 0
  #toldState: SessionState = 'new'
  readonly #stateTimer: NodeJS.Timeout
  #answering: Promise<unknown> = Promise.resolve()
  #isClosed = false
  readonly #onVideoSlots: ((slots: VideoSlot[]) => void)[] = []
  readonly #onOfferWanted: ((lines: { audio: number; video: number }) => void)[] = []
  #lastWanted = ''
  readonly #onChannel: ((label: string, channel: DataChannelLike) => void)[] = []
  readonly #onState: ((state: SessionState) => void)[] = []

  constructor(room: SessionRoom, options: SessionOptions = {}) {
    this.#room = room
    this.#options = options
    this.#video = new VideoLines((source) => room.videoProgram(source))
    this.#peer = openPeer(() => {
      this.#lastHeardAt = performance.now()
    })
    this.#peer.connectionStateChange.subscribe(() => this.#tellState())
    this.#stateTimer = setInterval(() => this.#tellState(), 1000).unref()
    this.#peer.onDataChannel.subscribe((channel) => {
      const wrapped = new MediaDataChannel(channel.label)
      wrapped.attach(channel)
      this.#channels.push(wrapped)
      for (const listener of this.#onChannel) listener(channel.label, wrapped)
    })
    this.#peer.onRemoteTransceiverAdded.subscribe((transceiver) => {
      transceiver.onTrack.subscribe((track) => this.#received.add(track, transceiver.receiver))
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

  /** Which participant is on which video m-line now. */
  videoSlots(): VideoSlot[] {
    return this.#video.slots()
  }

  /** The listener is told all slots whenever one changes. */
  onVideoSlots(listener: (slots: VideoSlot[]) => void): void {
    this.#onVideoSlots.push(listener)
  }

  /** The m-lines that carry the loudest speakers, in the order of the room's audio streams. */
  audioMids(): string[] {
    return this.#audio.map(({ mid }) => mid)
  }

  /** Whose voice is on which m-line, where each person has one. */
  audioSlots(): AudioSlot[] {
    return this.#audio.map(({ mid, streamId, personId }) => ({ mid, streamId, personId }))
  }

  /**
   * Where each person has streams of their own: told when streams came or went, so that the page should offer again
   * with this many lines to receive on.
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

  /** What the page sent so far. */
  sent(): SentByPage {
    return this.#received.summary()
  }

  /**
   * The last seconds of the page's camera as an IVF file (VP8), starting with a key frame; null if there are none.
   * Frames come when the page sends them: decode with ffmpeg's `-fps_mode passthrough`.
   */
  async savedCamera(): Promise<Uint8Array | null> {
    return this.#received.camera()
  }

  /** The last half minute of the page's microphone as an Ogg file (Opus); null if nothing came. */
  async savedMicrophone(): Promise<Uint8Array | null> {
    return this.#received.microphone()
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
    this.#tellState()
  }

  /** For the room: people came, went, or switched their camera or screen. */
  updateVideo(): void {
    const sources = this.#room.videoSources()
    // A stream with a name cannot become somebody else's: newcomers wait for the next offer.
    const hasChanged = this.#isPerPerson ? this.#video.keep(sources) : this.#video.place(sources)
    if (this.#isPerPerson) this.#wantOffer()
    if (hasChanged) for (const listener of this.#onVideoSlots) listener(this.videoSlots())
  }

  /** For the room: the sound of one of its audio streams at a room time. */
  sendAudio(stream: number, frame: AudioFrame, roomMs: number): void {
    const { owner } = frame
    const line = owner === null ? this.#audio[stream] : this.#audio.find(({ personId }) => personId === owner)
    line?.sender.sendOpus(frame.data, roomMs, frame)
  }

  get #isPerPerson(): boolean {
    return this.#room.audioStreams === 'perPerson'
  }

  /** Tells when what the page knows of the streams is out of date; once for each change, whatever the page does. */
  #wantOffer(): void {
    const people = this.#room.people().map(({ id }) => id)
    const sources = this.#room.videoSources()
    const wanted = JSON.stringify([people, sources])
    if (!this.#hasAnswered || wanted === this.#lastWanted) return
    const hasVoices = sameMembers(
      people,
      this.#audio.flatMap(({ personId }) => personId ?? []),
    )
    const hasPictures = sameMembers(sources.map(nameOf), this.#video.sources().map(nameOf))
    if (hasVoices && hasPictures && this.#isCurrent) return
    this.#lastWanted = wanted
    for (const listener of this.#onOfferWanted) listener({ audio: people.length, video: sources.length })
  }

  /** For the room: the pictures of a room time, see `VideoLines.send`. */
  sendVideo(tick: number, fps: number, roomMs: number, isAfterGap: boolean): void {
    this.#video.send(tick, fps, roomMs, isAfterGap)
  }

  /** As ICE lite werift does not check on its own whether the other side is still there. */
  #state(): SessionState {
    const state = this.#peer.connectionState
    const isGone = performance.now() - this.#lastHeardAt > GONE_AFTER_MS
    return state === 'connected' && isGone ? 'disconnected' : state
  }

  #tellState(): void {
    const state = this.#state()
    if (state === this.#toldState) return
    this.#toldState = state
    for (const listener of this.#onState) listener(state)
  }

  async #answer(offerSdp: string): Promise<string> {
    if (this.#isClosed) throw new Error('The media session is closed')
    await this.#peer.setRemoteDescription({ type: 'offer', sdp: prepareOffer(offerSdp) })
    const count = { audio: 0, video: 0 }
    for (const transceiver of this.#peer.getTransceivers()) {
      if (transceiver.stopped) continue
      transceiver.setDirection('sendrecv')
      const kind = transceiver.kind === 'audio' ? 'audio' : 'video'
      const line = { mid: transceiver.mid ?? '', kind, index: count[kind]++ } as const
      transceiver.sender.streamIds = [this.#options.streamId?.(line) ?? `${kind}-${line.mid}`]
    }
    await this.#peer.setLocalDescription(await this.#peer.createAnswer())
    this.#hasDataChannels ||= offersDataChannels(offerSdp)
    if (this.#hasDataChannels) {
      for (const channel of this.#waitingChannels.splice(0)) {
        channel.attach(this.#peer.createDataChannel(channel.label))
      }
    }
    this.#takeLines()
    return keepInactiveLines(this.#peer.localDescription!.sdp)
  }

  /** Takes up what was negotiated: which m-lines may carry media to the page. */
  #takeLines(): void {
    const open = this.#peer
      .getTransceivers()
      .filter((transceiver) => transceiver.mid !== null && !transceiver.stopped)
      .filter(({ currentDirection }) => currentDirection === 'sendonly' || currentDirection === 'sendrecv')
      .map((transceiver) => ({
        kind: transceiver.kind,
        mid: transceiver.mid!,
        streamId: transceiver.sender.streamIds[0] ?? '',
        sender: this.#sender(transceiver),
      }))
    this.#audio = open.filter(({ kind }) => kind === 'audio').slice(0, this.#room.audioStreams)
    this.#video.take(open.filter(({ kind }) => kind === 'video'))
    this.#listenForFeedback()
    this.updateVideo()
  }

  #sender(transceiver: RTCRtpTransceiver): RtpSender {
    const mid = transceiver.mid!
    const sender =
      this.#senders.get(mid) ?? new RtpSender(transceiver, this.#peer.cname, this.#room.clock, this.#room.loss)
    this.#senders.set(mid, sender)
    return sender
  }

  /** Missing packets are sent again; requests for a key frame need no answer, since one comes every half second. */
  #listenForFeedback(): void {
    const transport = this.#peer.dtlsTransports[0]
    if (this.#isListening || transport === undefined) return
    this.#isListening = true
    transport.onRtcp.subscribe((packet) => {
      if (packet.type !== RtcpTransportLayerFeedback.type || !('feedback' in packet)) return
      const { feedback } = packet
      if (!(feedback instanceof GenericNack)) return
      for (const sender of this.#senders.values()) {
        if (sender.ssrc === feedback.mediaSourceSsrc) sender.resend(feedback.lost)
      }
    })
  }
}

/** @param onCheck called whenever the browser checks the path */
function openPeer(onCheck: () => void): RTCPeerConnection {
  return new RTCPeerConnection({
    iceServers: [],
    // As ICE lite this side only answers: the browser finds it, whatever the browser tells of itself.
    iceLite: true,
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceAdditionalHostAddresses: [LOOPBACK],
    // The browser also tries from its other addresses, and the first path that it names would be kept for good.
    iceFilterStunResponse: (_message, [address]) => {
      onCheck()
      return address === LOOPBACK
    },
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
  })
}
