/**
 * Control links on one process: memory and processor with a heartbeat every 5 s, the return of all bots after a restart,
 * and the time from an event to its acknowledgement, which comes after the commit. Beside the plainest server that could
 * hold the same links and stores nothing.
 *
 *   node bench/service/links.ts [links] [seconds] [events a second]
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { WebSocket } from 'ws'
import { type Database, openDatabase } from '../../control-plane/store/database.ts'
import { migrate } from '../../control-plane/store/migrate.ts'
import { startOwnPostgres } from '../../control-plane/store/own-postgres.ts'

const [links = 10_000, seconds = 30, eventsPerSecond = 500] = process.argv.slice(2).map(Number)
const HEARTBEAT_MS = 5_000
/** Dials at the same time; a kernel's queue of connections is finite. */
const DIALS = 200

interface Bot {
  id: string
  token: string
  journal: string
  seq: number
  socket: WebSocket | null
  sentAt: Map<number, number>
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const percentile = (values: number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

async function makeBots(database: Database): Promise<Bot[]> {
  const { id: team } = await database
    .insertInto('teams')
    .values({ name: 'Bench' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const bots = Array.from({ length: links }, () => ({
    id: randomUUID(),
    token: randomUUID(),
    journal: randomUUID(),
    seq: 0,
    socket: null,
    sentAt: new Map<number, number>(),
  }))
  const rows = JSON.stringify(
    bots.map(({ id, token }) => ({ id, hash: createHash('sha256').update(token).digest('hex') })),
  )
  await sql`insert into bots (id, team_id, generation, phase, status, bot_name, meeting_url, meeting_key,
      meeting_platform, recording_mode, request, attempt, joined_attempt)
    select id, ${team}, 'v2', 'running', 'in_call_recording', 'Bot', 'https://meet.google.com/abc-defg-hij', 'k', 'meet',
      'audio_only', '{}', 1, 1 from json_to_recordset(${rows}::json) as bot (id uuid)`.execute(database)
  await sql`insert into launches (bot_id, attempt, launcher, token_hash)
    select id, 1, 'simulated', decode(hash, 'hex') from json_to_recordset(${rows}::json) as bot (id uuid, hash text)`.execute(
    database,
  )
  return bots
}

interface Server {
  child: ChildProcess
  port: number
}

async function startServer(kind: 'service' | 'plain', url: string, port = 0): Promise<Server> {
  const env = { ...process.env, BENCH_KIND: kind, BENCH_DATABASE: url, BENCH_PORT: String(port) }
  const child = fork(new URL('link-server.ts', import.meta.url), { env })
  const [message] = (await once(child, 'message')) as [{ port: number }]
  return { child, port: message.port }
}

async function usageOf({ child }: Server): Promise<{ cpuSeconds: number; rssMegabytes: number }> {
  child.send('usage')
  const [usage] = await once(child, 'message')
  return usage as { cpuSeconds: number; rssMegabytes: number }
}

async function stop({ child }: Server): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const latencies: number[] = []

/** Resolves at the welcome. */
function connect(bot: Bot, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/link`, {
      headers: { authorization: `Bearer ${bot.token}` },
      perMessageDeflate: false,
    })
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
    socket.on('open', () =>
      socket.send(
        JSON.stringify({ type: 'hello', protocol_version: 1, bot_id: bot.id, journal_id: bot.journal, last_seq: 0 }),
      ),
    )
    socket.on('message', (data) => {
      const message = JSON.parse(String(data))
      if (message.type === 'welcome') {
        bot.socket = socket
        bot.seq = Math.max(bot.seq, message.acknowledged)
        resolve(true)
      } else if (message.type === 'ack') {
        // One acknowledgement may be for several events.
        for (const [seq, sentAt] of bot.sentAt) {
          if (seq > message.seq) break
          latencies.push(performance.now() - sentAt)
          bot.sentAt.delete(seq)
        }
      }
    })
  })
}

async function connectAll(bots: Bot[], port: number): Promise<number> {
  const startedAt = performance.now()
  const rest = [...bots]
  const dial = async () => {
    for (let bot = rest.pop(); bot; bot = rest.pop()) while (!(await connect(bot, port))) await wait(100)
  }
  await Promise.all(Array.from({ length: DIALS }, dial))
  return (performance.now() - startedAt) / 1000
}

/** Heartbeats of all bots, spread evenly. */
function beat(bots: Bot[]): NodeJS.Timeout {
  const ticks = HEARTBEAT_MS / 50
  let tick = 0
  return setInterval(() => {
    for (let place = tick % ticks; place < bots.length; place += ticks)
      bots[place]!.socket?.send(
        JSON.stringify({
          type: 'heartbeat',
          at: new Date().toISOString(),
          status: 'in_call_recording',
          cpu_percent: 42.5,
          memory_bytes: 600_000_000,
        }),
      )
    tick += 1
  }, 50)
}

/** How many were sent. */
async function sendEvents(bots: Bot[], forSeconds: number): Promise<number> {
  const end = performance.now() + forSeconds * 1000
  let sent = 0
  const startedAt = performance.now()
  while (performance.now() < end) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * eventsPerSecond)
    for (; sent < due; sent++) {
      const bot = bots[(sent * 7_919) % bots.length]!
      bot.seq += 1
      bot.sentAt.set(bot.seq, performance.now())
      // Every second event changes the status, and with it the row and a webhook message.
      const status = bot.seq % 2 === 0 ? 'recording_resumed' : 'recording_paused'
      bot.socket?.send(
        JSON.stringify({
          type: 'event',
          seq: bot.seq,
          bot_id: bot.id,
          at: new Date().toISOString(),
          event: { type: 'status_change', status },
        }),
      )
    }
    await wait(5)
  }
  for (let left = 600; left > 0 && bots.some(({ sentAt }) => sentAt.size > 0); left--) await wait(50)
  return sent
}

async function measure(kind: 'service' | 'plain', bots: Bot[], url: string): Promise<string[]> {
  for (const bot of bots) Object.assign(bot, { seq: 0, socket: null, journal: randomUUID(), sentAt: new Map() })
  let server = await startServer(kind, url)
  // From the first connection on: a bot that says nothing for 20 s is taken for dead.
  const heartbeats = beat(bots)
  const first = await connectAll(bots, server.port)
  await wait(2_000)
  const before = await usageOf(server)
  await wait(seconds * 1000)
  const after = await usageOf(server)
  latencies.length = 0
  const sent = await sendEvents(bots, seconds)
  const events = latencies.length
  const [half, most] = [percentile(latencies, 0.5), percentile(latencies, 0.99)]
  const { port } = server
  await stop(server)
  server = await startServer(kind, url, port)
  const again = await connectAll(bots, port)
  clearInterval(heartbeats)
  await stop(server)
  return [
    kind,
    first.toFixed(1),
    after.rssMegabytes.toFixed(0),
    ((after.cpuSeconds - before.cpuSeconds) / seconds).toFixed(3),
    again.toFixed(1),
    `${events} of ${sent}`,
    half.toFixed(0),
    most.toFixed(0),
  ]
}

const folder = await mkdtemp(join(tmpdir(), 'standin-bench-links-'))
const postgres = await startOwnPostgres({ folder })
const database = openDatabase({ url: postgres.url, role: 'bench', connections: 2 })
try {
  await migrate(database as never)
  const bots = await makeBots(database)
  const head = ['server', 'connected after s', 'RSS MB', 'cores', 'back after s', 'acknowledged', 'p50 ms', 'p99 ms']
  const lines = [head, head.map(() => '---')]
  for (const kind of ['plain', 'service'] as const) lines.push(await measure(kind, bots, postgres.url))
  console.log(`${links} links, ${eventsPerSecond} events/s, load ${loadavg()[0]!.toFixed(1)}\n`)
  for (const line of lines) console.log(`| ${line.join(' | ')} |`)
} finally {
  await database.destroy()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
process.exit(0)
