/**
 * Plays the meeting's sound on the three audio paths of the client (docs/platform-notes/zoom.md#audio-paths). On the
 * WebRTC path each person has a separate stream, played by audio elements outside the tiles. On the WASM path there is
 * no stream to read at all.
 */
import type { ConnectionEvents } from '../../shared/page/connection.ts'
import { WorkletPlayer } from '../../shared/page/worklet-player.ts'
import type { Sound } from './context.ts'
import type { UiSettings } from './protocol.ts'

export class MeetingSound implements Sound {
  readonly events: ConnectionEvents
  private readonly playback: UiSettings['playback']
  private readonly workletPath: string
  private readonly player = new WorkletPlayer()
  private readonly elements = new Map<string, HTMLAudioElement>()
  private context: AudioContext | null = null
  private copied = false
  private isJoined = false

  constructor(playback: UiSettings['playback'], workletPath: string) {
    this.playback = playback
    this.workletPath = workletPath
    this.events = {
      track: (event) => this.onTrack(event),
      closed: () => this.stop(),
    }
  }

  /** There is no sound until audio is joined. */
  join(): void {
    this.isJoined = true
    for (const element of this.elements.values()) void element.play().catch(() => {}) // The meeting may be over by then.
    if (this.playback !== 'webrtc') void this.startContext()
  }

  /** Mixed sound for the WASM path: mono, 16-bit, 16 kHz. */
  playSamples(samples: ArrayBuffer): void {
    if (this.isJoined) this.player.play(samples)
  }

  private onTrack({ track, streams, receiver }: RTCTrackEvent): void {
    if (track.kind !== 'audio' || this.playback !== 'webrtc') return
    const stream = streams[0] ?? new MediaStream([track])
    const element = this.elements.get(stream.id) ?? new Audio()
    element.srcObject = stream
    this.elements.set(stream.id, element)
    if (this.isJoined) void element.play().catch(() => {}) // A line without a person may end before it begins.
    if (!this.copied && receiver) void this.makeCopy(track)
  }

  /** One sound goes through a second connection, as the echo canceller needs it: a copy, under a name without `CS`. */
  private async makeCopy(track: MediaStreamTrack): Promise<void> {
    this.copied = true
    await loopback(new MediaStream([track]), () => {})
  }

  private async startContext(): Promise<void> {
    if (this.context) return
    const context = new AudioContext({ latencyHint: 'interactive' })
    this.context = context
    void context.resume()
    if (this.playback === 'worklet') {
      await this.player.start(context, this.workletPath)
      return
    }
    const destination = context.createMediaStreamDestination()
    await this.player.start(context, this.workletPath, destination)
    await loopback(destination.stream, (stream) => {
      const audio = new Audio()
      audio.srcObject = stream
      this.elements.set(stream.id, audio)
      void audio.play().catch(() => {}) // As above.
    })
  }

  private stop(): void {
    for (const element of this.elements.values()) {
      element.pause()
      element.srcObject = null
    }
    this.elements.clear()
    this.player.stop()
    void this.context?.close()
    this.context = null
    this.copied = false
  }
}

/** Sends a stream to this page itself. */
async function loopback(stream: MediaStream, heard: (stream: MediaStream) => void): Promise<void> {
  const [from, to] = [new RTCPeerConnection(), new RTCPeerConnection()]
  from.addEventListener('icecandidate', ({ candidate }) => void to.addIceCandidate(candidate ?? undefined))
  to.addEventListener('icecandidate', ({ candidate }) => void from.addIceCandidate(candidate ?? undefined))
  to.addEventListener('track', ({ streams }) => heard(streams[0] ?? new MediaStream()))
  for (const track of stream.getTracks()) from.addTrack(track, stream)
  await from.setLocalDescription(await from.createOffer())
  await to.setRemoteDescription(from.localDescription!)
  await to.setLocalDescription(await to.createAnswer())
  await from.setRemoteDescription(to.localDescription!)
}
