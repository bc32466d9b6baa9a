import { randomInt } from 'node:crypto'
import {
  type RTCDtlsTransport,
  type RTCRtpTransceiver,
  RtcpSenderInfo,
  RtcpSourceDescriptionPacket,
  RtcpSrPacket,
  RtpHeader,
  SourceDescriptionChunk,
  SourceDescriptionItem,
} from 'werift'

/** A path of 1200 bytes and more carries this with all headers, as browsers assume too. */
const MAX_PAYLOAD_BYTES = 1100
const HISTORY_PACKETS = 512
const REPORT_INTERVAL_MS = 1000
/** Seconds from the NTP epoch (1900) to the Unix epoch. */
const NTP_UNIX_SECONDS = 2_208_988_800

export interface RoomClock {
  /** Milliseconds since the room began; never jumps. */
  now(): number
  /** The UTC instant (ms) of a room time. */
  utc(roomMs: number): number
}

/**
 * One outgoing RTP stream. Its timestamps follow the room clock and its sender reports say so, which is what lets the
 * receiver put sound and picture of one instant together. werift's own sender is passed by because it reports the
 * time of sending instead.
 */
export class RtpSender {
  readonly ssrc: number
  readonly #transceiver: RTCRtpTransceiver
  readonly #clockRate: number
  readonly #clock: RoomClock
  readonly #cname: string
  readonly #loss: number
  readonly #timestampBase = randomInt(2 ** 32)
  #sequence = randomInt(2 ** 15)
  #packets = 0
  #bytes = 0
  #lastReportAt = Number.NEGATIVE_INFINITY
  readonly #history: { header: RtpHeader; payload: Buffer }[] = []

  /**
   * @param loss share of packets (0 to 1) that are numbered but never sent, as a bad network would have it
   * @param ssrc as the page's session description has it
   */
  constructor(
    transceiver: RTCRtpTransceiver,
    cname: string,
    clock: RoomClock,
    loss: number,
    ssrc: number = transceiver.sender.ssrc,
  ) {
    this.#transceiver = transceiver
    this.#clockRate = transceiver.kind === 'audio' ? 48_000 : 90_000
    this.#cname = cname
    this.#clock = clock
    this.#loss = loss
    this.ssrc = ssrc
  }

  get isReady(): boolean {
    return this.#transport?.state === 'connected' && this.#payloadType !== undefined
  }

  /** Sends one Opus frame that begins at this room time. */
  sendOpus(
    frame: Buffer,
    roomMs: number,
    options: { owner: string | null; csrcs: readonly number[]; level: number; begins: boolean },
  ): void {
    const isVoice = options.owner !== null || options.csrcs.length > 0
    this.#send(frame, roomMs, {
      marker: options.begins,
      csrc: [...options.csrcs],
      extensions: this.#levelExtension(options.level, isVoice),
    })
  }

  #levelExtension(level: number, isVoice: boolean): { id: number; payload: Buffer }[] {
    const id = this.#transceiver.headerExtensions.find((extension) => extension.uri.endsWith(':ssrc-audio-level'))?.id
    // RFC 6464: the highest bit means that the sender holds this sound to be voice.
    const voice = isVoice && level < 127 ? 0x80 : 0
    return id === undefined ? [] : [{ id, payload: Buffer.from([voice | level]) }]
  }

  /** Sends one VP8 frame that is to be shown at this room time, cut into packets (RFC 7741, shortest descriptor). */
  sendVp8(frame: Buffer, roomMs: number): void {
    for (let start = 0; start < frame.length; start += MAX_PAYLOAD_BYTES) {
      const part = frame.subarray(start, start + MAX_PAYLOAD_BYTES)
      const payload = Buffer.concat([Buffer.from([start === 0 ? 0x10 : 0]), part])
      this.#send(payload, roomMs, { marker: start + MAX_PAYLOAD_BYTES >= frame.length })
    }
  }

  /** Sends the packets again that the receiver missed and that are still remembered. */
  resend(sequenceNumbers: readonly number[]): void {
    for (const number of sequenceNumbers) {
      const kept = this.#history[number % HISTORY_PACKETS]
      if (kept?.header.sequenceNumber === number) this.#transmit(kept)
    }
  }

  get #transport(): RTCDtlsTransport | undefined {
    return this.#transceiver.dtlsTransport
  }

  get #payloadType(): number | undefined {
    return this.#transceiver.codecs[0]?.payloadType
  }

  #send(payload: Buffer, roomMs: number, fields: Pick<RtpHeader, 'marker'> & Partial<RtpHeader>): void {
    if (!this.isReady) return
    this.#report()
    this.#put(payload, { ...fields, sequenceNumber: this.#sequence, timestamp: this.#timestamp(roomMs) })
    this.#sequence = (this.#sequence + 1) % 2 ** 16
  }

  #put(payload: Buffer, fields: Partial<RtpHeader>): void {
    const header = new RtpHeader({
      payloadType: this.#payloadType!,
      ssrc: this.ssrc,
      csrcLength: fields.csrc?.length ?? 0,
      ...fields,
    })
    this.#packets++
    this.#bytes += payload.length
    const packet = { header, payload }
    this.#history[header.sequenceNumber % HISTORY_PACKETS] = packet
    this.#transmit(packet)
  }

  #transmit({ header, payload }: { header: RtpHeader; payload: Buffer }): void {
    if (this.#loss > 0 && Math.random() < this.#loss) return
    // It never rejects: werift counts an unsendable packet as lost.
    void this.#transport?.sendRtp(payload, header)
  }

  #timestamp(roomMs: number): number {
    return (this.#timestampBase + Math.round((roomMs * this.#clockRate) / 1000)) % 2 ** 32
  }

  #report(): void {
    const now = this.#clock.now()
    if (now - this.#lastReportAt < REPORT_INTERVAL_MS) return
    this.#lastReportAt = now
    const report = new RtcpSrPacket({
      ssrc: this.ssrc,
      senderInfo: new RtcpSenderInfo({
        ntpTimestamp: ntpTime(this.#clock.utc(now)),
        rtpTimestamp: this.#timestamp(now),
        packetCount: this.#packets,
        octetCount: this.#bytes % 2 ** 32,
      }),
    })
    const names = new RtcpSourceDescriptionPacket({
      chunks: [
        new SourceDescriptionChunk({
          source: this.ssrc,
          items: [new SourceDescriptionItem({ type: 1, text: this.#cname })],
        }),
      ],
    })
    // The next report replaces one that cannot be sent.
    this.#transport?.sendRtcp([report, names]).catch(() => {})
  }
}

/** 32 bits of seconds and 32 of fraction. */
function ntpTime(utcMs: number): bigint {
  const seconds = Math.floor(utcMs / 1000)
  const fraction = Math.floor(((utcMs / 1000) % 1) * 2 ** 32)
  return (BigInt(seconds + NTP_UNIX_SECONDS) << 32n) | BigInt(fraction)
}
