/** One visit of the page under test: its socket, its state, its clock. A platform adds its own state machine. */
import { randomBytes } from 'node:crypto'
import type { WebSocket } from 'ws'
import type { MockLogEntry } from '../types.ts'
import type { VisitAccount } from './accounts.ts'
import type { MediaLink } from './media-link.ts'
import type { SharedFromPage, SharedToPage } from './page/protocol.ts'
import { Timers } from './timers.ts'

/** The part of a visit that its meeting uses, the same on every platform. */
export type MeetingVisit = Visit<never, never>

/** The parts of the meeting that a visit uses. */
export interface VisitHost {
  readonly speed: number
  readonly seed: number
  note(entry: Omit<MockLogEntry, 'at'>): void
  stateChanged(visit: MeetingVisit, state: string): void
  /** The page has become a participant. */
  botJoined(visit: MeetingVisit): void
  /** The page began to share its screen, or stopped. */
  screenChanged(visit: MeetingVisit): void
  chatFromBot(visit: MeetingVisit, text: string): void
  /** The page, as a host, ended the meeting for all. */
  endedByBot(): void
  mediaLink(visit: MeetingVisit): MediaLink
}

/** States in which the visitor waits, is in the call (or nearly), and has ended. */
export interface StateGroups {
  waiting: readonly string[]
  inCall: readonly string[]
  over: readonly string[]
}

export abstract class Visit<
  ToPage extends { do: string } = SharedToPage,
  FromPage extends { say: string } = SharedFromPage,
> {
  state = 'boot'
  /** As typed by the bot; empty before it asked to join. */
  botName = ''
  /** Null for a guest. */
  account: VisitAccount | null = null
  microphoneOn = false
  cameraOn = false
  screenOn = false
  /** Random, so that it cannot be guessed. */
  readonly token = randomBytes(12).toString('base64url')
  readonly media: MediaLink
  protected readonly timers: Timers
  private readonly host: VisitHost
  private readonly states: StateGroups
  private socket: WebSocket | null = null
  private isMoving = false

  constructor(host: VisitHost, states: StateGroups) {
    this.host = host
    this.states = states
    this.timers = new Timers(host.speed)
    this.media = host.mediaLink(this)
  }

  get isInCall(): boolean {
    return this.states.inCall.includes(this.state)
  }

  get isWaiting(): boolean {
    return this.states.waiting.includes(this.state)
  }

  get isOver(): boolean {
    return this.states.over.includes(this.state)
  }

  /** Whether a page is connected. */
  get isOpen(): boolean {
    return this.socket !== null || this.isMoving
  }

  /** Handles the page's messages, except those that all platforms share. */
  protected abstract receive(message: FromPage): void
  /** As if the page had sent its form; throws if there is none. */
  abstract askToJoin(botName: string): void
  // The host's verbs; each throws if it does not fit the state.
  abstract admit(): void
  abstract deny(): void
  abstract remove(): void
  abstract endForAll(): void
  abstract loseConnection(): void
  abstract regainConnection(): void

  /** Called whenever people come or go while the page is in the call. */
  setAlone(_isAlone: boolean): void {}

  /** A page (or the next page of the same visit) has opened its socket. */
  attach(socket: WebSocket): void {
    const former = this.socket
    this.socket = socket
    this.isMoving = false
    former?.terminate()
    socket.on('message', (data) => {
      try {
        this.onMessage(JSON.parse(String(data)) as SharedFromPage)
      } catch (error) {
        // The page under test may send anything. A bad message is noted and changes nothing.
        this.host.note({ event: 'rpc', target: 'bad-message', detail: String(error) })
      }
    })
    socket.on('error', () => {}) // A close event follows.
    socket.on('close', () => {
      if (this.socket === socket) this.onClosed()
    })
  }

  private onMessage(message: SharedFromPage): void {
    if (message.say === 'log') {
      const { event, target, trusted, detail } = message
      this.host.note({ event, target, trusted, detail })
    } else if (message.say === 'offer') this.media.offer(message)
    else if (message.say === 'devices') {
      this.microphoneOn = message.microphone
      this.cameraOn = message.camera
    } else if (message.say === 'screen') {
      const { mid } = message
      if (mid !== null) this.media.receivesScreen(mid)
      if (this.screenOn === (mid !== null)) return
      this.screenOn = mid !== null
      this.host.screenChanged(this)
    } else if (message.say === 'incomingVideo') {
      this.host.note({ event: 'rpc', target: 'incoming-video', detail: message.on ? 'on' : 'off' })
      this.media.sendVideos(message.on)
    } else if (message.say === 'sizes')
      this.media.askFor(new Map(message.sizes.map(({ mid, height }) => [mid, height])))
    else this.receive(message as unknown as FromPage)
  }

  send(message: ToPage | SharedToPage): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message))
  }

  sendSamples(samples: Uint8Array): void {
    if (this.socket?.readyState === 1) this.socket.send(samples)
  }

  /** The platform ends the session of the account, and sends the page to its sign-in. */
  signOut(url: string): void {
    this.account?.signOut()
    this.navigate(url)
  }

  navigate(url: string): void {
    this.send({ do: 'navigate', url })
  }

  protected enter(state: string): void {
    this.state = state
    this.host.stateChanged(this, state)
  }

  /** The page becomes a participant: its media is answered, the meeting notes the arrival. */
  protected joinCall(state = 'call'): void {
    this.enter(state)
    this.media.open()
    this.host.botJoined(this)
  }

  /** Ends the visit in this state. Its timers stop. */
  protected over(state: string): void {
    this.timers.clear()
    this.media.close()
    this.enter(state)
  }

  /** The page is about to load another document of this visit: the close of its socket is ignored. */
  protected moving(): void {
    this.isMoving = true
  }

  protected expect(what: string, states: readonly string[]): void {
    if (!states.includes(this.state)) {
      throw new Error(`Cannot ${what}: the page is in state ${this.state}, not ${states.join(' or ')}`)
    }
  }

  protected onClosed(): void {
    this.socket = null
    if (this.isMoving) {
      this.media.drop()
      return
    }
    this.timers.clear()
    this.media.close()
    if (this.isOver) this.host.stateChanged(this, this.state)
    else this.enter('closed')
  }
}
