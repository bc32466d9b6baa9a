/** The call's media as Google Meet's page has them: three paused audio elements, and one audible mix. */
import { Connection } from '../../shared/page/connection.ts'
import type { Devices } from '../../shared/page/devices.ts'
import { WorkletPlayer } from '../../shared/page/worklet-player.ts'
import type { FromPage, PageSettings } from './protocol.ts'

const AUDIO_RECEIVERS = 3
const VIDEO_RECEIVERS = { usual: 9, heavy: 17 }
const MESSAGES = 'meet_messages'

export class Media extends Connection {
  private readonly sounds: HTMLAudioElement[] = []
  private readonly mixer = new WorkletPlayer()

  constructor(settings: PageSettings, devices: Devices, say: (message: FromPage) => void) {
    const playsMix = settings.audio === 'worklet'
    let output: AudioContext | null = null
    super(
      {
        audioReceivers: playsMix ? 0 : AUDIO_RECEIVERS,
        videoReceivers: settings.heavy ? VIDEO_RECEIVERS.heavy : VIDEO_RECEIVERS.usual,
        channels: ['media-director', 'captions', MESSAGES],
      },
      devices,
      say,
      {
        opened: () => {
          output ??= new AudioContext({ latencyHint: 'interactive' })
          void output.resume()
          if (playsMix) void this.mixer.start(output, settings.workletPath)
        },
        receivesSound: (track) => this.addElement(track),
        track: ({ track, transceiver }) => {
          // The elements stay paused. The audible sound is one mix.
          if (track.kind !== 'audio' || transceiver.direction !== 'recvonly') return
          output?.createMediaStreamSource(new MediaStream([track])).connect(output.destination)
        },
        channel: (channel) => channel.addEventListener('message', () => {}), // The page's own view comes over its socket.
        closed: () => {
          for (const element of this.sounds.splice(0)) element.remove()
          this.mixer.stop()
          void output?.close()
          output = null
        },
      },
    )
  }

  /** One for each sound, there from the waiting room on. */
  private addElement(track: MediaStreamTrack): void {
    const element = document.createElement('audio')
    element.srcObject = new MediaStream([track])
    document.body.append(element)
    this.sounds.push(element)
  }

  /** Mixed sound of the call, where the page mixes itself. */
  playSamples(samples: ArrayBuffer): void {
    this.mixer.play(samples)
  }

  /** False if the channel for it is not open. */
  sendMessage(text: string): boolean {
    const channel = this.channel(MESSAGES)
    if (channel?.readyState !== 'open') return false
    channel.send(text)
    return true
  }
}
