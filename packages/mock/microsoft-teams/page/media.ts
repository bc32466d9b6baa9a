/** The call's media as Teams' page has them: one mixed sound, some slots for pictures, and the main channel. */
import { Connection } from '../../shared/page/connection.ts'
import type { Devices } from '../../shared/page/devices.ts'
import type { SharedToPage, Slot } from '../../shared/page/protocol.ts'
import type { FromPage, PagePerson, PageSettings } from './protocol.ts'
import { sourceOf } from './tiles.ts'

const MAIN_CHANNEL = 'main-channel'
const PREFIX_BYTES = 8
const FORMAT = { 'max-fs': 920, 'max-mbps': 33_750, 'max-fps': 3000, 'profile-level-id': '64001f' }

/** Requests the pictures of these slots; a freed one is asked for with source -1. */
class VideoRequests {
  private readonly connection: Connection
  private readonly sent = new Map<string, number>()
  private sequenceNumber = 0

  constructor(connection: Connection) {
    this.connection = connection
  }

  request(slots: readonly Slot[], people: readonly PagePerson[]): void {
    const channel = this.connection.channel(MAIN_CHANNEL)
    if (channel?.readyState !== 'open') {
      this.sent.clear()
      channel?.addEventListener('open', () => this.request(slots, people), { once: true })
      return
    }
    const wanted = new Map(slots.map(({ mid, source }) => [mid, sourceIdOf(source, people)]))
    for (const mid of this.sent.keys()) if (!wanted.has(mid)) wanted.set(mid, -1)
    for (const [mid, sourceId] of wanted) {
      if (this.sent.get(mid) === sourceId) continue
      this.sent.set(mid, sourceId)
      // The stream's number follows from the line, see the answer's `x-source-streamid`.
      const controlInfo = { sourceId, streamMsid: 1000 + Number(mid), fmtParams: [FORMAT] }
      const controlVideoStreaming = { sequenceNumber: ++this.sequenceNumber, controlInfo }
      channel.send(framed([{ type: 'sr', controlVideoStreaming }]))
    }
  }
}

function sourceIdOf(source: string, people: readonly PagePerson[]): number {
  for (const { mri, videoSource, shareSource } of people) {
    if (source === sourceOf(mri, 'Video')) return videoSource
    if (source === sourceOf(mri, 'ScreenSharing')) return shareSource
  }
  return -1
}

/** Some bytes that mean nothing here, then JSON. */
function framed(message: unknown): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(message))
  const bytes = new Uint8Array(PREFIX_BYTES + json.length)
  crypto.getRandomValues(bytes.subarray(0, PREFIX_BYTES))
  bytes.set(json, PREFIX_BYTES)
  return bytes
}

const VIDEO_SLOTS = 9

export class Media extends Connection {
  private readonly sounds: HTMLAudioElement[] = []
  private readonly requests: VideoRequests
  private diagnostics: RTCPeerConnection | null = null
  private people: PagePerson[] = []
  private slotsNow: Slot[] = []

  constructor(settings: PageSettings, devices: Devices, say: (message: FromPage) => void) {
    super(
      { audioReceivers: settings.redundantAudio ? 2 : 1, videoReceivers: VIDEO_SLOTS, channels: [MAIN_CHANNEL] },
      devices,
      say,
      {
        opened: () => {
          this.diagnostics = startDiagnostics()
        },
        track: ({ track, streams, transceiver }) => {
          if (track.kind === 'audio' && transceiver.direction === 'recvonly')
            this.play(streams[0] ?? new MediaStream([track]))
        },
        closed: () => {
          this.diagnostics?.close()
          for (const element of this.sounds.splice(0)) element.remove()
        },
      },
    )
    this.requests = new VideoRequests(this)
  }

  /** The roster by which pictures are asked for. */
  know(people: PagePerson[]): void {
    this.people = people
    this.requests.request(this.slotsNow, people)
  }

  override obey(message: SharedToPage | { do: string }): boolean {
    const isMine = super.obey(message)
    const shared = message as SharedToPage
    if (shared.do === 'slots') {
      this.slotsNow = shared.slots
      this.requests.request(shared.slots, this.people)
    }
    return isMine
  }

  private play(stream: MediaStream): void {
    const element = document.createElement('audio')
    element.srcObject = stream
    document.body.append(element)
    element.play().catch(() => {}) // Removed from the page before it began to play.
    this.sounds.push(element)
  }
}

/**
 * A connection that carries nothing: real pages have some beside the call's own
 * (docs/platform-notes/microsoft-teams.md#connections-and-sound).
 */
function startDiagnostics(): RTCPeerConnection {
  const peer = new window.RTCPeerConnection()
  peer.createDataChannel('diagnostics')
  void peer
    .createOffer()
    .then((offer) => peer.setLocalDescription(offer))
    .catch(() => {}) // Closed by the page that is going away.
  return peer
}
