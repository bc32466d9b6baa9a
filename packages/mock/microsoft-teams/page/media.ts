/** The call's media as Teams' page has them: one mixed sound, some slots for pictures, and the main channel. */
import { Connection } from '../../shared/page/connection.ts'
import type { Devices } from '../../shared/page/devices.ts'
import type { SharedToPage, Slot } from '../../shared/page/protocol.ts'
import { MAIN_CHANNEL, VideoRequests } from './main-channel.ts'
import type { FromPage, PagePerson, PageSettings } from './protocol.ts'

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
