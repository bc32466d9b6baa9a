/** One WebSocket of one bot, as the server sees it: what it may say, and how much of it may wait. */
import type { BotCommand } from '@standin/wire/commands.ts'
import {
  type AccountReport,
  type Answer,
  type CommandMessage,
  type DownMessage,
  type FreshKeys,
  type FreshToken,
  type Heartbeat,
  type LeasedAccount,
  type LinkRequest,
  type PartialTranscript,
  type UpMessage,
  upMessageSchema,
} from '@standin/wire/control-link.ts'
import { isEventSize, type NumberedEvent, parseMessage } from '@standin/wire/events.ts'
import { type Problem, problemsOf } from '@standin/wire/job.ts'
import { WebSocket } from 'ws'
import { readEvent } from '../bots/journaled-event.ts'
import type { LinkOwner } from '../store/links.ts'

/** Close codes, RFC 6455 and the registry of IANA. */
export const CLOSE = { protocol: 1002, policy: 1008, restart: 1012, tryAgain: 1013 } as const

/** Limits of the events of one link that wait for the database. Beyond them the socket is not read. */
const MAX_WAITING_EVENTS = 1_000
const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** Limit of all links of a process together. */
const MAX_WAITING_BYTES_OF_ALL = 128 * 1024 * 1024
/** Messages of one link that are not events, in one second; a bot sends a handful. */
const MAX_MESSAGES_A_SECOND = 1_000
/** A bot that says this much that is wrong is no bot of ours. */
const MAX_BAD_MESSAGES = 20
/** Bytes that a bot which does not read is sent. */
const MAX_UNREAD_BYTES = 1024 * 1024

/** The answer to a request of the bot. */
export type LinkAnswer = FreshToken | FreshKeys | LeasedAccount | AccountReport

/** Bytes that all links of a process keep in memory for the database. */
export interface WaitingEvents {
  bytes: number
}

export interface LinkListener {
  onHello(link: Link): void
  /** Events wait in `take`. */
  onEvents(link: Link): void
  onAnswer(link: Link, answer: Answer): void
  onRequest(link: Link, request: LinkRequest): void
  onPartial(link: Link, partial: PartialTranscript): void
  onClose(link: Link): void
  onBadMessage(link: Link, problems: Problem[]): void
}

export class Link {
  readonly owner: LinkOwner & { teamId: string }
  readonly openedAt: number
  /** Set by `hello`; nothing else may be said before. */
  journalId: string | null = null
  isWelcomed = false
  /** Commands that went out over this link, so that none goes twice. */
  readonly sent = new Set<string>()
  /** Whether its bot's open request to leave went out over this link. */
  hasBeenStopped = false
  /** Resolves when the answers so far are stored: the first one to a command counts. */
  answered: Promise<void> = Promise.resolve()
  answersWaiting = 0
  /** Requests of the bot that wait for their answer. */
  readonly fetching = new Set<LinkRequest['type']>()
  heartbeat: Heartbeat | null = null
  heartbeatAt = 0
  heartbeatWrittenAt = 0
  lastHeardAt: number
  readonly #socket: WebSocket
  readonly #listener: LinkListener
  readonly #now: () => number
  readonly #all: WaitingEvents
  #waiting: { event: NumberedEvent; bytes: number; at: number }[] = []
  #waitingBytes = 0
  /** The number of the next event; null before the welcome. */
  #nextSeq: number | null = null
  #ackDue = false
  #isPaused = false
  #messages = 0
  #badMessages = 0
  #isClosing = false

  constructor(
    socket: WebSocket,
    owner: LinkOwner & { teamId: string },
    { listener, now, all }: { listener: LinkListener; now: () => number; all: WaitingEvents },
  ) {
    this.#socket = socket
    this.owner = owner
    this.#listener = listener
    this.#now = now
    this.#all = all
    this.openedAt = now()
    this.lastHeardAt = this.openedAt
    socket.on('message', (data, isBinary) => this.#receive(isBinary ? null : (data as Buffer)))
    socket.on('ping', () => this.#heard())
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#forget(this.#waiting.length)
      listener.onClose(this)
    })
  }

  /** Events that the database has not confirmed, or a question for what it has confirmed. */
  get hasEvents(): boolean {
    return !this.#isClosing && (this.#waiting.length > 0 || this.#ackDue)
  }

  welcome(acknowledged: number): void {
    this.isWelcomed = true
    this.#nextSeq = acknowledged + 1
    this.#send({ type: 'welcome', acknowledged })
  }

  ack(seq: number): void {
    if (seq > 0) this.#send({ type: 'ack', seq })
  }

  /** Sends a command once on this link; the bot itself knows those of earlier links by their id. */
  command(id: string, command: BotCommand): boolean {
    if (this.sent.has(id) || !this.isWelcomed) return false
    this.sent.add(id)
    const message: CommandMessage = { type: 'command', id, command }
    return this.#send(message)
  }

  give(answer: LinkAnswer): void {
    this.#send(answer)
  }

  /** The fields by which each log line names a bot. */
  get logFields(): { team: string; bot: string; attempt: number } {
    const { teamId: team, botId: bot, attempt } = this.owner
    return { team, bot, attempt }
  }

  /** When the oldest event that waits came, by `performance.now()`. */
  get oldestAt(): number | null {
    return this.#waiting[0]?.at ?? null
  }

  /** The events that wait, oldest first; they stay counted until `settle`. */
  oldest(most: number): NumberedEvent[] {
    return this.#waiting.slice(0, most).map(({ event }) => event)
  }

  /** The first `count` events are stored: there is room for more. */
  settle(count: number): void {
    this.#forget(count)
    this.#ackDue = false
    if (this.#isPaused && !this.#isFull) {
      this.#isPaused = false
      this.#socket.resume()
    }
  }

  /** Once a second. */
  nextSecond(): void {
    this.#messages = 0
  }

  close(code: number, reason: string): void {
    if (this.#isClosing) return
    this.#isClosing = true
    // A paused socket would never read the peer's answer.
    if (this.#isPaused) this.#socket.resume()
    this.#forget(this.#waiting.length)
    this.#socket.close(code, reason.slice(0, 100))
  }

  terminate(): void {
    this.#isClosing = true
    this.#socket.terminate()
  }

  get #isFull(): boolean {
    if (this.#waiting.length === 0) return false
    return (
      this.#waiting.length >= MAX_WAITING_EVENTS ||
      this.#waitingBytes >= MAX_WAITING_BYTES ||
      this.#all.bytes >= MAX_WAITING_BYTES_OF_ALL
    )
  }

  #forget(count: number): void {
    for (const { bytes } of this.#waiting.splice(0, count)) {
      this.#waitingBytes -= bytes
      this.#all.bytes -= bytes
    }
  }

  #send(message: DownMessage): boolean {
    if (this.#isClosing || this.#socket.readyState !== WebSocket.OPEN) return false
    if (this.#socket.bufferedAmount > MAX_UNREAD_BYTES) {
      this.terminate()
      return false
    }
    this.#socket.send(JSON.stringify(message), () => {})
    return true
  }

  #heard(): void {
    this.lastHeardAt = this.#now()
  }

  #receive(data: Buffer | null): void {
    if (this.#isClosing) return
    this.#heard()
    const content = data === null ? undefined : parseMessage(data.toString('utf8'))
    const message = messageOf(content)
    if (message === null) this.#bad(content)
    else if (message.type === 'event') this.#event(message, data!.length)
    else this.#other(message)
  }

  #other(message: Exclude<UpMessage, { type: 'event' }>): void {
    if (++this.#messages > MAX_MESSAGES_A_SECOND) {
      this.close(CLOSE.policy, 'too many messages')
      return
    }
    if (message.type === 'hello') {
      if (this.journalId !== null) this.close(CLOSE.protocol, 'a second hello')
      else if (message.bot_id.toLowerCase() !== this.owner.botId)
        this.close(CLOSE.policy, 'the token is of another bot')
      else {
        this.journalId = message.journal_id.toLowerCase()
        this.#listener.onHello(this)
      }
      return
    }
    if (!this.isWelcomed) this.close(CLOSE.protocol, 'nothing is said before the welcome but hello')
    else if (message.type === 'heartbeat') {
      this.heartbeat = message
      this.heartbeatAt = this.#now()
    } else if (message.type === 'answer') this.#listener.onAnswer(this, message)
    else if (message.type === 'partial_transcript') this.#listener.onPartial(this, message)
    else this.#listener.onRequest(this, message)
  }

  #event(event: NumberedEvent, bytes: number): void {
    if (this.#nextSeq === null) {
      this.close(CLOSE.protocol, 'events before the welcome')
      return
    }
    if (event.bot_id.toLowerCase() !== this.owner.botId) {
      this.close(CLOSE.policy, 'an event of another bot')
      return
    }
    if (!isEventSize(bytes)) {
      this.close(CLOSE.policy, 'an event is too large')
      return
    }
    if (event.seq > this.#nextSeq) {
      // The bot connects again, and sends from the first number that is missing.
      this.close(CLOSE.protocol, `expected event ${this.#nextSeq}`)
      return
    }
    if (event.seq < this.#nextSeq) this.#ackDue = true
    else {
      this.#nextSeq += 1
      this.#waiting.push({ event, bytes, at: performance.now() })
      this.#waitingBytes += bytes
      this.#all.bytes += bytes
      if (this.#isFull && !this.#isPaused) {
        this.#isPaused = true
        this.#socket.pause()
      }
    }
    this.#listener.onEvents(this)
  }

  #bad(content: unknown): void {
    this.#badMessages += 1
    const result = upMessageSchema.safeParse(content)
    const problems =
      content === undefined ? [{ path: '', message: 'is no JSON text, or nested too deep' }] : problemsOf(result.error!)
    this.#listener.onBadMessage(this, problems)
    if (this.journalId === null) this.close(CLOSE.protocol, 'expected hello of protocol version 1')
    else if (this.#badMessages >= MAX_BAD_MESSAGES)
      this.close(CLOSE.policy, 'too many messages do not fit the protocol')
  }
}

/** Null for what is no message. */
function messageOf(content: unknown): UpMessage | null {
  const message = upMessageSchema.safeParse(content)
  return message.success ? message.data : readEvent(content)
}
