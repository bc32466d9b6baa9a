import { type MediaStreamTrack, type RTCRtpTransceiver, RTP_EXTENSION_URI, type RtpPacket, Vp8RtpPayload } from 'werift'
import { isVp8KeyFrame, type Vp8Frame, vp8Size, writeIvf } from './containers.ts'

/** How much of the page's camera is kept. */
const KEPT_VIDEO_MS = 10_000
const MAX_KEPT_FRAMES = 2000
/** Packets of the microphone: ten seconds. */
const KEPT_VOICE = 500
/** A key frame is asked for this often, so that what is kept can be cut without loss. */
const KEY_FRAME_REQUEST_MS = 4000
/** A copy of the camera of which no whole picture came for so long, while others came, is no longer sent. */
const GIVEN_UP_MS = 3000
/** The microphone counts as silent after this long without sound. */
const SILENCE_WINDOW_MS = 2000
/** RFC 6464 level (-dBov) from which on a packet counts as silent; a muted Chromium sends 127. */
const SILENT_FROM_LEVEL = 80

export interface SentByPage {
  audioPackets: number
  videoPackets: number
  /** null while no microphone packets come, or when they carry no level */
  audioIsSilent: boolean | null
}

/** Media that the page under test sends into the meeting. Counts its packets and keeps the last seconds of its camera. */
export class ReceivedMedia {
  #audioPackets = 0
  #videoPackets = 0
  #lastLevelAt = Number.NEGATIVE_INFINITY
  #lastSoundAt = Number.NEGATIVE_INFINITY
  readonly #pictures: { line: RTCRtpTransceiver; keeper: CameraKeeper }[] = []
  /** The `mid` of lines that carry a shared screen. */
  readonly screenLines = new Set<string>()
  #voice: { opus: Buffer; at: number }[] = []

  add(track: MediaStreamTrack, line: RTCRtpTransceiver): void {
    if (track.kind === 'audio') {
      track.onReceiveRtp.subscribe((packet, extensions) => {
        const reported: unknown = extensions?.[RTP_EXTENSION_URI.audioLevelIndication]
        this.#addAudio(packet, isLevel(reported) ? reported.level : undefined)
      })
    } else {
      const camera = new CameraKeeper((ssrc) => void line.receiver.sendRtcpPLI(ssrc))
      this.#pictures.push({ line, keeper: camera })
      track.onReceiveRtp.subscribe((packet) => {
        this.#videoPackets++
        camera.add(packet)
      })
    }
  }

  summary(): SentByPage {
    const now = performance.now()
    const isHeard = now - this.#lastLevelAt < SILENCE_WINDOW_MS
    return {
      audioPackets: this.#audioPackets,
      videoPackets: this.#videoPackets,
      audioIsSilent: isHeard ? now - this.#lastSoundAt >= SILENCE_WINDOW_MS : null,
    }
  }

  /** The last seconds of the camera, or of the shared screen, as IVF with VP8; null before the first whole picture. */
  camera(ofScreen?: boolean): Buffer | null {
    return this.#best(ofScreen)?.toIvf() ?? null
  }

  #best(ofScreen = false): CameraKeeper | undefined {
    const keepers = this.#pictures
      .filter(({ line }) => this.screenLines.has(line.mid ?? '') === ofScreen)
      .map(({ keeper }) => keeper)
    // With simulcast several copies come; the largest is the one a person would look at. A page in need gives it up.
    const newestAt = Math.max(...keepers.map(({ lastFrameAt }) => lastFrameAt))
    return keepers
      .filter(({ width, lastFrameAt }) => width > 0 && newestAt - lastFrameAt < GIVEN_UP_MS)
      .sort((a, b) => b.width - a.width)[0]
  }

  /** The last seconds of the microphone: packets of Opus, with when they came (milliseconds of `performance.now`). */
  voice(): readonly { opus: Uint8Array; at: number }[] {
    return this.#voice
  }

  /** When the pictures of `camera` came, in milliseconds of `performance.now`. */
  cameraTimes(): number[] {
    return this.#best()?.times() ?? []
  }

  #addAudio(packet: RtpPacket, level: number | undefined): void {
    if (packet.payload.length === 0) return
    this.#audioPackets++
    this.#voice.push({ opus: Buffer.from(packet.payload), at: performance.now() })
    if (this.#voice.length > KEPT_VOICE) this.#voice.shift()
    if (level !== undefined) {
      const now = performance.now()
      this.#lastLevelAt = now
      if (level < SILENT_FROM_LEVEL) this.#lastSoundAt = now
    }
  }
}

function isLevel(value: unknown): value is { level: number } {
  return typeof value === 'object' && value !== null && 'level' in value && typeof value.level === 'number'
}

/** Puts VP8 frames together and keeps the last seconds of whole pictures of one size, beginning with a key frame. */
class CameraKeeper {
  width = 0
  lastFrameAt = Number.NEGATIVE_INFINITY
  #height = 0
  readonly #requestKeyFrame: (ssrc: number) => void
  #lastRequestAt = Number.NEGATIVE_INFINITY
  #parts: Buffer[] = []
  #lastSequence: number | null = null
  #isBroken = true
  #ticks = 0
  #lastTimestamp: number | null = null
  #frames: (Vp8Frame & { isKey: boolean; at: number })[] = []

  constructor(requestKeyFrame: (ssrc: number) => void) {
    this.#requestKeyFrame = requestKeyFrame
  }

  add(packet: RtpPacket): void {
    const { sequenceNumber, marker, timestamp, ssrc } = packet.header
    const now = performance.now()
    if (now - this.#lastRequestAt > KEY_FRAME_REQUEST_MS) {
      this.#lastRequestAt = now
      this.#requestKeyFrame(ssrc)
    }
    // Chromium probes the network with packets that hold padding only.
    if (packet.payload.length === 0) {
      this.#lastSequence = sequenceNumber
      return
    }
    const isNext = this.#lastSequence === null || sequenceNumber === (this.#lastSequence + 1) % 2 ** 16
    this.#lastSequence = sequenceNumber
    if (!isNext) this.#breakOff()
    let part: Vp8RtpPayload
    try {
      part = Vp8RtpPayload.deSerialize(packet.payload)
    } catch {
      // A packet cut short by the sender spoils its frame and those that build on it.
      this.#breakOff()
      return
    }
    // A frame whose beginning was lost cannot be put together.
    if (this.#parts.length === 0 && (part.sBit !== 1 || part.pid !== 0)) return
    this.#parts.push(Buffer.from(part.payload))
    if (!marker) return
    this.#addFrame(Buffer.concat(this.#parts), timestamp, now)
    this.#parts = []
  }

  times(): number[] {
    return this.#frames.map(({ at }) => at)
  }

  toIvf(): Buffer | null {
    if (this.#frames.length === 0) return null
    const start = this.#frames[0]!.timestamp
    const frames = this.#frames.map(({ data, timestamp }) => ({
      data,
      timestamp: Math.round((timestamp - start) / 90),
    }))
    // In milliseconds: some readers take a fine time base for a frame rate.
    return writeIvf(frames, this.width, this.#height, 1000)
  }

  #breakOff(): void {
    this.#parts = []
    this.#isBroken = true
    this.#lastRequestAt = Number.NEGATIVE_INFINITY
  }

  #addFrame(data: Buffer, timestamp: number, at: number): void {
    this.#ticks += this.#lastTimestamp === null ? 0 : (timestamp - this.#lastTimestamp + 2 ** 32) % 2 ** 32
    this.#lastTimestamp = timestamp
    const isKey = isVp8KeyFrame(data)
    if (isKey) {
      this.#isBroken = false
      const { width, height } = vp8Size(data)
      if (width !== this.width || height !== this.#height) this.#frames = []
      this.width = width
      this.#height = height
      const keep = this.#frames.findLastIndex((frame) => frame.isKey && at - frame.at > KEPT_VIDEO_MS)
      if (keep > 0) this.#frames.splice(0, keep)
    }
    if (this.#isBroken) return
    this.lastFrameAt = at
    this.#frames.push({ data, timestamp: this.#ticks, isKey, at })
    // A page that never answers the request for a key frame must not fill the memory.
    if (this.#frames.length > MAX_KEPT_FRAMES) {
      this.#frames = []
      this.#isBroken = true
    }
  }
}
