/** Bots of a world that were launched, servers of the control link, and the worker's own end of it. */

import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createLinkServer,
  type LinkServer,
  type LinkServerOptions,
} from '@standin/control-plane/control-link/link-server.ts'
import type { Database } from '@standin/control-plane/store/database.ts'
import type { NewBotRow } from '@standin/control-plane/store/rows/index.ts'
import { writeLedger } from '@standin/control-plane/store/teams/ledger.ts'
import type { DownMessage, UpMessage } from '@standin/wire/control-link.ts'
import type { BotEvent, NumberedEvent } from '@standin/wire/events.ts'
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { openControlLink } from '../../../src/control-link/client.ts'
import type { LinkTiming } from '../../../src/control-link/timing.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { fakeUsage } from '../../fakes/usage.ts'
import { FAST, memoryLogger } from '../../src/control-link/support.ts'
import { type Base, quiet } from '../world.ts'

export const RESERVED = 500_000
/** For conditions that are waited for, in milliseconds. */
export const PATIENCE = { timeout: 25_000, interval: 10 }

export interface LaunchedBot {
  id: string
  /** The token of each attempt; the first has index 1. */
  tokens: string[]
}

export async function openLinks({ database, addBot, insert, teamId: newTeam }: Base) {
  const teamId = await newTeam()
  async function launch(botId: string, attempt: number): Promise<string> {
    const token = randomBytes(32).toString('base64url')
    const token_hash = createHash('sha256').update(token).digest()
    await insert('launches', { bot_id: botId, attempt, launcher: 'simulated', token_hash })
    return token
  }

  return {
    team: teamId,
    server: (options: Partial<LinkServerOptions> = {}) => startServer({ database, ...options }),
    /** A bot whose last attempt was launched, with a token for each attempt. */
    async bot(values: Partial<NewBotRow> = {}): Promise<LaunchedBot> {
      const attempt = values.attempt ?? 1
      const begun = { phase: 'starting', status: 'queued', attempt, reserved: RESERVED }
      const id = await addBot(teamId, { ...begun, ...values })
      const reserve = { teamId, botId: id, kind: 'reserve', meter: null, amount: RESERVED } as const
      await database.transaction().execute((tx) => writeLedger(tx, [{ ...reserve, source: `reserve:${id}` }]))
      const tokens = ['']
      for (let number = 1; number <= attempt; number++) tokens.push(await launch(id, number))
      return { id, tokens }
    },
    events: (botId: string) =>
      database
        .selectFrom('bot_events')
        .select(['journal_id', 'seq', 'attempt', 'type'])
        .where('bot_id', '=', botId)
        .orderBy('stored_at')
        .orderBy('seq')
        .execute(),
    messages: (botId: string) =>
      database
        .selectFrom('messages')
        .select(['id', 'event', 'body'])
        .where('bot_id', '=', botId)
        .orderBy('created_at')
        .execute(),
    ledger: (botId: string) =>
      database
        .selectFrom('ledger')
        .select(['kind', 'meter', 'amount'])
        .where('bot_id', '=', botId)
        .orderBy('id')
        .execute(),
  }
}

export interface RunningServer {
  url: string
  links: LinkServer
  /** Ends at once, like a process that is killed: no close frame is sent. */
  kill(): Promise<void>
}

async function startServer({
  database,
  log = quiet,
  ...rest
}: Partial<LinkServerOptions> & { database: Database }): Promise<RunningServer> {
  const links = createLinkServer({ database, log, ...rest })
  const http = createServer()
  const sockets = new Set<{ destroy(): void }>()
  http.on('connection', (socket) => sockets.add(socket))
  http.on('upgrade', (request, socket, head) => links.handleUpgrade(request, socket, head))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    await links.close()
    if (http.listening) await new Promise((resolve) => http.close(resolve))
  }
  onTestFinished(stop)
  return { url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/link`, links, kill: stop }
}

/** The worker's own link, at the pace of a test. */
export async function openBotLink(url: string, bot: LaunchedBot, timing: Partial<LinkTiming> = {}) {
  const logger = memoryLogger()
  const link = openControlLink({
    botId: bot.id,
    folder: temporaryFolder(),
    logger,
    url,
    token: bot.tokens[1]!,
    usage: fakeUsage(),
    timing: { ...FAST, ...timing },
  })
  onTestFinished(() => link.close())
  return { link, logger }
}

/** A bot that sends only the messages of a test, and keeps those that it receives. */
export async function openRawLink(url: string, token: string) {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } })
  const received: DownMessage[] = []
  const closed = Promise.withResolvers<number>()
  socket.on('message', (data) => received.push(JSON.parse(String(data))))
  socket.on('close', (code) => closed.resolve(code))
  const opened = Promise.withResolvers<void>()
  socket.on('open', () => opened.resolve())
  socket.on('unexpected-response', (request, response) => {
    opened.reject(new Error(`answered ${response.statusCode}`))
    request.destroy()
  })
  socket.on('error', (error) => opened.reject(error))
  onTestFinished(() => socket.terminate())
  await opened.promise
  return {
    received,
    closed: closed.promise,
    send: (message: UpMessage | string | Buffer) =>
      socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message)),
    terminate: () => socket.terminate(),
    ping: () => socket.ping(),
  }
}

/** The same, once it was welcomed. */
export async function openWelcomed({ url }: { url: string }, bot: LaunchedBot, journal: string = randomUUID()) {
  const link = await openRawLink(url, bot.tokens[1]!)
  link.send(hello(bot.id, journal))
  await expect.poll(() => link.received.length, PATIENCE).toBe(1)
  return link
}

export const hello = (bot_id: string, journal_id: string, last_seq = 0): UpMessage => ({
  type: 'hello',
  protocol_version: 1,
  bot_id,
  journal_id,
  last_seq,
})

export const numbered = (bot_id: string, seq: number, event: BotEvent, at = '2026-11-25T10:00:00.000Z') =>
  ({ type: 'event', seq, bot_id, at, event }) satisfies NumberedEvent

export const status = (name: 'joining_call' | 'in_waiting_room' | 'in_call_not_recording' | 'in_call_recording') =>
  ({ type: 'status_change', status: name }) satisfies BotEvent

const person = { id: 1, name: 'Ada Byron', platform_id: 'spaces/1' }

/** The events of a bot in an uneventful meeting of half an hour. */
export function wholeLife(): BotEvent[] {
  return [
    status('joining_call'),
    status('in_waiting_room'),
    status('in_call_not_recording'),
    { type: 'participant_joined', participant: person, offset: null },
    { type: 'status_change', status: 'in_call_recording', start_time: 1_795_253_400.084 },
    {
      type: 'speaker',
      participant: person,
      is_speaking: true,
      timestamp: 1_795_253_412.5,
      offset: 12.5,
      source: 'csrc',
      confidence: 0.9,
    },
    { type: 'recording_progress', seconds: 60, bytes: 4_718_592, dropped_frames: 0 },
    { type: 'artifact', artifact: { name: 'video.mp4', location: '/r/video.mp4', bytes: 1000, sha256: null } },
    { type: 'status_change', status: 'completed', end_code: 'API_REQUEST', end_message: 'The bot was asked to leave.' },
    {
      type: 'final_report',
      status: 'completed',
      end_code: 'API_REQUEST',
      end_message: 'The bot was asked to leave.',
      error_code: null,
      error_message: null,
      meeting_url: 'https://meet.google.com/abc-defg-hij',
      meeting_platform: 'meet',
      bot_name: 'Bot',
      recording_mode: 'speaker_view',
      joined_at: '2026-11-25T10:00:05.000Z',
      exited_at: '2026-11-25T10:30:05.000Z',
      recording_started_at: '2026-11-25T10:00:06.000Z',
      duration_seconds: 1800,
      participants: [person],
      speakers: [person],
      artifacts: [{ name: 'video.mp4', location: '/r/video.mp4', bytes: 1000, sha256: null, duration_seconds: 1800 }],
      location: '/r',
      extra: null,
    },
  ]
}
