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
  private readonly mixer: WorkletPlayer
  private readonly workletPath: string
  private readonly tell: (message: FromPage) => void
  private output: AudioContext | null = null

  constructor(settings: PageSettings, devices: Devices, say: (message: FromPage) => void) {
    const { audio } = settings
    const takesFrames = 'createEncodedStreams' in RTCRtpReceiver.prototype || 'RTCRtpScriptTransform' in globalThis
    const decodes = audio === 'own-decoder' || (audio === 'encoded-frames' && takesFrames)
    super(
      {
        audioReceivers: audio === 'worklet' ? 0 : AUDIO_RECEIVERS,
        videoReceivers: settings.heavy ? VIDEO_RECEIVERS.heavy : VIDEO_RECEIVERS.usual,
        channels: ['media-director', 'captions', MESSAGES],
      },
      devices,
      say,
      {
        opened: () => {
          this.output ??= new AudioContext({ latencyHint: 'interactive' })
          void this.output.resume()
          if (audio === 'worklet') void this.mixer.start(this.output, settings.workletPath)
          else if (decodes) void this.decode(true)
        },
        receivesSound: (track) => this.addElement(track),
        track: ({ track, transceiver }) => {
          // The elements stay paused. The audible sound is one mix.
          if (track.kind !== 'audio' || transceiver.direction !== 'recvonly') return
          this.output?.createMediaStreamSource(new MediaStream([track])).connect(this.output.destination)
        },
        channel: (channel) => channel.addEventListener('message', () => {}), // The page's own view comes over its socket.
        closed: () => {
          for (const element of this.sounds.splice(0)) element.remove()
          this.mixer.stop()
          void this.output?.close()
          this.output = null
        },
      },
    )
    this.mixer = new WorkletPlayer(audio === 'worklet' ? 'mixer' : 'neteq-processor')
    this.workletPath = settings.workletPath
    this.tell = say
  }

  /** A worklet decodes and mixes the sound, or the browser decodes it again. */
  async decode(own: boolean): Promise<void> {
    if (own && this.output) await this.mixer.start(this.output, this.workletPath)
    else this.mixer.stop()
    this.tell({ say: 'decodes', own })
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
