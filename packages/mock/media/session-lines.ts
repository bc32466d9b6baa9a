import {
  GenericNack,
  type RTCDtlsTransport,
  type RTCPeerConnection,
  type RTCRtpTransceiver,
  RtcpTransportLayerFeedback,
} from 'werift'
import type { VideoProgram } from './encode.ts'
import { type RoomClock, RtpSender } from './rtp-sender.ts'
import type { StreamName } from './sdp.ts'
import type { VideoSource } from './slots.ts'
import { VideoLines } from './video-lines.ts'
import { VoiceLines } from './voice-lines.ts'

function onMissedPackets(
  transport: RTCDtlsTransport,
  missed: (ssrc: number, sequenceNumbers: readonly number[]) => void,
): void {
  transport.onRtcp.subscribe((packet) => {
    if (packet instanceof RtcpTransportLayerFeedback && packet.feedback instanceof GenericNack)
      missed(packet.feedback.mediaSourceSsrc, packet.feedback.lost)
  })
}

/** An m-line that carries media to the page, to be named. */
export interface MediaLine {
  mid: string
  kind: 'audio' | 'video'
  /** Among those of its kind. */
  index: number
  /** The person whose line it is, in a room with lines per person; null otherwise. */
  personId: string | null
  source: 'voice' | 'camera' | 'screen'
}

export interface SessionOptions {
  /**
   * Names the media stream of each receiving m-line, for instance to put a sound and a picture into one stream, which
   * makes the browser play them in sync. Default: a separate stream for each line, as in Google Meet.
   */
  streamId?: (line: MediaLine) => string
  /** For lines per person: the RTP source where it matters. */
  ssrc?: (line: MediaLine) => number
}

/** The parts of the room that the lines of a session use. */
export interface LinesRoom {
  clock: RoomClock
  loss: number
  audioStreams: number | 'perPerson'
  people(): readonly { id: string; audioCsrc: number }[]
  videoSources(): readonly VideoSource[]
  /** The encoded pictures to send for a source, at least this high if there are any; undefined until they are encoded. */
  videoProgram(source: VideoSource, height: number): VideoProgram | undefined
}

export interface LinesListener {
  /** Who is on which video line has changed. */
  slotsChanged(): void
  /** In a room with streams per person: the page should offer again, with this many lines to receive on. */
  offerWanted(lines: { audio: number; video: number }): void
}

/** The m-lines that carry media to one page: what they are called, whose they are, and what is sent on them. */
export class SessionLines {
  readonly voices = new VoiceLines()
  readonly video: VideoLines
  readonly #room: LinesRoom
  readonly #options: SessionOptions
  readonly #peer: RTCPeerConnection
  readonly #listener: LinesListener
  readonly #senders = new Map<string, RtpSender>()
  /** False if the page receives no pictures. */
  wantsVideo = true
  #isListening = false
  /** The streams of the last answer; null before the first one. */
  #described: string | null = null
  #lastWanted: string | null = null

  constructor(room: LinesRoom, options: SessionOptions, peer: RTCPeerConnection, listener: LinesListener) {
    this.#room = room
    this.#options = options
    this.#peer = peer
    this.#listener = listener
    this.video = new VideoLines((source, height) => room.videoProgram(source, height))
  }

  /** To be called between an offer and its answer: streams get their names. */
  prepareAnswer(): void {
    const count = { audio: 0, video: 0 }
    for (const transceiver of this.#peer.getTransceivers()) {
      if (transceiver.stopped) continue
      transceiver.setDirection('sendrecv')
      const kind = transceiver.kind === 'audio' ? 'audio' : 'video'
      const mid = transceiver.mid ?? ''
      const line = { mid, kind, index: count[kind]++, personId: null, source: SOURCE_OF[kind] } as const
      const name = this.#isPerPerson ? undefined : this.#options.streamId?.(line)
      transceiver.sender.streamIds = [name ?? `${kind}-${mid}`]
    }
  }

  /**
   * Applies the negotiated answer: which m-lines may carry media to the page. Returns the streams that the page is to
   * see, in a room with streams per person.
   */
  takeAnswer(): ReadonlyMap<string, StreamName | null> {
    const open = this.#peer
      .getTransceivers()
      .filter((transceiver) => transceiver.mid !== null && !transceiver.stopped)
      .filter(({ currentDirection }) => currentDirection === 'sendonly' || currentDirection === 'sendrecv')
      .map((transceiver) => ({
        kind: transceiver.kind,
        mid: transceiver.mid!,
        streamId: transceiver.sender.streamIds[0] ?? '',
        sender: this.#sender(transceiver.mid!),
      }))
    const { audioStreams } = this.#room
    const mostVoices = audioStreams === 'perPerson' ? undefined : audioStreams
    this.voices.setLines(open.filter(({ kind }) => kind === 'audio').slice(0, mostVoices))
    this.video.setLines(open.filter(({ kind }) => kind === 'video'))
    this.#listenForMissed()
    if (this.#isPerPerson) return this.#placePeople()
    this.update()
    return new Map()
  }

  /** People came, went, or switched their camera or screen. */
  update(): void {
    // A stream with a name cannot change its person: newcomers wait for the next offer.
    if (this.#isPerPerson) {
      if (this.video.keep(this.#videoSources())) this.#listener.slotsChanged()
      this.#wantOffer()
    } else this.#placeVideo()
  }

  #videoSources(): readonly VideoSource[] {
    return this.wantsVideo ? this.#room.videoSources() : []
  }

  get #isPerPerson(): boolean {
    return this.#room.audioStreams === 'perPerson'
  }

  #placeVideo(): void {
    if (this.video.place(this.#videoSources())) this.#listener.slotsChanged()
  }

  /** Gives each person separate lines, as far as the page offered them. Returns the streams that the page is to see. */
  #placePeople(): Map<string, StreamName | null> {
    const people = this.#room.people()
    this.voices.place(people.map(({ id }) => id))
    this.#placeVideo()
    const names = new Map<string, StreamName | null>()
    this.voices.slots().forEach(({ mid, personId }, index) => {
      const person = people.find(({ id }) => id === personId)
      const line = { mid, kind: 'audio', index, personId, source: 'voice' } as const
      const name = person ? this.#nameOf(line, person.audioCsrc) : null
      if (name) this.voices.name(mid, name.streamId, this.#sender(mid, name.ssrc))
      names.set(mid, name)
    })
    this.video.slots().forEach(({ mid, personId, kind }, index) => {
      const line = { mid, kind: 'video', index, personId, source: kind } as const
      const name = personId === null ? null : this.#nameOf(line, this.#sender(mid).ssrc)
      if (name) this.video.name(mid, name.streamId, this.#sender(mid, name.ssrc))
      names.set(mid, name)
    })
    const wanted = people.length + this.#videoSources().length
    const isComplete = [...names.values()].filter((name) => name !== null).length === wanted
    this.#described = isComplete ? this.#streams() : ''
    // Not before the page has this answer.
    setImmediate(() => this.#wantOffer())
    return names
  }

  /**
   * Reports that the page's streams no longer match the people. Once for each change, even if the page does not offer
   * again.
   */
  #wantOffer(): void {
    const wanted = this.#streams()
    if (this.#described === null || wanted === this.#described || wanted === this.#lastWanted) return
    this.#lastWanted = wanted
    this.#listener.offerWanted({ audio: this.#room.people().length, video: this.#videoSources().length })
  }

  #streams(): string {
    return JSON.stringify([this.#room.people().map(({ id }) => id), this.#videoSources()])
  }

  #nameOf(line: MediaLine, usualSsrc: number): StreamName {
    const streamId = this.#options.streamId?.(line) ?? `${line.personId}-${line.source}`
    return {
      streamId,
      trackId: `${streamId}-${line.mid}`,
      ssrc: this.#options.ssrc?.(line) ?? usualSsrc,
    }
  }

  #sender(mid: string, ssrc?: number): RtpSender {
    const transceiver: RTCRtpTransceiver = this.#peer.getTransceivers().find((candidate) => candidate.mid === mid)!
    const key = `${mid} ${ssrc ?? transceiver.sender.ssrc}`
    const sender =
      this.#senders.get(key) ?? new RtpSender(transceiver, this.#peer.cname, this.#room.clock, this.#room.loss, ssrc)
    this.#senders.set(key, sender)
    return sender
  }

  /** Missing packets are sent again. Requests for key frames are ignored: one comes every half second. */
  #listenForMissed(): void {
    const transport = this.#peer.dtlsTransports[0]
    if (this.#isListening || transport === undefined) return
    this.#isListening = true
    onMissedPackets(transport, (ssrc, numbers) => {
      for (const sender of this.#senders.values()) if (sender.ssrc === ssrc) sender.resend(numbers)
    })
  }
}

const SOURCE_OF = { audio: 'voice', video: 'camera' } as const
