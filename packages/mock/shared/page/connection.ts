/**
 * The page's side of a call's media: one peer connection that offers, tracks that are given to tiles, the page's own
 * camera and microphone, and data channels.
 */
import type { Devices } from './devices.ts'
import { OwnScreen } from './own-screen.ts'
import type { SharedFromPage, SharedToPage, Slot } from './protocol.ts'

export interface ConnectionPlan {
  /** Lines to receive on from the start, sounds before the page's own devices and pictures after them. */
  audioReceivers: number
  videoReceivers: number
  /** Data channels that the page opens. */
  channels: readonly string[]
}

/** Hooks of a platform into its connection. */
export interface ConnectionEvents {
  /** A connection was made, before anything is in it. */
  opened?(connection: RTCPeerConnection): void
  /** A line to receive sound on was made. */
  receivesSound?(track: MediaStreamTrack): void
  track?(event: RTCTrackEvent): void
  /** A data channel that the server opened. */
  channel?(channel: RTCDataChannel): void
  closed?(): void
}

/**
 * Some networks never report the end of gathering. The candidates of this time are enough for a peer on this machine.
 */
const MAX_GATHERING_MS = 1500

export class Connection {
  private readonly plan: ConnectionPlan
  private readonly devices: Devices
  private readonly say: (message: SharedFromPage) => void
  private readonly events: ConnectionEvents
  private peer: RTCPeerConnection | null = null
  private readonly channels = new Map<string, RTCDataChannel>()
  readonly screen = new OwnScreen()
  private screenLine: RTCRtpTransceiver | null = null
  private senders: { microphone: RTCRtpSender; camera: RTCRtpSender } | null = null
  private offers = 0
  /** Whether an offer waits for its answer, and whether another one is to follow. */
  private offering: 'no' | 'yes' | 'again' = 'no'
  private slots: Slot[] = []
  private readonly watchers = new Set<() => void>()

  constructor(
    plan: ConnectionPlan,
    devices: Devices,
    say: (message: SharedFromPage) => void,
    events: ConnectionEvents = {},
  ) {
    this.plan = plan
    this.devices = devices
    this.say = say
    this.events = events
    devices.watch(() => this.sendDevices())
    this.screen.watch(() => this.sendScreen())
  }

  /** Repeatable: the waiting room and the call share one connection. */
  start(): void {
    if (this.peer) return
    this.attempt(() => this.connect())
  }

  private attempt(act: () => Promise<void>): void {
    act().catch((error: unknown) => {
      const detail = error instanceof Error ? error.message : String(error)
      console.error(`Couldn't start the video call because of an error: ${detail}`)
      this.say({ say: 'log', event: 'rpc', target: 'media-failed', detail })
    })
  }

  private async connect(): Promise<void> {
    // As real clients do: the global constructor of this moment, its statics and its prototype.
    const Peer = window.RTCPeerConnection
    const certificate = await Peer.generateCertificate({ name: 'ECDSA', namedCurve: 'P-256' } as EcKeyGenParams)
    const peer = new Peer({ certificates: [certificate], bundlePolicy: 'max-bundle', iceServers: [] })
    if (!(peer instanceof Peer) || !Peer.prototype.getReceivers.call(peer)) {
      throw new TypeError('RTCPeerConnection was replaced by something else')
    }
    this.peer = peer
    this.events.opened?.(peer)
    peer.addEventListener('track', (event) => {
      this.events.track?.(event)
      if (event.track.kind === 'video') this.changed()
    })
    peer.addEventListener('datachannel', ({ channel }) => {
      channel.binaryType = 'arraybuffer'
      this.events.channel?.(channel)
    })
    for (const label of this.plan.channels) {
      const channel = peer.createDataChannel(label)
      channel.binaryType = 'arraybuffer'
      this.channels.set(label, channel)
    }
    this.receive('audio', this.plan.audioReceivers)
    this.senders = {
      microphone: peer.addTransceiver('audio', { direction: 'sendonly' }).sender,
      camera: peer.addTransceiver('video', { direction: 'sendonly' }).sender,
    }
    this.sendDevices()
    this.receive('video', this.plan.videoReceivers)
    const { track } = this.screen
    if (track) this.screenLine = peer.addTransceiver(track, { direction: 'sendonly' })
    await this.offer(peer, false)
  }

  /** Adds lines until there are this many to receive on. */
  private receive(kind: 'audio' | 'video', wanted: number): void {
    const receiving = this.peer
      ?.getTransceivers()
      .filter(({ direction, receiver }) => direction === 'recvonly' && receiver.track.kind === kind)
    for (let count = receiving?.length ?? wanted; count < wanted; count++) {
      const made = this.peer?.addTransceiver(kind, { direction: 'recvonly' })
      if (made && kind === 'audio') this.events.receivesSound?.(made.receiver.track)
    }
  }

  private async offer(peer: RTCPeerConnection, again: boolean): Promise<void> {
    this.offering = 'yes'
    await peer.setLocalDescription(await peer.createOffer())
    await gathered(peer)
    this.offers++
    this.saysScreen()
    this.say({ say: 'offer', offer: this.offers, sdp: peer.localDescription?.sdp ?? '', again })
  }

  /** Offers again with at least this many lines to receive on, now or after the answer that is still to come. */
  renegotiate(audio: number, video: number): void {
    const { peer } = this
    if (!peer) return
    this.receive('audio', audio)
    this.receive('video', video)
    if (this.offering !== 'no') this.offering = 'again'
    else this.attempt(() => this.offer(peer, true))
  }

  private async answer(offer: number, sdp: string): Promise<void> {
    const { peer } = this
    if (offer !== this.offers || !peer) return
    await peer.setRemoteDescription({ type: 'answer', sdp })
    this.changed()
    const isWanted = this.offering === 'again'
    this.offering = 'no'
    if (isWanted) await this.offer(peer, true)
  }

  /** Handles the server's messages about media. Returns false for other messages. */
  obey(message: SharedToPage | { do: string }): boolean {
    const shared = message as SharedToPage
    if (shared.do === 'answer') this.attempt(() => this.answer(shared.offer, shared.sdp))
    else if (shared.do === 'slots') {
      this.slots = shared.slots
      this.changed()
    } else if (shared.do === 'renegotiate') this.renegotiate(shared.audio, shared.video)
    else if (shared.do === 'stopMedia') this.stop()
    else if (shared.do === 'restartMedia') this.start()
    else if (shared.do === 'allowScreen') this.screen.allow(shared.isAllowed)
    else if (shared.do === 'stopScreen') this.screen.stop()
    else return false
    return true
  }

  /** The picture of a source, while there is one. */
  pictureOf(source: string): MediaStreamTrack | null {
    const mid = this.slots.find((slot) => slot.source === source)?.mid
    if (mid === undefined || !this.peer) return null
    return this.peer.getTransceivers().find((transceiver) => transceiver.mid === mid)?.receiver.track ?? null
  }

  /** Asks for pictures of these heights (pixels by source). */
  askFor(heights: ReadonlyMap<string, number>): void {
    const sizes = this.slots.map(({ mid, source }) => ({ mid, height: heights.get(source) ?? 0 }))
    this.say({ say: 'sizes', sizes })
  }

  /** Calls back after every change of pictures. */
  watch(callback: () => void): () => void {
    this.watchers.add(callback)
    return () => this.watchers.delete(callback)
  }

  /** A channel that the page opened; null before the connection and after it. */
  channel(label: string): RTCDataChannel | null {
    return this.channels.get(label) ?? null
  }

  private sendDevices(): void {
    void this.senders?.microphone.replaceTrack(this.devices.track('microphone'))
    void this.senders?.camera.replaceTrack(this.devices.track('camera'))
    this.say({ say: 'devices', microphone: this.devices.isOn('microphone'), camera: this.devices.isOn('camera') })
  }

  /** The first screen adds a line; a later one takes it. */
  private sendScreen(): void {
    const { track } = this.screen
    if (track && this.peer && !this.screenLine) {
      this.screenLine = this.peer.addTransceiver(track, { direction: 'sendonly' })
      this.renegotiate(0, 0)
    } else void this.screenLine?.sender.replaceTrack(track)
    this.saysScreen()
  }

  /** A new line has its name once it is offered. */
  private saysScreen(): void {
    if (this.screenLine) this.say({ say: 'screen', mid: this.screen.track && this.screenLine.mid })
  }

  /** Ends the connection, as the loss of the network or the end of the call does. */
  stop(): void {
    this.peer?.close()
    this.peer = null
    this.senders = null
    this.screenLine = null
    this.channels.clear()
    this.offering = 'no'
    this.slots = []
    this.events.closed?.()
    this.changed()
  }

  private changed(): void {
    for (const watcher of this.watchers) watcher()
  }
}

function gathered(peer: RTCPeerConnection): Promise<void> {
  if (peer.iceGatheringState === 'complete') return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_GATHERING_MS)
    peer.addEventListener('icegatheringstatechange', () => {
      if (peer.iceGatheringState !== 'complete') return
      clearTimeout(timer)
      resolve()
    })
  })
}
