/** The server of the control link with the worker's own client: what it stores, and what it logs. */
import { randomUUID } from 'node:crypto'
import type { Meters } from '@standin/control-plane/platform/meters.ts'
import { usageOfBot } from '@standin/control-plane/store/bots/usage.ts'
import { openDatabase } from '@standin/control-plane/store/database.ts'
import type { FinalReport } from '@standin/wire/events.ts'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { usageOf } from '../../fakes/usage.ts'
import { numbersUpTo, until } from '../../src/control-link/support.ts'
import { openWorld } from '../world.ts'
import { hello, numbered, openBotLink, openRawLink, PATIENCE, RESERVED, wholeLife } from './world.ts'

const world = await openWorld({ links: true })

describe('a whole run of a bot', () => {
  test('moves its row, sends webhooks and charges it, once', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const { link } = await openBotLink(server.url, bot)
    for (const event of wholeLife()) link.report(event)
    await link.drain(25_000)

    const row = await world.row(bot.id)
    expect(row).toMatchObject({
      phase: 'closed',
      status: 'completed',
      joined_attempt: 1,
      end_code: 'API_REQUEST',
      error_code: null,
      duration_seconds: 1800,
      reserved: 0,
      charged: { recording: 500_000, transcription: 0, streaming_input: 0 },
      participants: [{ id: 1, name: 'Ada Byron' }],
    })
    expect((await world.events(bot.id)).map(({ seq }) => seq)).toEqual(numbersUpTo(10))
    const codes = (await world.messages(bot.id)).map(({ event, body }) => {
      const { data } = body as { data: { status?: { code: string } } }
      return data.status?.code ?? event
    })
    expect(codes.sort()).toEqual(
      [
        ...['joining_call', 'in_waiting_room', 'in_call_not_recording', 'in_call_recording', 'call_ended'],
        // The callback has its own message.
        ...['recording_succeeded', 'completed', 'bot.completed', 'bot.completed'],
      ].sort(),
    )
    expect(await world.ledger(bot.id)).toEqual([
      { kind: 'reserve', meter: null, amount: RESERVED },
      { kind: 'release', meter: null, amount: RESERVED },
      { kind: 'charge', meter: 'recording', amount: 500_000 },
    ])
    const files = await world.rows('artifacts', { bot_id: bot.id })
    expect(files).toMatchObject([{ name: 'video.mp4', attempt: 1, bytes: 1000, duration_seconds: 1800 }])
  })

  test('its first connection is a step of its timeline, a second one is not', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const journal = randomUUID()
    for (const _ of [1, 2]) {
      const link = await openRawLink(server.url, bot.tokens[1]!)
      link.send(hello(bot.id, journal))
      await expect.poll(() => link.received, PATIENCE).toEqual([{ type: 'welcome', acknowledged: 0 }])
      link.terminate()
      await link.closed
    }
    const steps = await world.database.selectFrom('bot_steps').select('kind').where('bot_id', '=', bot.id).execute()
    expect(steps).toEqual([{ kind: 'connected' }])
  })
})

test('heartbeats are written for the attempt', async () => {
  const server = await world.server()
  const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
  await openBotLink(server.url, bot)
  await until(async () => {
    const launch = await world.database
      .selectFrom('launches')
      .select('heartbeat_at')
      .where('bot_id', '=', bot.id)
      .executeTakeFirstOrThrow()
    expect(launch.heartbeat_at).not.toBeNull()
  })
  // It counts if the bot never sends a final report.
  await until(async () => expect((await usageOfBot(world.database, bot.id))?.coreMs).toBe(1000n))
})

test('what a bot used is stored with its final report, in place of its heartbeats, and counted', async () => {
  const counted: unknown[][] = []
  const meters: Meters = { count: (...one) => void counted.push(one), time() {} }
  const server = await world.server({ meters })
  const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
  const { link } = await openBotLink(server.url, bot)
  await until(async () => expect(await usageOfBot(world.database, bot.id)).not.toBeNull())
  const report = wholeLife().find(({ type }) => type === 'final_report') as FinalReport
  link.report({ ...report, usage: usageOf({ core_seconds: 77, bytes_stored: 5 }, { recording: 60 }) })
  await link.drain(20_000)
  expect(await usageOfBot(world.database, bot.id)).toMatchObject({ coreMs: 77_000n, bytesStored: 5n })
  const of = { platform: report.meeting_platform, mode: report.recording_mode }
  expect(counted).toContainEqual(['bot_core_seconds', of, 77])
  expect(counted).toContainEqual(['bot_bytes', { ...of, kind: 'stored' }, 5])
  expect(counted).toContainEqual(['bot_phase_seconds', { ...of, phase: 'recording' }, 60])
})

describe('the log', () => {
  /** As the log of the service stores it. */
  function lines() {
    const written: string[] = []
    const write = (fields: object, message: string) => void written.push(JSON.stringify({ ...fields, message }))
    return { written, log: { info: write, warn: write, error: write } }
  }

  test('gives the reason where the database is away', async () => {
    const database = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/none', role: 'away', connections: 1 })
    const { written, log } = lines()
    const server = await world.server({ database, log })
    const bot = await world.bot()
    await expect(openRawLink(server.url, bot.tokens[1]!)).rejects.toThrow('503')
    expect(written.join()).toMatch(/The token of a bot could not be checked/)
    expect(written.join()).toMatch(/"error":"Error: connect ECONNREFUSED/)
  })

  test('contains no part of an event that the database refuses', async () => {
    const { written, log } = lines()
    const server = await world.server({ log })
    const bot = await world.bot()
    const refusal = sql`alter table bot_events add constraint refused check (type <> 'chat_message') not valid`
    await refusal.execute(world.database)
    try {
      const link = await openRawLink(server.url, bot.tokens[1]!)
      const journal = randomUUID()
      link.send(hello(bot.id, journal))
      await expect.poll(() => link.received.length, PATIENCE).toBe(1)
      link.send(
        numbered(bot.id, 1, {
          type: 'chat_message',
          message_id: 'm1',
          sender_id: 1,
          sender_name: 'Ada Byron',
          text: 'SECRET-OF-THE-CHAT',
          timestamp: '2026-11-25T10:00:00.000Z',
          is_own: false,
        }),
      )
      await link.closed
    } finally {
      await sql`alter table bot_events drop constraint refused`.execute(world.database)
    }
    expect(written.join()).toMatch(/violates check constraint.*Events could not be stored/)
    expect(written.join()).not.toContain('SECRET-OF-THE-CHAT')
  })
})
