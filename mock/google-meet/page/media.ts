/**
 * The page's side of the call's media: one peer connection made from the waiting room on, three receive-only sound
 * tracks, video tracks that are given to tiles, the page's own camera and microphone, and the data channels.
 */
import type { Devices } from './devices.ts'
import type { FromPage, PageSettings, Slot } from './protocol.ts'

const AUDIO_RECEIVERS = 3
const VIDEO_RECEIVERS = 9

export class Media {
  private readonly settings: PageSettings
  private readonly devices: Devices
  private readonly say: (message: FromPage) => void
  private connection: RTCPeerConnection | null = null
  private messages: RTCDataChannel | null = null
  private senders: { microphone: RTCRtpSender; camera: RTCRtpSender } | null = null
  private offers = 0
  private slots: Slot[] = []
  private readonly sounds: HTMLAudioElement[] = []
  private output: AudioContext | null = null
  private worklet: AudioWorkletNode | null = null
  private readonly watchers = new Set<() => void>()

  constructor(settings: PageSettings, devices: Devices, say: (message: FromPage) => void) {
    this.settings = settings
    this.devices = devices
    this.say = say
    devices.watch(() => this.sendDevices())
  }

  /** Repeatable: the waiting room and the call share one connection. */
  start(): void {
    if (this.connection) return
    this.connect().catch((error: unknown) => {
      const detail = error instanceof Error ? error.message : String(error)
      console.error(`Couldn't start the video call because of an error: ${detail}`)
      this.say({ say: 'log', event: 'rpc', target: 'media-failed', detail })
    })
  }

  private async connect(): Promise<void> {
    // As the real client does: the global constructor of this moment, its statics and its prototype.
    const Peer = window.RTCPeerConnection
    const certificate = await Peer.generateCertificate({ name: 'ECDSA', namedCurve: 'P-256' } as EcKeyGenParams)
    const connection = new Peer({ certificates: [certificate], bundlePolicy: 'max-bundle', iceServers: [] })
    if (!(connection instanceof Peer) || !Peer.prototype.getReceivers.call(connection)) {
      throw new TypeError('RTCPeerConnection was replaced by something else')
    }
    this.connection = connection
    this.output ??= new AudioContext({ latencyHint: 'interactive' })
    connection.addEventListener('track', (event) => this.onTrack(event))
    connection.addEventListener('datachannel', ({ channel }) => {
      channel.binaryType = 'arraybuffer'
      channel.addEventListener('message', () => {}) // The page's own view comes over its socket.
    })
    for (const label of ['media-director', 'captions']) connection.createDataChannel(label)
    this.messages = connection.createDataChannel('meet_messages')
    if (this.settings.audio === 'elements') {
      for (let index = 0; index < AUDIO_RECEIVERS; index++) {
        const { receiver } = connection.addTransceiver('audio', { direction: 'recvonly' })
        this.addElement(receiver.track)
      }
    }
    this.senders = {
      microphone: connection.addTransceiver('audio', { direction: 'sendonly' }).sender,
      camera: connection.addTransceiver('video', { direction: 'sendonly' }).sender,
    }
    this.sendDevices()
    for (let index = 0; index < VIDEO_RECEIVERS; index++) connection.addTransceiver('video', { direction: 'recvonly' })
    const offer = await connection.createOffer()
    await connection.setLocalDescription(offer)
    await gathered(connection)
    this.offers++
    this.say({ say: 'offer', offer: this.offers, sdp: connection.localDescription?.sdp ?? '' })
    await this.startSound()
  }

  async answer(offer: number, sdp: string): Promise<void> {
    if (offer !== this.offers || !this.connection) return
    await this.connection.setRemoteDescription({ type: 'answer', sdp })
    this.changed()
  }

  private onTrack({ track, transceiver }: RTCTrackEvent): void {
    if (track.kind === 'audio' && transceiver.direction === 'recvonly') {
      // The elements stay paused; what is heard goes through one mix.
      this.output?.createMediaStreamSource(new MediaStream([track])).connect(this.output.destination)
    }
    if (track.kind === 'video') this.changed()
  }

  /** One for each sound, there from the waiting room on. */
  private addElement(track: MediaStreamTrack): void {
    const element = document.createElement('audio')
    element.srcObject = new MediaStream([track])
    document.body.append(element)
    this.sounds.push(element)
  }

  private async startSound(): Promise<void> {
    if (!this.output) return
    void this.output.resume()
    if (this.settings.audio !== 'worklet' || this.worklet) return
    await this.output.audioWorklet.addModule(this.settings.workletPath)
    this.worklet = new AudioWorkletNode(this.output, 'mixer', { numberOfInputs: 0, outputChannelCount: [1] })
    this.worklet.connect(this.output.destination)
  }

  /** Mixed sound of the call, mono 16-bit samples, where the page mixes itself. */
  playSamples(samples: ArrayBuffer): void {
    this.worklet?.port.postMessage(samples, [samples])
  }

  setSlots(slots: Slot[]): void {
    this.slots = slots
    this.changed()
  }

  /** The picture of a device (or of a presentation), while there is one. */
  pictureOf(device: string): MediaStreamTrack | null {
    const mid = this.slots.find((slot) => slot.device === device)?.mid
    if (mid === undefined || !this.connection) return null
    return this.connection.getTransceivers().find((transceiver) => transceiver.mid === mid)?.receiver.track ?? null
  }

  watch(callback: () => void): () => void {
    this.watchers.add(callback)
    return () => this.watchers.delete(callback)
  }

  /** False where the channel for it is not open. */
  sendMessage(text: string): boolean {
    if (this.messages?.readyState !== 'open') return false
    this.messages.send(text)
    return true
  }

  private sendDevices(): void {
    void this.senders?.microphone.replaceTrack(this.devices.track('microphone'))
    void this.senders?.camera.replaceTrack(this.devices.track('camera'))
    this.say({ say: 'devices', microphone: this.devices.isOn('microphone'), camera: this.devices.isOn('camera') })
  }

  /** Ends the connection, as the loss of the network or the end of the call does. */
  stop(): void {
    this.connection?.close()
    this.connection = null
    this.senders = null
    this.messages = null
    this.slots = []
    for (const element of this.sounds.splice(0)) element.remove()
    void this.output?.close()
    this.output = null
    this.worklet = null
    this.changed()
  }

  private changed(): void {
    for (const watcher of this.watchers) watcher()
  }
}

function gathered(connection: RTCPeerConnection): Promise<void> {
  if (connection.iceGatheringState === 'complete') return Promise.resolve()
  return new Promise((resolve) => {
    // Some networks never report the end of gathering; what was found by then is enough for a peer on this machine.
    const timer = setTimeout(resolve, 1500)
    connection.addEventListener('icegatheringstatechange', () => {
      if (connection.iceGatheringState !== 'complete') return
      clearTimeout(timer)
      resolve()
    })
  })
}
