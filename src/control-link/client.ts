/**
 * The control link: one WebSocket that reconnects whenever it breaks. docs/control-link.md describes the protocol.
 * Every message is in the journal before it is sent, so a broken link delays messages and loses none.
 */
import type { LookupFunction } from 'node:net'
import { type DownMessage, PROTOCOL_VERSION, type UpMessage, upMessageSchema } from '@standin/wire/control-link.ts'
import type { BotEvent, Transcript } from '@standin/wire/events.ts'
import { type Problem, problemsOf } from '@standin/wire/job.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { backoff } from '@standin/wire/time/backoff.ts'
import { endsWithin, systemClock } from '@standin/wire/time/deadline.ts'
import { type Logger, redactText } from '../../packages/core/logger.ts'
import type { UsageMeter } from '../../packages/core/ports.ts'
import { CommandDispatcher } from './command-dispatcher.ts'
import { Connection, type ConnectionEnd } from './connection.ts'
import { Journal } from './journal.ts'
import { LinkRequests } from './link-requests.ts'
import type { CommandedControlPlane, LocalOptions } from './local.ts'
import { Reporter } from './reporter.ts'
import { DEFAULT_TIMING, type LinkTiming } from './timing.ts'

/** Characters of events that are read from the journal in one go. */
const BATCH_SIZE = 256 * 1024
/** Log at most this many invalid messages of one connection. */
const MAX_LOGGED_BAD_MESSAGES = 10

export interface ControlLinkOptions extends LocalOptions {
  /** `ws://` or `wss://`. */
  url: string
  token: string
  /** Resolves the name of the host; the system's own if it is left out. */
  lookup?: LookupFunction
  timing?: Partial<LinkTiming>
  usage: Pick<UsageMeter, 'latest'>
  random?: () => number
}

/** Opens the link and returns at once; it connects on its own and never gives up until it is closed. */
export function openControlLink(options: ControlLinkOptions): CommandedControlPlane {
  return new ControlLink(options)
}

/** State of the open connection. */
interface Session {
  number: number
  connection: Connection
  /** Null until the control plane has said what it has. */
  sentSeq: number | null
  openedAt: number
  welcomeTimer: NodeJS.Timeout | undefined
  badMessages: number
}

class ControlLink implements CommandedControlPlane {
  readonly #options: ControlLinkOptions
  readonly #timing: LinkTiming
  readonly #logger: Logger
  readonly #journal: Journal
  readonly #reporter: Reporter
  readonly #dispatcher: CommandDispatcher
  readonly #requests = new LinkRequests((request) => {
    const session = this.#session
    if (session === null || session.sentSeq === null) return false
    this.#send(session, request)
    return true
  })
  readonly #heartbeat: NodeJS.Timeout
  readonly #whenQuiet = new Set<() => void>()
  readonly #welcome = Promise.withResolvers<void>()
  #whenEnded: (() => void) | null = null
  /** Numbers up to here may be known to the control plane; what it claims beyond them cannot be ours. */
  #lastSentSeq: number
  #session: Session | null = null
  #sessions = 0
  #failures = 0
  #reconnect: NodeJS.Timeout | undefined
  #wasRenewed = false
  #isDraining = false
  #isClosed = false

  constructor(options: ControlLinkOptions) {
    this.#options = options
    this.#timing = { ...DEFAULT_TIMING, ...options.timing }
    this.#logger = options.logger
    this.#journal = new Journal(options)
    this.#lastSentSeq = this.#journal.lastSeq
    this.#reporter = new Reporter({ journal: this.#journal, logger: this.#logger, onEvent: options.onEvent })
    this.#dispatcher = new CommandDispatcher({ logger: this.#logger, send: (text) => this.#sendAnswer(text) })
    this.#heartbeat = setInterval(() => this.#beat(), this.#timing.heartbeatMs)
    this.#connect()
  }

  report(event: BotEvent): void {
    this.#reporter.report(event)
    this.#sendEvents()
  }

  /** Skips the message when the link's buffer is full: the next one has newer values. */
  show(partial: Transcript): void {
    this.#options.onPartial?.(partial)
    const session = this.#session
    if (session === null || session.sentSeq === null || !session.connection.canTakeMore) return
    this.#send(session, { type: 'partial_transcript', at: new Date().toISOString(), transcript: partial })
  }

  onCommand(listener: Parameters<CommandedControlPlane['onCommand']>[0]): void {
    this.#dispatcher.listen(listener)
  }

  askForToken: CommandedControlPlane['askForToken'] = () => this.#requests.ask('token')

  askForKeys: CommandedControlPlane['askForKeys'] = async () => {
    const { keys, message = 'the control plane has none' } = await this.#requests.ask('storage_keys')
    if (keys === undefined) throw new Error(message)
    return keys
  }

  askForAccount: CommandedControlPlane['askForAccount'] = () => this.#requests.ask('account')

  reportAccount: CommandedControlPlane['reportAccount'] = (report) => this.#requests.ask('account_report', report)

  submit: CommandedControlPlane['submit'] = (command) => this.#dispatcher.submit(command)

  async whenWelcomed(): Promise<void> {
    await this.#welcome.promise
    await this.#untilQuiet(this.#timing.acceptMs)
  }

  async drain(deadlineMs: number): Promise<void> {
    this.#isDraining = true
    if (this.#reconnect) this.#connect()
    await this.#untilQuiet(deadlineMs)
    const missing = this.#journal.lastSeq - this.#journal.acknowledged
    if (missing > 0) this.#logger.warn('Not every event was acknowledged in time; the journal keeps them', { missing })
    this.#isDraining = false
    await this.#journal.flush()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#heartbeat)
    clearTimeout(this.#reconnect)
    const session = this.#session
    if (session) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#whenEnded = resolve
      session.connection.close(1000, 'the bot has ended')
      await promise
    }
    await this.#journal.close()
  }

  #connect(): void {
    clearTimeout(this.#reconnect)
    this.#reconnect = undefined
    const number = ++this.#sessions
    const mine = () => (this.#session?.number === number ? this.#session : null)
    const session: Session = {
      number,
      sentSeq: null,
      openedAt: 0,
      welcomeTimer: undefined,
      badMessages: 0,
      connection: new Connection(this.#options, this.#timing, {
        onOpen: () => this.#opened(session),
        onMessage: (message) => mine() && this.#handle(session, message),
        onBadMessage: (problems, commandId) => mine() && this.#takeBad(session, problems, commandId),
        onEnd: (end) => this.#ended(session, end),
      }),
    }
    this.#session = session
  }

  #opened(session: Session): void {
    session.openedAt = performance.now()
    session.welcomeTimer = setTimeout(() => session.connection.breakOff('no welcome came'), this.#timing.welcomeMs)
    this.#send(session, {
      type: 'hello',
      protocol_version: PROTOCOL_VERSION,
      bot_id: this.#options.botId,
      journal_id: this.#journal.id,
      last_seq: this.#journal.lastSeq,
    })
  }

  #ended(session: Session, end: ConnectionEnd): void {
    clearTimeout(session.welcomeTimer)
    this.#session = null
    this.#requests.linkEnded()
    if (this.#isClosed) {
      this.#whenEnded?.()
      return
    }
    const wasGood = session.openedAt > 0 && performance.now() - session.openedAt >= this.#timing.settledMs
    this.#failures = wasGood ? 0 : this.#failures + 1
    const { reconnectMinMs, reconnectMaxMs: max } = this.#timing
    const attempts = this.#isDraining ? 0 : end.isUnauthorized ? Number.MAX_SAFE_INTEGER : this.#failures
    const { random = Math.random } = this.#options
    // 1 to 2 s, 2 to 4 s, … 15 to 30 s: many bots do not come back to a control plane in the same moment.
    const delayMs = Math.round(backoff({ first: 2 * reconnectMinMs, max, jitter: 0.5, random }, attempts))
    const fields = { url: placeOf(this.#options.url), reason: end.reason, retryInMs: delayMs }
    if (end.isUnauthorized) this.#logger.error('The control plane refuses the token of this bot', fields)
    else this.#logger.warn('The control link is down', fields)
    this.#reconnect = setTimeout(() => this.#connect(), delayMs)
  }

  #handle(session: Session, message: DownMessage): void {
    switch (message.type) {
      case 'welcome':
        this.#welcomed(session, message.acknowledged)
        break
      case 'ack':
        this.#acknowledged(session, message.seq)
        break
      case 'command':
        this.#dispatcher.receive(message.id, message.command, session.number)
        break
      case 'token':
      case 'storage_keys':
      case 'account':
      case 'account_report':
        this.#requests.receive(message)
        break
    }
  }

  #takeBad(session: Session, problems: Problem[], commandId: string | null): void {
    session.badMessages += 1
    const shown = problems.slice(0, 20)
    if (session.badMessages <= MAX_LOGGED_BAD_MESSAGES)
      this.#logger.warn('A message of the control plane does not fit', { commandId, problems: shown })
    if (commandId === null) return
    const text = shown.map(({ path, message }) => `${path || 'message'}: ${message}`).join('; ')
    this.#dispatcher.refuse(commandId, text.slice(0, 2_000), session.number)
  }

  #welcomed(session: Session, acknowledged: number): void {
    if (session.sentSeq !== null) {
      this.#takeBad(session, [{ path: 'type', message: 'a second welcome' }], null)
      return
    }
    clearTimeout(session.welcomeTimer)
    if (acknowledged > this.#lastSentSeq && !this.#wasRenewed) {
      this.#renew(session, acknowledged)
      return
    }
    if (acknowledged > this.#lastSentSeq)
      this.#logger.error('The control plane counts events that were never sent; it has to store them by journal_id', {
        acknowledged,
        sent: this.#lastSentSeq,
      })
    const start = Math.min(acknowledged, this.#lastSentSeq)
    this.#logger.info('The control link is up', { url: placeOf(this.#options.url), acknowledged: start })
    this.#journal.acknowledge(start)
    session.sentSeq = start
    this.#welcome.resolve()
    this.#dispatcher.sendUnsent()
    this.#sendEvents()
    this.#emitQuiet()
  }

  /**
   * The control plane has events under the journal's name that this journal never sent: the disk of an earlier life
   * was lost. Under a new name it takes everything from the first event on.
   */
  #renew(session: Session, acknowledged: number): void {
    const message = 'The control plane has more events than this journal sent; the journal is given a new name'
    this.#logger.warn(message, { acknowledged, sent: this.#lastSentSeq })
    this.#wasRenewed = true
    this.#journal.renew()
    this.#lastSentSeq = 0
    session.connection.close(1000, 'the journal has a new name')
  }

  #acknowledged(session: Session, seq: number): void {
    if (session.sentSeq === null || seq > this.#lastSentSeq) {
      this.#takeBad(session, [{ path: 'seq', message: `${seq} was not sent` }], null)
      return
    }
    // An acknowledgement that comes late or twice says nothing new.
    if (seq <= this.#journal.acknowledged) return
    this.#failures = 0
    this.#journal.acknowledge(seq)
    this.#emitQuiet()
  }

  /** Sends what the journal has, as far as the connection takes it; the rest follows when there is room. */
  #sendEvents(): void {
    const session = this.#session
    if (session === null || session.sentSeq === null) return
    while (session.sentSeq < this.#journal.lastSeq && session.connection.canTakeMore) {
      const lines = this.#journal.readAfter(session.sentSeq, BATCH_SIZE)
      if (lines.length === 0) return
      for (const line of lines) {
        const isLast = line === lines.at(-1)
        if (!session.connection.send(line.text, isLast ? () => this.#sendEvents() : undefined)) return
        session.sentSeq = line.seq
        this.#lastSentSeq = Math.max(this.#lastSentSeq, line.seq)
      }
    }
  }

  #sendAnswer(text: string): number | null {
    const session = this.#session
    if (session === null || session.sentSeq === null || !session.connection.send(text)) return null
    // The drain may have waited for this answer only.
    queueMicrotask(() => this.#emitQuiet())
    return session.number
  }

  #send(session: Session, message: UpMessage): void {
    const checked = upMessageSchema.safeParse(message)
    if (checked.success) session.connection.send(jsonText(checked.data))
    else this.#logger.error('A message does not fit the protocol', { problems: problemsOf(checked.error) })
  }

  #beat(): void {
    const session = this.#session
    const reading = this.#options.usage.latest
    if (reading === null || session === null || session.sentSeq === null || !session.connection.canTakeMore) return
    this.#send(session, {
      type: 'heartbeat',
      at: new Date().toISOString(),
      status: this.#reporter.status,
      cpu_percent: reading.cpuPercent,
      memory_bytes: reading.memoryBytes,
      usage: reading.usage,
    })
  }

  async #untilQuiet(deadlineMs: number): Promise<void> {
    if (this.#isQuiet() || this.#isClosed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#whenQuiet.add(resolve)
    await endsWithin(systemClock, deadlineMs, promise)
    this.#whenQuiet.delete(resolve)
  }

  #isQuiet(): boolean {
    return this.#journal.acknowledged >= this.#journal.lastSeq && !this.#dispatcher.hasUnsent
  }

  #emitQuiet(): void {
    if (this.#isQuiet()) for (const resolve of this.#whenQuiet) resolve()
  }
}

/** Where a link leads, without what an address may carry beside it. */
function placeOf(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return redactText(`${protocol}//${host}${pathname}`)
}
