/** The server of the control link with the worker's own client, and with links that misbehave. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockBot } from '../../../control-plane/store/bots/bots.ts'
import { addCommand, waitForAnswer } from '../../../control-plane/store/bots/commands.ts'
import { openDatabase } from '../../../control-plane/store/database.ts'
import { startCuttingProxy } from '../../src/control-link/cutting-proxy.ts'
import { notice, numbersUpTo, until } from '../../src/control-link/support.ts'
import {
  hello,
  type LinkWorld,
  numbered,
  openBotLink,
  openLinkWorld,
  openRawLink,
  RESERVED,
  status,
  wholeLife,
} from './world.ts'

let world: LinkWorld
beforeAll(async () => {
  world = await openLinkWorld()
})
afterAll(() => world.close())

const PATIENCE = { timeout: 25_000, interval: 10 }

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
    const files = await world.database.selectFrom('artifacts').selectAll().where('bot_id', '=', bot.id).execute()
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

describe('broken links', () => {
  /** Far more events than one transaction takes. */
  const MANY = 700

  test.each([
    ['up', [400, 900, 5_000, 20_000, 60_000]],
    // After the welcome, the first acknowledgement does not arrive: as if the server had crashed after its commit.
    ['down', [200, 230, 240, 260, 300]],
  ] as const)('cut on the way %s, every event is stored once and in order', async (direction, places) => {
    const server = await world.server()
    const proxy = await startCuttingProxy(server.url)
    proxy.cut = (connection) => (places[connection] ? { direction, afterBytes: places[connection] } : null)
    const bot = await world.bot()
    const { link } = await openBotLink(proxy.url, bot)
    link.report(status('joining_call'))
    for (const number of numbersUpTo(MANY - 1)) link.report(notice(`Notice ${number}`))
    await link.drain(50_000)
    expect(proxy.connections).toBeGreaterThan(1)
    const events = await world.events(bot.id)
    expect(new Set(events.map(({ journal_id }) => journal_id)).size).toBe(1)
    expect(events.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(numbersUpTo(MANY))
  })

  test('what is sent twice is stored once, and acknowledged twice', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(1)
    link.send(numbered(bot.id, 1, status('joining_call')))
    await expect.poll(() => link.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 1 })
    link.send(numbered(bot.id, 1, status('joining_call')))
    await expect
      .poll(() => link.received.slice(1), PATIENCE)
      .toEqual([
        { type: 'ack', seq: 1 },
        { type: 'ack', seq: 1 },
      ])
    expect(await world.events(bot.id)).toHaveLength(1)
    expect(await world.messages(bot.id)).toHaveLength(1)
  })

  test('an event behind a gap is not stored; the link is closed, so that the bot begins where it is missing', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(1)
    link.send(numbered(bot.id, 2, status('joining_call')))
    expect(await link.closed).toBe(1002)
    expect(await world.events(bot.id)).toEqual([])
  })

  test('two servers hold an old and a new link of one journal: each event is stored once', async () => {
    const [first, second] = [await world.server(), await world.server()]
    const bot = await world.bot()
    const journal = randomUUID()
    const links = await Promise.all([first, second].map(({ url }) => openRawLink(url, bot.tokens[1]!)))
    for (const link of links) link.send(hello(bot.id, journal))
    for (const link of links) await expect.poll(() => link.received.length, PATIENCE).toBe(1)
    const events = [status('joining_call'), ...numbersUpTo(299).map((number) => notice(`Notice ${number}`))]
    for (const [place, event] of events.entries())
      for (const link of links) link.send(numbered(bot.id, place + 1, event))
    for (const link of links)
      await expect.poll(() => link.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: events.length })
    expect((await world.events(bot.id)).map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(numbersUpTo(300))
    expect(await world.messages(bot.id)).toHaveLength(1)
  })

  test('a newer link of the same bot ends the older one', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const journal = randomUUID()
    const old = await openRawLink(server.url, bot.tokens[1]!)
    old.send(hello(bot.id, journal))
    await expect.poll(() => old.received.length, PATIENCE).toBe(1)
    const fresh = await openRawLink(server.url, bot.tokens[1]!)
    fresh.send(hello(bot.id, journal))
    await old.closed
    await expect.poll(() => fresh.received.length, PATIENCE).toBe(1)
    expect(server.links.size).toBe(1)
  })

  test('a link that is gone is noted, and its return as well', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'running', status: 'joining_call', joined_attempt: 1 })
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(1)
    link.terminate()
    await expect.poll(async () => (await world.row(bot.id)).link_lost_at, PATIENCE).not.toBeNull()
    const again = await openRawLink(server.url, bot.tokens[1]!)
    again.send(hello(bot.id, randomUUID()))
    await expect.poll(async () => (await world.row(bot.id)).link_lost_at, PATIENCE).toBeNull()
  })

  test('a link that stays down is a step of the timeline, once; a short break is none', async () => {
    let passed = 0
    const server = await world.server({ clock: { now: () => Date.now() + passed } })
    const [away, back] = [1, 2].map(() => world.bot({ phase: 'running', status: 'joining_call', joined_attempt: 1 }))
    const bots = await Promise.all([away!, back!])
    for (const bot of bots) {
      const link = await openRawLink(server.url, bot.tokens[1]!)
      link.send(hello(bot.id, randomUUID()))
      await expect.poll(() => link.received.length, PATIENCE).toBe(1)
      link.terminate()
      await expect.poll(async () => (await world.row(bot.id)).link_lost_at, PATIENCE).not.toBeNull()
    }
    const again = await openRawLink(server.url, bots[1]!.tokens[1]!)
    again.send(hello(bots[1]!.id, randomUUID()))
    await expect.poll(() => again.received.length, PATIENCE).toBe(1)
    passed = 31_000
    const steps = (bot: { id: string }) =>
      world.database
        .selectFrom('bot_steps')
        .select('kind')
        .where('bot_id', '=', bot.id)
        .where('kind', '=', 'link_lost')
        .execute()
    await expect.poll(() => steps(bots[0]!), PATIENCE).toEqual([{ kind: 'link_lost' }])
    expect(await steps(bots[1]!)).toEqual([])
  })

  test('a bot that connects while its launcher stores its answer does not get into a deadlock with it', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'launching' })
    const link = await openRawLink(server.url, bot.tokens[1]!)
    await world.database.transaction().execute(async (tx) => {
      await lockBot(tx, bot.id)
      link.send(hello(bot.id, randomUUID()))
      await expect
        .poll(async () => {
          const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(world.database)
          return rows[0]!.count
        }, PATIENCE)
        .toBeGreaterThan(0)
      await tx.updateTable('launches').set({ started_at: new Date() }).where('bot_id', '=', bot.id).execute()
    })
    await expect.poll(() => link.received, PATIENCE).toEqual([{ type: 'welcome', acknowledged: 0 }])
  })

  test('a server that closes says 1012 after it has stored what came', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(1)
    const closing = server.links.close()
    expect(await link.closed).toBe(1012)
    await closing
  })
})

describe('who may speak', () => {
  test('a token that no launch has is refused with 401', async () => {
    const server = await world.server()
    await expect(openRawLink(server.url, 'not-a-token')).rejects.toThrow('answered 401')
  })

  test('a token of another bot is closed with 1008', async () => {
    const server = await world.server()
    const [one, other] = [await world.bot(), await world.bot()]
    const link = await openRawLink(server.url, one.tokens[1]!)
    link.send(hello(other.id, randomUUID()))
    expect(await link.closed).toBe(1008)
  })

  test('an attempt that is not the bot any more is asked to leave before its request to join is acknowledged', async () => {
    const server = await world.server()
    const bot = await world.bot({ attempt: 2 })
    const journal = randomUUID()
    const stale = await openRawLink(server.url, bot.tokens[1]!)
    stale.send(hello(bot.id, journal))
    stale.send(hello(bot.id, journal))
    expect(await stale.closed).toBe(1002)
    const again = await openRawLink(server.url, bot.tokens[1]!)
    again.send(hello(bot.id, journal))
    await expect.poll(() => again.received.length, PATIENCE).toBe(2)
    again.send(numbered(bot.id, 1, status('joining_call')))
    await expect.poll(() => again.received.length, PATIENCE).toBe(3)
    expect(again.received).toMatchObject([
      { type: 'welcome', acknowledged: 0 },
      { type: 'command', command: { type: 'leave' } },
      { type: 'ack', seq: 1 },
    ])
    expect(await world.row(bot.id)).toMatchObject({ phase: 'starting', status: 'queued', joined_attempt: null })
    expect(await world.events(bot.id)).toMatchObject([{ attempt: 1, seq: 1 }])
    expect(await world.messages(bot.id)).toEqual([])
  })

  test('an attempt that was given up while the bot waits for the next one is asked to leave, and changes nothing', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'due' })
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(2)
    link.send(numbered(bot.id, 1, status('joining_call')))
    link.send(numbered(bot.id, 2, { type: 'status_change', status: 'completed', end_code: 'API_REQUEST' }))
    await expect.poll(() => link.received.at(-1), PATIENCE).toMatchObject({ type: 'ack', seq: 2 })
    expect(link.received.slice(0, 2)).toMatchObject([
      { type: 'welcome', acknowledged: 0 },
      { type: 'command', command: { type: 'leave' } },
    ])
    expect(await world.row(bot.id)).toMatchObject({
      phase: 'due',
      status: 'queued',
      joined_attempt: null,
      end_code: null,
    })
    expect(await world.events(bot.id)).toHaveLength(2)
  })

  test('an attempt whose bot becomes due while it is connected is asked to leave before its request is acknowledged', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(1)
    await world.database.updateTable('bots').set({ phase: 'due' }).where('id', '=', bot.id).execute()
    link.send(numbered(bot.id, 1, status('joining_call')))
    await expect.poll(() => link.received.length, PATIENCE).toBe(3)
    expect(link.received.slice(1)).toMatchObject([
      { type: 'command', command: { type: 'leave' } },
      { type: 'ack', seq: 1 },
    ])
  })

  test('an attempt that is replaced while it is connected is asked to leave as well', async () => {
    const server = await world.server()
    const bot = await world.bot({ attempt: 2 })
    await world.database.updateTable('bots').set({ attempt: 1 }).where('id', '=', bot.id).execute()
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(1)
    await world.database.updateTable('bots').set({ attempt: 2 }).where('id', '=', bot.id).execute()
    link.send(numbered(bot.id, 1, status('joining_call')))
    await expect.poll(() => link.received.length, PATIENCE).toBe(3)
    expect(link.received.slice(1)).toMatchObject([
      { type: 'command', command: { type: 'leave' } },
      { type: 'ack', seq: 1 },
    ])
  })

  test.each([
    ['text that is no JSON', 'no json', 1002],
    ['a heartbeat before the hello', '{"type":"heartbeat"}', 1002],
    ['bytes', Buffer.from([1, 2, 3]), 1002],
    ['an unknown version', '{"type":"hello","protocol_version":2}', 1002],
  ])('%s instead of a hello closes the link', async (_, first, code) => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(first)
    expect(await link.closed).toBe(code)
  })

  test('twenty messages that do not fit close the link; fewer do not', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(1)
    for (const _ of numbersUpTo(19)) link.send('{"type":"greeting"}')
    link.send(numbered(bot.id, 1, status('joining_call')))
    await expect.poll(() => link.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 1 })
    link.send('{"type":"greeting"}')
    expect(await link.closed).toBe(1008)
  })

  test('a frame beyond the limit closes the link', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send('x'.repeat(9 * 1024 * 1024 + 1))
    expect(await link.closed).toBe(1009)
  })

  test('an event of a kind that is not known yet is stored, and those behind it as well', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(1)
    link.send(JSON.stringify(numbered(bot.id, 1, { type: 'invented', words: ['a'] } as never)))
    link.send(numbered(bot.id, 2, status('joining_call')))
    await expect.poll(() => link.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 2 })
    expect((await world.events(bot.id)).map(({ type }) => type)).toEqual(['invented', 'status_change'])
  })

  test('characters that PostgreSQL cannot store do not keep events from being stored', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(1)
    const chat = {
      type: 'chat_message' as const,
      message_id: 'm\u0000',
      sender_id: null,
      sender_name: 'A\u0000B',
      text: 'half \ud800 of a pair',
      timestamp: '2026-11-25T10:00:00.000Z',
      is_own: false,
    }
    link.send(numbered(bot.id, 1, chat))
    await expect.poll(() => link.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 1 })
    expect(await world.messages(bot.id)).toMatchObject([
      { event: 'bot.chat_message', body: { data: { sender_name: 'A\ufffdB', text: 'half \ufffd of a pair' } } },
    ])
  })

  test('events of a bot whose data was deleted are acknowledged and not kept', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'closed', status: 'failed', data_deleted_at: new Date() })
    const { link } = await openBotLink(server.url, bot)
    for (const event of wholeLife()) link.report(event)
    await link.drain(25_000)
    expect(await world.events(bot.id)).toEqual([])
    const head = await world.database.selectFrom('journals').select('last_seq').where('bot_id', '=', bot.id).execute()
    expect(head).toEqual([{ last_seq: 10 }])
  })
})

describe('commands', () => {
  test('a command is sent, run and answered', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
    const { link } = await openBotLink(server.url, bot)
    const run: string[] = []
    link.onCommand(async (command) => {
      run.push(command.type)
      return { ok: false, code: 'FST_ERR_CHAT_DISABLED', message: 'Chat is switched off' }
    })
    const id = await addCommand(world.database, bot.id, { type: 'send_chat', message: 'Hello' }, 60)
    expect(await waitForAnswer(world.database, id, 25_000)).toMatchObject({
      id,
      ok: false,
      code: 'FST_ERR_CHAT_DISABLED',
    })
    expect(run).toEqual(['send_chat'])
  })

  test('a link that breaks before the answer is asked again under the same id, and the command is run once', async () => {
    const server = await world.server()
    const proxy = await startCuttingProxy(server.url)
    // The command arrives, its answer does not.
    proxy.cut = (connection) => (connection === 0 ? { direction: 'up', afterBytes: 800 } : null)
    const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
    const { link } = await openBotLink(proxy.url, bot)
    let runs = 0
    link.onCommand(async () => {
      runs += 1
      return { ok: true }
    })
    const id = await addCommand(world.database, bot.id, { type: 'screenshot' }, 60)
    expect(await waitForAnswer(world.database, id, 25_000)).toMatchObject({ ok: true })
    expect(runs).toBe(1)
  })

  test('a command that was added before the bot connected is sent after the welcome', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
    const id = await addCommand(world.database, bot.id, { type: 'pause' }, 60)
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect
      .poll(() => link.received, PATIENCE)
      .toEqual([
        { type: 'welcome', acknowledged: 0 },
        { type: 'command', id, command: { type: 'pause' } },
      ])
    link.send({ type: 'answer', id, ok: true })
    expect(await waitForAnswer(world.database, id, 25_000)).toMatchObject({ ok: true })
  })

  test('a command that grew old is not sent; a request to leave is, however old it is', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
    await addCommand(world.database, bot.id, { type: 'pause' }, -1)
    const id = await addCommand(world.database, bot.id, { type: 'leave' }, -1)
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(2)
    expect(link.received[1]).toEqual({ type: 'command', id, command: { type: 'leave' } })
  })

  test('a request to leave that comes while the bot connects arrives before its request to join is acknowledged', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(1)
    await world.database.transaction().execute(async (tx) => {
      await tx
        .updateTable('bots')
        .set({ stop_requested_at: new Date(), phase: 'ending' })
        .where('id', '=', bot.id)
        .execute()
      await addCommand(tx, bot.id, { type: 'leave' }, 60)
    })
    link.send(numbered(bot.id, 1, status('joining_call')))
    await expect.poll(() => link.received.length, PATIENCE).toBe(3)
    expect(link.received.slice(1).map(({ type }) => type)).toEqual(['command', 'ack'])
  })

  test('a second request to leave is the first one, so that a transcript is not skipped', async () => {
    const bot = await world.bot()
    const first = await addCommand(world.database, bot.id, { type: 'leave' }, 60)
    expect(await addCommand(world.database, bot.id, { type: 'leave' }, 60)).toBe(first)
  })

  test('open commands are answered as soon as the bot ends', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const { link } = await openBotLink(server.url, bot)
    link.onCommand(() => new Promise(() => {}))
    const id = await addCommand(world.database, bot.id, { type: 'screenshot' }, 60)
    const answer = waitForAnswer(world.database, id, 50_000)
    for (const event of wholeLife()) link.report(event)
    expect(await answer).toMatchObject({ id, ok: false, code: 'COMMAND_FAILED' })
  })

  test('the first answer counts, and only from the bot that was asked', async () => {
    const server = await world.server()
    const [bot, other] = [await world.bot({ phase: 'running', joined_attempt: 1 }), await world.bot()]
    const id = await addCommand(world.database, bot.id, { type: 'pause' }, 60)
    const foreign = await openRawLink(server.url, other.tokens[1]!)
    foreign.send(hello(other.id, randomUUID()))
    await expect.poll(() => foreign.received.length, PATIENCE).toBe(1)
    foreign.send({ type: 'answer', id, ok: false })
    foreign.send({ type: 'answer', id: 'not an id of ours', ok: false })
    foreign.send(numbered(other.id, 1, status('joining_call')))
    await expect.poll(() => foreign.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 1 })
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(2)
    link.send({ type: 'answer', id, ok: true })
    link.send({ type: 'answer', id, ok: false })
    expect(await waitForAnswer(world.database, id, 25_000)).toMatchObject({ ok: true })
  })
})

test('heartbeats are written for the attempt', async () => {
  const server = await world.server()
  const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
  await openBotLink(server.url, bot)
  await until(async () => {
    const launch = await world.database
      .selectFrom('launches')
      .select(['memory_bytes', 'heartbeat_at'])
      .where('bot_id', '=', bot.id)
      .executeTakeFirstOrThrow()
    expect(launch.heartbeat_at).not.toBeNull()
    expect(launch.memory_bytes).toBeGreaterThan(0)
  })
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
