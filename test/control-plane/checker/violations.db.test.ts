/** The checker itself: correct rows pass, and a planted defect of each kind is found. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { EVENT_TYPES } from '../../../control-plane/bots/shown-events.ts'
import { createEndpoint } from '../../../control-plane/store/webhooks/endpoints.ts'
import type { HostedBot } from '../launching/bot-host.ts'
import { openWorld, seals } from '../world.ts'
import { type Evidence, type Received, violations } from './violations.ts'

const world = await openWorld({ launching: true })

class RolledBack extends Error {}

test('a service without defects passes, and each planted defect is named', async () => {
  const setting = await world.launchingSetting()
  const { database, host, teamId } = setting
  await createEndpoint(database, seals, { teamId, kind: 'team', url: 'http://127.0.0.1:9/' })
  const room = setting.launching()
  const plans = [
    {},
    { dies: 'recording' as const },
    { isRefused: true },
    { dies: 'before_joining' as const, deadAttempts: 1 },
  ]
  const ids = await Promise.all(plans.map((plan) => setting.bot(plan)))
  const open = () => database.selectFrom('launches').select('bot_id').where('cleaned_at', 'is', null).execute()
  await expect
    .poll(async () => (await Promise.all(ids.map(setting.row))).every(({ phase }) => phase === 'closed'))
    .toBe(true)
  await expect.poll(open).toEqual([])
  await room.close()
  await database.updateTable('deliveries').set({ state: 'delivered' }).execute()
  const received = (await database
    .selectFrom('deliveries')
    .innerJoin('messages', 'messages.id', 'deliveries.message_id')
    .select(['messages.id', 'messages.event', 'messages.bot_id as botId'])
    .orderBy('deliveries.id')
    .execute()) as Received[]
  const right: Evidence = { database, host, received }
  expect(await violations(right)).toEqual([])

  const [id] = ids as [string]
  /** The violations after a change of the rows, which is rolled back. */
  const after = async (plant: (db: Evidence['database']) => Promise<unknown>): Promise<string[]> => {
    let found: string[] = []
    await database
      .transaction()
      .execute(async (tx) => {
        await plant(tx)
        found = await violations({ ...right, database: tx })
        throw new RolledBack()
      })
      .catch((error) => {
        if (!(error instanceof RolledBack)) throw error
      })
    return found
  }
  const step = { bot_id: id, attempt: 1, at: new Date(), kind: 'ended', reason: null, evidence: null }
  const rowDefects: [string, (db: Evidence['database']) => Promise<unknown>][] = [
    ['one end', (db) => db.insertInto('bot_steps').values(step).execute()],
    ['one end', (db) => db.updateTable('bots').set({ phase: 'running' }).where('id', '=', id).execute()],
    ['one bot', (db) => db.updateTable('bots').set({ joined_attempt: 7 }).where('id', '=', id).execute()],
    ['one history', (db) => db.deleteFrom('bot_events').where('bot_id', '=', id).where('seq', '=', 3).execute()],
    ['one history', (db) => db.deleteFrom('bot_events').where('bot_id', '=', id).where('seq', '>', 3).execute()],
    ['webhooks', (db) => db.updateTable('deliveries').set({ state: 'failed' }).where('bot_id', '=', id).execute()],
    ['tokens', (db) => db.updateTable('teams').set({ reserved: 1 }).where('id', '=', teamId).execute()],
    ['tokens', (db) => db.deleteFrom('ledger').where('bot_id', '=', id).where('kind', '=', 'release').execute()],
    ['nothing left', (db) => db.updateTable('bots').set({ lease_owner: 'x' }).where('id', '=', id).execute()],
    ['nothing left', (db) => db.updateTable('launches').set({ cleaned_at: null }).where('bot_id', '=', id).execute()],
  ]
  for (const [name, plant] of rowDefects) expect(await after(plant)).toContainEqual(expect.stringMatching(`^${name}:`))

  const [hosted] = host.of(id) as [HostedBot]
  const second: HostedBot = {
    ...hosted,
    attempt: 2,
    bot: { ...hosted.bot, joinRequests: [1], lastSeq: 1, evidence: null },
  }
  const hosts = {
    ...host,
    bots: [...host.bots, second],
    of: (bot: string) => [...host.of(bot), ...(bot === id ? [second] : [])],
  }
  const twice = await violations({ ...right, host: hosts })
  expect(twice).toContainEqual(
    expect.stringMatching(/^one bot: attempt 1 of bot .* lived while the next one asked to join/),
  )
  expect(twice).toContainEqual(expect.stringMatching(/^nothing left: 1 bots run/))

  expect(await violations({ ...right, received: received.slice(1) })).toContainEqual(
    expect.stringMatching(/^webhooks: .* not received/),
  )
  const own = received.filter(({ botId }) => botId === id)
  expect(
    await violations({ ...right, received: [...received.filter(({ botId }) => botId !== id), ...own.reverse()] }),
  ).toContainEqual(expect.stringMatching(/^webhooks: .* out of order/))
  const { rows: events } = await sql<{ bot: string; id: string }>`
    select bot_id as bot, journal_id || ':' || seq as id from bot_events
    where type = any(${EVENT_TYPES}::text[]) order by attempt, seq`.execute(database)
  const heardBy = (change: (ids: string[]) => string[]) =>
    new Map(
      ids.map((bot) => {
        const all = events.filter((one) => one.bot === bot).map((one) => one.id)
        return [bot, { stream: change(all), team: all }]
      }),
    )
  const followed = (change: (ids: string[]) => string[]) => violations({ ...right, heard: heardBy(change) })
  expect(await followed((all) => all)).toEqual([])
  for (const [problem, change] of [
    ['1 events are missing, such as', (all) => all.slice(0, -1)],
    ['an event came twice or out of order', (all) => [...all, all[0]!]],
    ['an event came twice or out of order', (all) => all.toReversed()],
    ['an event came that is not stored', (all) => [...all, `${randomUUID()}:1`]],
  ] as [string, (ids: string[]) => string[]][])
    expect(await followed(change)).toContainEqual(
      expect.stringMatching(new RegExp(`^followers: the stream of bot .*${problem}`)),
    )
  // The last event of each bot came after its end, when its streams were over.
  await sql`
    update bot_events set stored_at = now() where (journal_id, seq) in (
      select distinct on (bot_id) journal_id, seq from bot_events where type = any(${EVENT_TYPES}::text[])
      order by bot_id, attempt desc, seq desc)`.execute(database)
  expect(await followed((all) => all.slice(0, -1))).toEqual([])
  expect(await followed((all) => all.slice(0, -2))).toContainEqual(expect.stringMatching(/the stream .* 1 events are/))
  const stranger = { id: 'msg_invented', event: 'bot.completed', botId: id }
  const invented = await violations({ ...right, received: [...received, stranger] })
  expect(invented).toContainEqual(expect.stringMatching(/^webhooks: msg_invented/))
  expect(invented).toContainEqual(expect.stringMatching(/^one end: .* 2 received/))
})
