/** One connection of a subscription: sends what is not acknowledged, in order, and notes what is. */
import { randomUUID } from 'node:crypto'
import type { WebSocket } from 'ws'
import { shownEvent } from '../../../bots/shown-events.ts'
import type { Log } from '../../../ports.ts'
import {
  acknowledge,
  holderOf,
  holdSubscription,
  type JournalNews,
  readInbox,
} from '../../../store/bots/subscriptions.ts'
import type { Database } from '../../../store/database.ts'
import type { EventTail } from '../bot-events/tail.ts'
import { ackMessage, type eventsMessage } from './schema.ts'

/** Events that are sent and not acknowledged. A program that is slower gets the next ones later. */
const MAX_OPEN = 1_000
/** Journals whose acknowledgements wait to be stored. */
const MAX_ACKS = 10_000
/** Of one read. */
const MAX_JOURNALS = 40
const MAX_OF_JOURNAL = 50
/** Between two looks whether this is still the newest connection, and for events whose hint was lost. */
const LOOK_MS = 1_000
const PING_MS = 20_000
const CLOSING_MS = 1_000
/** A caller whose key was revoked stops reading with the next connection. */
const MAX_CONNECTION_MS = 10 * 60_000

/** Codes of RFC 6455 and of the registry of IANA; those from 4000 are ours. */
const ENDS = {
  badMessage: [1008, 'the only message is {"type": "ack", "id": "<id of an event>"}'],
  deleted: [1008, 'the subscription was deleted'],
  restart: [1012, 'the service restarts: connect again'],
  time: [1012, 'connect again'],
  trouble: [1013, 'events cannot be read now: connect again later'],
  replaced: [4001, 'another connection follows this subscription'],
} as const

interface Parts {
  id: string
  types: readonly string[]
  teamId: string
  database: Database
  tail: EventTail
  log: Log
}

export class SubscriptionSocket {
  readonly #socket: WebSocket
  readonly #parts: Parts
  readonly #holder = randomUUID()
  readonly #gone = new AbortController()
  /** By journal: the ids that are sent and not acknowledged, and how far it was read beyond them. */
  readonly #open = new Map<string, { sent: number[]; readTo: number }>()
  /** By journal, until they are stored. */
  #acks = new Map<string, number>()
  #isHeard = true
  #hasNews = false
  #resume = () => {}
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(socket: WebSocket, parts: Parts) {
    this.#socket = socket
    this.#parts = parts
    socket.on('message', (data) => this.#onMessage(String(data)))
    socket.on('pong', () => {
      this.#isHeard = true
    })
    socket.on('error', () => socket.terminate())
    socket.once('close', () => this.#gone.abort())
    this.#gone.signal.addEventListener('abort', () => this.#wake())
  }

  end(how: keyof typeof ENDS): void {
    const [code, reason] = ENDS[how]
    this.#socket.close(code, reason)
    // A program that does not answer.
    setTimeout(() => this.#socket.terminate(), CLOSING_MS).unref()
    this.#gone.abort()
  }

  /** Until the connection is over. Never rejects. */
  async run(): Promise<void> {
    const { id, teamId, database, tail, log } = this.#parts
    const leave = tail.listen(teamId, () => this.#wake())
    const timers = [setInterval(() => this.#ping(), PING_MS), setTimeout(() => this.end('time'), MAX_CONNECTION_MS)]
    try {
      await holdSubscription(database, id, this.#holder)
      while (!this.#gone.signal.aborted) await this.#round()
    } catch (error) {
      log.warn({ subscription: id, error: String(error) }, 'Events could not be read for a subscription')
      this.end('trouble')
    } finally {
      leave()
      for (const timer of timers) clearTimeout(timer)
    }
  }

  #wake(): void {
    this.#hasNews = true
    this.#resume()
  }

  async #round(): Promise<void> {
    const { id, database, types } = this.#parts
    this.#hasNews = false
    if (performance.now() - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = performance.now()
      const now = await holderOf(database, id)
      if (now?.holder !== this.#holder) return this.end(now === null ? 'deleted' : 'replaced')
    }
    await this.#storeAcks()
    const open = this.#open.values().reduce((sum, { sent }) => sum + sent.length, 0)
    if (open < MAX_OPEN) {
      const sent = new Map([...this.#open].map(([journal, { readTo }]) => [journal, readTo]))
      const read = await readInbox(database, id, types, { sent, journals: MAX_JOURNALS, each: MAX_OF_JOURNAL })
      await this.#skip(read)
      await this.#send(read)
      if (read.length > 0) return
    }
    if (this.#hasNews) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS)
      this.#resume = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #send(news: readonly JournalNews[]): Promise<void> {
    for (const { botId, journalId, readTo, events } of news) {
      const open = this.#open.get(journalId)
      if (events.length === 0) {
        if (open) open.readTo = readTo
        continue
      }
      this.#open.set(journalId, { sent: [...(open?.sent ?? []), ...events.map(({ seq }) => seq)], readTo })
      const message: typeof eventsMessage._zod.input = { type: 'events', bot_id: botId, events: events.map(shownEvent) }
      // A reader that does not read is ended by its silence.
      await new Promise<void>((resolve) => {
        this.#gone.signal.addEventListener('abort', () => resolve(), { once: true })
        this.#socket.send(JSON.stringify(message), () => resolve())
      })
    }
  }

  /** Events of other types need no acknowledgement. */
  async #skip(news: readonly JournalNews[]): Promise<void> {
    const unwanted = news.filter(({ events, journalId }) => events.length === 0 && !this.#open.has(journalId))
    const places = new Map(unwanted.map(({ journalId, readTo }) => [journalId, readTo]))
    await acknowledge(this.#parts.database, this.#parts.id, places)
  }

  async #storeAcks(): Promise<void> {
    if (this.#acks.size === 0) return
    const acks = this.#acks
    this.#acks = new Map()
    const places = new Map<string, number>()
    for (const [journal, seq] of acks) {
      const open = this.#open.get(journal)
      if (open) open.sent = open.sent.filter((one) => one > seq)
      // With the last sent event, what was read behind it is done with.
      places.set(journal, open?.sent.length === 0 ? Math.max(seq, open.readTo) : seq)
    }
    await acknowledge(this.#parts.database, this.#parts.id, places)
    for (const journal of places.keys()) if (this.#open.get(journal)?.sent.length === 0) this.#open.delete(journal)
  }

  #onMessage(text: string): void {
    const [journal = '', seq = ''] = ackOf(text)?.id.split(':') ?? []
    this.#acks.set(journal, Math.max(this.#acks.get(journal) ?? 0, Number(seq)))
    if (journal === '' || this.#acks.size > MAX_ACKS) this.end('badMessage')
    else this.#wake()
  }

  #ping(): void {
    if (this.#isHeard) this.#socket.ping()
    else this.#socket.terminate()
    this.#isHeard = false
  }
}

function ackOf(text: string) {
  try {
    return ackMessage.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
