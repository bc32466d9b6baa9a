/** The call's media: one connection, with a sound and pictures of every participant. */
import { Connection } from '../../shared/page/connection.ts'
import type { Devices } from '../../shared/page/devices.ts'
import { h } from '../../shared/page/dom.ts'
import type { FromPage } from './protocol.ts'

/** Streams are named after the one who sends them. */
const OWNER = /^([0-9a-f]{8})-audio-/

export interface Sound {
  endpoint: string
  track: MediaStreamTrack
  stream: MediaStream
}

export class Media extends Connection {
  /** One audio element for each sound. */
  readonly players = h('div', { id: 'remote-audio-tracks' })
  private readonly playing = new Map<MediaStreamTrack, { sound: Sound; player: HTMLAudioElement }>()
  private readonly streams = new WeakMap<MediaStreamTrack, MediaStream>()

  constructor(devices: Devices, say: (message: FromPage) => void) {
    // The number of participants decides the number of lines.
    super({ audioReceivers: 0, videoReceivers: 0, channels: ['JVB data channel'] }, devices, say, {
      track: (event) => {
        const [stream] = event.streams
        if (stream) this.streams.set(event.track, stream)
        if (event.track.kind === 'audio') this.play(event)
      },
      closed: () => {
        for (const track of [...this.playing.keys()]) this.remove(track)
      },
    })
  }

  get sounds(): Sound[] {
    return [...this.playing.values()].map(({ sound }) => sound)
  }

  /** The stream of a track. It stays the same object as long as the person has it. */
  streamOf(track: MediaStreamTrack): MediaStream {
    const known = this.streams.get(track)
    if (known) return known
    const made = new MediaStream([track])
    this.streams.set(track, made)
    return made
  }

  private play({ track, streams }: RTCTrackEvent): void {
    const stream = streams[0]
    const endpoint = stream && OWNER.exec(stream.id)?.[1]
    this.remove(track)
    if (!stream || !endpoint) return
    const player = h('audio', { id: `remoteAudio_${track.id}`, autoplay: true })
    player.srcObject = stream
    this.players.append(player)
    this.playing.set(track, { sound: { endpoint, track, stream }, player })
    stream.addEventListener('removetrack', (event) => this.remove(event.track))
    player.play().catch(() => {}) // Removed again before it began.
  }

  private remove(track: MediaStreamTrack): void {
    const known = this.playing.get(track)
    if (!known) return
    known.player.srcObject = null
    known.player.remove()
    this.playing.delete(track)
  }
}
