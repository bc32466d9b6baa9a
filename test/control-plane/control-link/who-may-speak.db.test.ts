/** Whom the server of the control link hears: tokens, attempts that were replaced, and messages that do not fit. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { numbersUpTo } from '../../src/control-link/support.ts'
import { openWorld } from '../world.ts'
import { hello, numbered, openBotLink, openRawLink, openWelcomed, PATIENCE, status, wholeLife } from './world.ts'

const world = await openWorld({ links: true })

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
    const link = await openWelcomed(server, bot)
    await world.set(bot.id, { phase: 'due' })
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
    await world.set(bot.id, { attempt: 1 })
    const link = await openWelcomed(server, bot)
    await world.set(bot.id, { attempt: 2 })
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
    const link = await openWelcomed(server, bot)
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
    const link = await openWelcomed(server, bot)
    link.send(JSON.stringify(numbered(bot.id, 1, { type: 'invented', words: ['a'] } as never)))
    link.send(numbered(bot.id, 2, status('joining_call')))
    await expect.poll(() => link.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 2 })
    expect((await world.events(bot.id)).map(({ type }) => type)).toEqual(['invented', 'status_change'])
  })

  test('characters that PostgreSQL cannot store do not keep events from being stored', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
    const link = await openWelcomed(server, bot)
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
