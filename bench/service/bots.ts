/** Bots without a process: rows that are in a meeting, and control links that come back as a real bot's does. */
import { createHash, randomUUID } from 'node:crypto'
import { backoff } from '@standin/wire/time/backoff.ts'
import { sql } from 'kysely'
import { WebSocket } from 'ws'
import type { Database } from '../../control-plane/store/database.ts'
import { HEARTBEAT_EVERY_MS } from '../../src/control-link/timing.ts'
import { inLanes, until, wait } from './measure.ts'

/** Dials at the same time when links are opened for the first time. */
const DIALS = 100
const BEAT_TICK_MS = 50

export interface BenchBot {
  readonly id: string
  readonly token: string
  readonly journal: string
  /** The last event's. */
  seq: number
  socket: WebSocket | null
  failures: number
}

/** Bots without rows, because the plainest programs have no bots. */
export function makeBots(count: number): BenchBot[] {
  return Array.from({ length: count }, () => ({
    id: randomUUID(),
    token: randomUUID(),
    journal: randomUUID(),
    seq: 0,
    socket: null,
    failures: 0,
  }))
}

/** Rows of bots that record, with the launch that their link's token belongs to. */
export async function insertRunning(database: Database, teamId: string, bots: readonly BenchBot[]): Promise<void> {
  const rows = JSON.stringify(
    bots.map(({ id, token }) => ({ id, hash: createHash('sha256').update(token).digest('hex') })),
  )
  await sql`
    with given as (select * from json_to_recordset(${rows}::json) as bot (id uuid, hash text)),
    bot as (
      insert into bots (id, team_id, generation, phase, status, bot_name, meeting_url, meeting_key, meeting_platform,
        recording_mode, request, attempt, joined_attempt, queued_at)
      select id, ${teamId}::uuid, 'v2', 'running', 'in_call_recording', 'Bot', 'https://meet.google.com/abc-defg-hij',
        'meet:abc-defg-hij', 'meet', 'speaker_view', '{}', 1, 1, now() from given
      returning id
    )
    insert into launches (bot_id, attempt, launcher, token_hash)
    select id, 1, 'simulated', decode(hash, 'hex') from bot join given using (id)`.execute(database)
}

export interface LinkEvents {
  onAck?(bot: BenchBot, seq: number): void
}

export class BotLinks {
  readonly #bots: readonly BenchBot[]
  readonly #url: string
  readonly #events: LinkEvents
  readonly #timers = new Set<NodeJS.Timeout>()
  #beating: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(bots: readonly BenchBot[], url: string, events: LinkEvents = {}) {
    this.#bots = bots
    this.#url = url
    this.#events = events
  }

  get connected(): number {
    return this.#bots.reduce((count, { socket }) => count + (socket === null ? 0 : 1), 0)
  }

  /** Resolves when every bot is welcomed. From then on each comes back by itself, after the delays of a real bot. */
  async open(seconds: number): Promise<void> {
    await inLanes(DIALS, this.#bots.length, async (place) => {
      const bot = this.#bots[place]!
      this.#connect(bot)
      for (let left = 100; left > 0 && bot.socket === null; left--) await wait(10)
    })
    await this.allBack(seconds)
  }

  async allBack(seconds: number): Promise<void> {
    await until('every bot is welcomed', seconds, () => this.connected === this.#bots.length)
  }

  /** Heartbeats of all bots, spread evenly. */
  beat(): void {
    const ticks = HEARTBEAT_EVERY_MS / BEAT_TICK_MS
    let tick = 0
    this.#beating = setInterval(() => {
      for (let place = tick % ticks; place < this.#bots.length; place += ticks)
        this.#bots[place]!.socket?.send(
          JSON.stringify({
            type: 'heartbeat',
            at: new Date().toISOString(),
            status: 'in_call_recording',
            cpu_percent: 42.5,
            memory_bytes: 600_000_000,
          }),
        )
      tick += 1
    }, BEAT_TICK_MS)
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#beating)
    for (const timer of this.#timers) clearTimeout(timer)
    for (const bot of this.#bots) bot.socket?.terminate()
  }

  #connect(bot: BenchBot): void {
    const socket = new WebSocket(this.#url, {
      headers: { authorization: `Bearer ${bot.token}` },
      perMessageDeflate: false,
      handshakeTimeout: 10_000,
    })
    socket.on('error', () => {})
    socket.on('close', () => this.#gone(bot))
    socket.on('open', () => {
      const hello = { type: 'hello', protocol_version: 1, bot_id: bot.id, journal_id: bot.journal, last_seq: bot.seq }
      socket.send(JSON.stringify(hello))
    })
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { type: string; seq: number }
      if (message.type === 'welcome') {
        bot.socket = socket
        bot.failures = 0
      } else if (message.type === 'ack') this.#events.onAck?.(bot, message.seq)
    })
  }

  #gone(bot: BenchBot): void {
    bot.socket = null
    if (this.#isClosed) return
    bot.failures += 1
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        this.#connect(bot)
      },
      backoff({ first: 2_000, max: 30_000, jitter: 0.5 }, bot.failures),
    )
    this.#timers.add(timer)
  }
}

/** Sends a status with this instant. Pause and resumption take turns, so that each changes the row and makes a webhook. */
export function sendStatus(bot: BenchBot, at: string): void {
  bot.seq += 1
  const status = bot.seq % 2 === 0 ? 'recording_resumed' : 'recording_paused'
  const event = { type: 'status_change', status }
  bot.socket?.send(JSON.stringify({ type: 'event', seq: bot.seq, bot_id: bot.id, at, event }))
}
