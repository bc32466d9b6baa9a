/** Databases that are away, and journals that are refused: no event is lost, none is stored twice. */
import { openDatabase } from '@standin/control-plane/store/database.ts'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { notice, numbersUpTo } from '../../src/control-link/support.ts'
import { openWorld } from '../world.ts'
import { openBotLink, status } from './world.ts'

const world = await openWorld({ links: true })

/** New connections take seconds each on a busy machine. */
const PATIENT = { timeout: 240_000 }
const PACE = { reconnectMinMs: 50, reconnectMaxMs: 250, heartbeatMs: 1_000, pingMs: 1_000 }

test(
  'connections to the database that break close links instead of acknowledging; later everything is stored',
  PATIENT,
  async () => {
    const pool = openDatabase({ url: world.url, role: 'links to be broken', connections: 3 })
    onTestFinished(() => pool.destroy())
    const server = await world.server({ database: pool })
    const bots = await Promise.all(numbersUpTo(5).map(() => world.bot()))
    const links = await Promise.all(bots.map((bot) => openBotLink(server.url, bot, PACE)))
    for (const round of numbersUpTo(40)) {
      for (const { link } of links) link.report(round === 1 ? status('joining_call') : notice(`Notice ${round}`))
      if (round % 8 === 0)
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'standin links to be broken' and datname = current_database()`.execute(world.database)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await Promise.all(links.map(({ link }) => link.drain(100_000)))
    for (const bot of bots)
      expect((await world.events(bot.id)).map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(numbersUpTo(40))
  },
)

test('one journal that cannot be stored holds up no other', async () => {
  const server = await world.server()
  const [stuck, free] = [await world.bot(), await world.bot()]
  await sql`create function refuse_stuck() returns trigger language plpgsql as $$
    begin if new.event ->> 'message' = 'stuck' then raise exception 'refused'; end if; return new; end $$`.execute(
    world.database,
  )
  await sql`create trigger refuse_stuck before insert on bot_events for each row execute function refuse_stuck()`.execute(
    world.database,
  )
  const links = await Promise.all([stuck, free].map((bot) => openBotLink(server.url, bot, PACE)))
  for (const place of numbersUpTo(20)) {
    links[0]!.link.report(notice('stuck'))
    links[1]!.link.report(notice(`Notice ${place}`))
  }
  await links[1]!.link.drain(30_000)
  expect(await world.events(free.id)).toHaveLength(20)
  expect(await world.events(stuck.id)).toHaveLength(0)
  await sql`drop trigger refuse_stuck on bot_events`.execute(world.database)
  await links[0]!.link.drain(30_000)
  expect(await world.events(stuck.id)).toHaveLength(20)
})
