/**
 * The server of the control link, docs/control-link.md: takes the WebSockets of bots, stores their events before it
 * acknowledges them, and passes commands on. Any number of servers may run beside each other on one database.
 */

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  type Answer,
  type LinkRequest,
  MAX_UP_FRAME_BYTES,
  type PartialTranscript,
} from '@standin/wire/control-link.ts'
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import { WebSocketServer } from 'ws'
import type { Stored } from '../bots/actions/append-events.ts'
import { batched } from '../platform/batcher.ts'
import { type Meters, NO_METERS } from '../platform/meters.ts'
import type { Clock, Log } from '../platform/ports.ts'
import { NO_TRACES, type Traces } from '../platform/traces.ts'
import { markSent, openCommands, storeAnswer, unsentCommands } from '../store/bots/commands.ts'
import { upsertUsage } from '../store/bots/usage.ts'
import type { Database } from '../store/database.ts'
import { greet, type LinkOwner, noteLongLosses, ownersOfTokens, writeHeartbeats, writeLosses } from '../store/links.ts'
import { createPartialSender, type PartialWords } from '../store/partial-words.ts'
import { createHint } from '../store/wake-ups.ts'
import { EventWriter } from './event-writer.ts'
import { CLOSE, Link, type LinkAnswer, type LinkListener, type WaitingEvents } from './link.ts'

export interface LinkServerOptions {
  /** A separate pool: four connections are enough for thousands of bots. */
  database: Database
  /** Must not jump: silence and losses are measured by it. */
  clock?: Clock
  log: Log
  meters?: Meters
  traces?: Traces
  /** Answers to requests of bots; each rejects if it cannot be found out. This server has none of those that are absent. */
  answers?: Partial<LinkAnswers>
}

type LinkAnswers = {
  [Type in LinkRequest['type']]: (owner: LinkOwner, request: Extract<LinkRequest, { type: Type }>) => Promise<object>
}

const NO_ANSWERS: LinkAnswers = {
  token_request: async () => ({ message: 'This server gives no tokens.', can_retry: false }),
  storage_keys_request: async () => ({ message: 'This server gives no keys.' }),
  account_request: async () => ({ message: 'This server gives no accounts.' }),
  account_report_request: async () => ({ message: 'This server has no accounts.' }),
}

export interface LinkServer {
  /** Handles the `upgrade` event of an HTTP server. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Connected bots. */
  readonly size: number
  /** Closes every link with 1012, so that bots connect to another server, after what they sent is stored. */
  close(): Promise<void>
}

/** Milliseconds. */
const SECOND_MS = 1_000
const COMMANDS_MS = 100
const HELLO_WITHIN_MS = 10_000
/** A bot pings every 5 s. */
const SILENCE_MS = 20_000
/** The heartbeat of a bot is written at most this often. */
const WRITE_HEARTBEAT_MS = 30_000
/** A link that is down for less is no event. */
const LONG_LOSS_MS = 30_000
const CLOSE_WITHIN_MS = 5_000
/** Heartbeats, and lost links, that are written each second: those of many bots are spread over half a minute. */
const MAX_HEARTBEATS = 500
/** Upgrades that wait for the database. */
const MAX_UPGRADES = 20_000
const MAX_COMMANDS = 1_000
/** Answers of one link that wait for the database; a bot takes 100 commands at a time. */
const MAX_ANSWERS = 200
const MAX_TOKEN_LENGTH = 4_096
const MAX_LOGGED_PROBLEMS = 5

export function createLinkServer(options: LinkServerOptions): LinkServer {
  return new Server(options)
}

class Server implements LinkServer {
  readonly #database: Database
  readonly #log: Log
  readonly #meters: Meters
  readonly #now: () => number
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_UP_FRAME_BYTES,
    perMessageDeflate: false,
    clientTracking: false,
  })
  readonly #answers: LinkAnswers
  readonly #links = new Set<Link>()
  /** The newest link of each attempt that has said hello. */
  readonly #byAttempt = new Map<string, Link>()
  readonly #lost = new Map<string, LinkOwner & { at: number; isWritten: boolean }>()
  readonly #writer: EventWriter
  readonly #secondTimer: NodeJS.Timeout
  readonly #sendPartial: (words: PartialWords) => void
  readonly #ownerOf
  readonly #greet
  #commandTimer: NodeJS.Timeout | undefined
  #upgrades = 0
  #isWriting = false
  #isClosed = false

  constructor({
    database,
    clock = systemClock,
    log,
    meters = NO_METERS,
    traces = NO_TRACES,
    answers,
  }: LinkServerOptions) {
    this.#meters = meters
    this.#answers = { ...NO_ANSWERS, ...answers }
    this.#database = database
    this.#log = log
    this.#now = () => clock.now()
    this.#writer = new EventWriter({
      database,
      log,
      meters,
      traces,
      beforeAck: (link, stored) => this.#beforeAck(link, stored),
      onStored: createHint(database, 'events', (error) =>
        log.warn({ error: String(error) }, 'Followers of events could not be notified'),
      ),
    })
    this.#sendPartial = createPartialSender(database, (error) =>
      log.warn({ error: String(error) }, 'Partial words could not be sent'),
    )
    const batches = { waitMs: 10, maxItems: 200, maxWrites: 2 }
    this.#ownerOf = batched(async (hashes: string[]) => {
      const owners = await ownersOfTokens(database, hashes)
      return hashes.map((hash) => owners.get(hash) ?? null)
    }, batches)
    this.#greet = batched((links: Link[]) => {
      const greetings = links.map(({ owner, journalId }) => ({ ...owner, journalId: journalId! }))
      return greet(database, greetings)
    }, batches)
    this.#secondTimer = setInterval(() => void this.#onSecond(), SECOND_MS)
    this.#secondTimer.unref()
  }

  get size(): number {
    return this.#links.size
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    void this.#upgrade(request, socket, head)
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const token = tokenOf(request)
    if (token === null) return refuse(socket, 401)
    if (this.#isClosed || this.#upgrades >= MAX_UPGRADES) return refuse(socket, 503)
    this.#upgrades += 1
    try {
      const owner = await this.#ownerOf(createHash('sha256').update(token).digest('hex'))
      if (owner === null) return refuse(socket, 401)
      if (this.#isClosed) return refuse(socket, 503)
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
        this.#links.add(new Link(webSocket, owner, this.#linkParts))
        this.#meters.count('links_opened', {})
        this.#commandTimer ??= this.#pollCommands()
      })
    } catch (error) {
      this.#log.warn({ error: String(error) }, 'The token of a bot could not be checked')
      refuse(socket, 503)
    } finally {
      this.#upgrades -= 1
    }
  }

  readonly #waiting: WaitingEvents = { bytes: 0 }
  readonly #listener: LinkListener = {
    onHello: (link: Link) => void this.#hello(link),
    onEvents: (link: Link) => this.#writer.add(link),
    onAnswer: (link: Link, answer: Answer) => {
      if (++link.answersWaiting > MAX_ANSWERS) link.close(CLOSE.policy, 'too many answers')
      else link.answered = link.answered.then(() => this.#answer(link, answer))
    },
    onRequest: (link: Link, request: LinkRequest) => void this.#request(link, request),
    onPartial: ({ owner: { botId, attempt } }: Link, { at, transcript }: PartialTranscript) =>
      this.#sendPartial({ botId, attempt, at, transcript }),
    onClose: (link: Link) => this.#gone(link),
    onBadMessage: (link: Link, problems: object[]) =>
      this.#log.warn(
        { ...link.logFields, problems: problems.slice(0, MAX_LOGGED_PROBLEMS) },
        'A message of a bot does not fit the protocol',
      ),
  }
  readonly #linkParts = { listener: this.#listener, now: () => this.#now(), all: this.#waiting }

  async #hello(link: Link): Promise<void> {
    const key = keyOf(link.owner)
    // A bot has one link; the older one is dead, even if its end was not noticed, and no command goes there any more.
    this.#byAttempt.get(key)?.terminate()
    this.#byAttempt.set(key, link)
    this.#lost.delete(key)
    try {
      const greeted = await this.#greet(link)
      if (!this.#links.has(link)) return
      if (greeted === null) return link.close(CLOSE.policy, 'the bot is unknown')
      link.welcome(greeted.acknowledged)
      if (greeted.standing === 'stale' || greeted.standing === 'closed') this.#turnAway(link)
      for (const { id, command } of greeted.commands) link.command(id, command)
      await markSent(
        this.#database,
        greeted.commands.map(({ id }) => id),
      )
    } catch (error) {
      this.#log.warn({ ...link.logFields, error: String(error) }, 'A bot could not be welcomed')
      link.close(CLOSE.tryAgain, 'the database cannot be reached')
    }
  }

  /** A request to leave has to be heard before `joining_call` is acknowledged, so that the bot never asks to join. */
  async #beforeAck(link: Link, { standing }: Stored): Promise<void> {
    if (standing === 'stale' || standing === 'closed') this.#turnAway(link)
    if (standing !== 'stopped') return
    if (link.hasBeenStopped) return
    for (const { id, command } of await openCommands(this.#database, [link.owner.botId])) link.command(id, command)
    link.hasBeenStopped = true
  }

  /** Another attempt is the bot, or the bot is over. A refusal would not do: the bot would stay in its meeting. */
  #turnAway(link: Link): void {
    const { botId, attempt } = link.owner
    const isFirst = link.command(`not-wanted-${botId}-${attempt}`, { type: 'leave' })
    if (isFirst) this.#log.info(link.logFields, 'A replaced or ended attempt received the command to leave')
  }

  async #answer(link: Link, answer: Answer): Promise<void> {
    try {
      await storeAnswer(this.#database, link.owner.botId, answer)
      link.answersWaiting -= 1
    } catch (error) {
      this.#log.warn(
        { ...link.logFields, error: String(error) },
        'An answer could not be stored; the bot will be asked again',
      )
      link.close(CLOSE.tryAgain, 'answers cannot be stored now')
    }
  }

  /** One of each kind at a time for each bot. */
  async #request(link: Link, request: LinkRequest): Promise<void> {
    const { type, id } = request
    const give = (answer: object) => link.give({ type: type.replace(/_request$/, ''), id, ...answer } as LinkAnswer)
    // Only a token may be asked for again at once.
    const none = (message: string) => give({ message, ...(type === 'token_request' && { can_retry: true }) })
    if (link.fetching.has(type)) return none('The same is being fetched already.')
    link.fetching.add(type)
    try {
      give(await this.#answers[type](link.owner, request as never))
    } catch (error) {
      this.#log.warn({ ...link.logFields, error: String(error) }, `A ${type} of a bot failed`)
      none('The control plane cannot answer now.')
    } finally {
      link.fetching.delete(type)
    }
  }

  #gone(link: Link): void {
    this.#links.delete(link)
    this.#writer.forget(link)
    const key = keyOf(link.owner)
    if (this.#byAttempt.get(key) !== link) return
    this.#byAttempt.delete(key)
    this.#lost.set(key, { ...link.owner, at: this.#now(), isWritten: false })
  }

  /** One look for all links, once a second. */
  async #onSecond(): Promise<void> {
    const now = this.#now()
    const pulses: Link[] = []
    for (const link of this.#links) {
      link.nextSecond()
      if (now - link.lastHeardAt > SILENCE_MS) link.terminate()
      else if (link.journalId === null && now - link.openedAt > HELLO_WITHIN_MS)
        link.close(CLOSE.protocol, 'no hello came')
      else if (link.heartbeatAt > link.heartbeatWrittenAt && now - link.heartbeatWrittenAt >= WRITE_HEARTBEAT_MS)
        pulses.push(link)
    }
    if (this.#isWriting) return
    this.#isWriting = true
    try {
      await this.#writePulses(pulses.slice(0, MAX_HEARTBEATS), now)
      await this.#writeLosses(now)
    } catch (error) {
      this.#log.warn({ error: String(error) }, 'Heartbeats could not be written')
    } finally {
      this.#isWriting = false
    }
  }

  /** A lost link is written at once, and noted in the bot's timeline when it stays lost. */
  async #writeLosses(now: number): Promise<void> {
    const lost = [...this.#lost.values()]
    const fresh = lost.filter(({ isWritten }) => !isWritten).slice(0, MAX_HEARTBEATS)
    await writeLosses(
      this.#database,
      fresh.map(({ botId, attempt, at }) => ({ botId, attempt, secondsAgo: (now - at) / 1000 })),
    )
    for (const loss of fresh) loss.isWritten = true
    const long = lost.filter(({ isWritten, at }) => isWritten && now - at >= LONG_LOSS_MS).slice(0, MAX_HEARTBEATS)
    await noteLongLosses(this.#database, long)
    for (const loss of long) if (this.#lost.get(keyOf(loss)) === loss) this.#lost.delete(keyOf(loss))
  }

  async #writePulses(links: Link[], now: number): Promise<void> {
    await writeHeartbeats(
      this.#database,
      links.map(({ owner, heartbeatAt }) => ({
        ...owner,
        secondsAgo: Math.max(0, now - heartbeatAt) / 1000,
      })),
    )
    await upsertUsage(
      this.#database,
      links.flatMap(({ owner, journalId, heartbeat }) => {
        const usage = heartbeat?.usage
        return usage === undefined || journalId === null ? [] : [{ ...owner, journalId, usage }]
      }),
      { isFinal: false },
    )
    for (const link of links) link.heartbeatWrittenAt = now
  }

  #pollCommands(): NodeJS.Timeout {
    const timer = setTimeout(async () => {
      await this.#sendCommands()
      if (!this.#isClosed) this.#commandTimer = this.#links.size > 0 ? this.#pollCommands() : undefined
    }, COMMANDS_MS)
    return timer.unref()
  }

  async #sendCommands(): Promise<void> {
    try {
      const sent: string[] = []
      const wanted = await unsentCommands(this.#database, MAX_COMMANDS)
      for (const { id, bot_id: botId, attempt, command } of wanted)
        if (this.#byAttempt.get(keyOf({ botId, attempt }))?.command(id, command)) sent.push(id)
      await markSent(this.#database, sent)
    } catch (error) {
      this.#log.warn({ error: String(error) }, 'Commands could not be read')
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#secondTimer)
    clearTimeout(this.#commandTimer)
    const late = () => new Error('The last events were not stored in time')
    await within(systemClock, CLOSE_WITHIN_MS, this.#writer.settled(), late).catch((error) =>
      this.#log.warn({ error: String(error) }, 'Closing without the last events'),
    )
    for (const link of this.#links) link.close(CLOSE.restart, 'the service is restarted')
    const until = this.#now() + CLOSE_WITHIN_MS
    while (this.#links.size > 0 && this.#now() < until) await timeout(20)
    for (const link of this.#links) link.terminate()
    this.#sockets.close()
  }
}

const keyOf = ({ botId, attempt }: LinkOwner) => `${botId} ${attempt}`

const timeout = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

function tokenOf({ headers }: IncomingMessage): string | null {
  const found = /^Bearer ([!-~]+)$/i.exec(headers.authorization ?? '')
  return found && found[1]!.length <= MAX_TOKEN_LENGTH ? found[1]! : null
}

const REASONS = { 401: 'Unauthorized', 503: 'Service Unavailable' } as const

function refuse(socket: Duplex, status: keyof typeof REASONS): void {
  socket.end(`HTTP/1.1 ${status} ${REASONS[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
