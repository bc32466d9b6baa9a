/** Links that break, lag, or come twice: each event is stored once. */
import { randomUUID } from 'node:crypto'
import { lockBot } from '@standin/control-plane/store/bots/bots.ts'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startCuttingProxy } from '../../src/control-link/cutting-proxy.ts'
import { notice, numbersUpTo } from '../../src/control-link/support.ts'
import { waitingForLocks } from '../postgres.ts'
import { openWorld } from '../world.ts'
import { hello, numbered, openBotLink, openRawLink, openWelcomed, PATIENCE, status } from './world.ts'

const world = await openWorld({ links: true })

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
    const link = await openWelcomed(server, bot)
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
    const link = await openWelcomed(server, bot)
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
    const old = await openWelcomed(server, bot, journal)
    const fresh = await openRawLink(server.url, bot.tokens[1]!)
    fresh.send(hello(bot.id, journal))
    await old.closed
    await expect.poll(() => fresh.received.length, PATIENCE).toBe(1)
    expect(server.links.size).toBe(1)
  })

  test('a link that is gone is noted, and its return as well', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'running', status: 'joining_call', joined_attempt: 1 })
    const link = await openWelcomed(server, bot)
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
      const link = await openWelcomed(server, bot)
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

  test.each([3_600_000, -3_600_000])('a step of the clock by %i ms ends no link, and moves no loss', async (step) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const server = await world.server()
    const values = { phase: 'running', status: 'joining_call', joined_attempt: 1 } as const
    const [lost, kept] = await Promise.all([world.bot(values), world.bot(values)])
    const links = await Promise.all([lost, kept].map((bot) => openRawLink(server.url, bot.tokens[1]!)))
    for (const [place, { id }] of [lost, kept].entries()) links[place]!.send(hello(id, randomUUID()))
    await expect.poll(() => links.every(({ received }) => received.length === 1), PATIENCE).toBe(true)
    links[0]!.terminate()
    await expect.poll(() => server.links.size, { ...PATIENCE, interval: 1 }).toBe(1)
    vi.setSystemTime(Date.now() + step)
    await expect.poll(async () => (await world.row(lost.id)).link_lost_at, PATIENCE).not.toBeNull()
    const { rows } = await sql<{ age: number }>`
      select extract(epoch from now() - link_lost_at)::float8 as age from bots where id = ${lost.id}`.execute(
      world.database,
    )
    expect(Math.abs(rows[0]!.age)).toBeLessThan(60)
    links[1]!.send(numbered(kept.id, 1, notice('There')))
    await expect.poll(() => links[1]!.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 1 })
  })

  test('a bot that connects while its launcher stores its answer does not get into a deadlock with it', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'launching' })
    const link = await openRawLink(server.url, bot.tokens[1]!)
    await world.database.transaction().execute(async (tx) => {
      await lockBot(tx, bot.id)
      link.send(hello(bot.id, randomUUID()))
      await expect.poll(() => waitingForLocks(world.database), PATIENCE).toBeGreaterThan(0)
      await tx.updateTable('launches').set({ started_at: new Date() }).where('bot_id', '=', bot.id).execute()
    })
    await expect.poll(() => link.received, PATIENCE).toEqual([{ type: 'welcome', acknowledged: 0 }])
  })

  test('a server that closes says 1012 after it has stored what came', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openWelcomed(server, bot)
    const closing = server.links.close()
    expect(await link.closed).toBe(1012)
    await closing
  })
})
