/** Rows that are kept no longer are removed; what is still needed stays. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type KeptDays, removeOldRows } from '../../../../control-plane/files/jobs/old-rows.ts'
import { writeLedger } from '../../../../control-plane/store/teams/ledger.ts'
import { ledgerDifferences, openReserves } from '../../../../control-plane/store/teams/ledger-audit.ts'
import { ledgerSum } from '../../../../control-plane/store/teams/teams.ts'
import { replayDeliveries } from '../../../../control-plane/store/webhooks/deliveries.ts'
import { openJobWorld } from './job-world.ts'

const KEEP: KeptDays = { deliveries: 30, histories: 180, ledger: 400, auditLog: 400 }
const ago = (days: number) => new Date(Date.now() - days * 86_400_000)

const world = await openJobWorld()

const remove = (keep = KEEP) => removeOldRows(world.database, keep, new AbortController().signal)
const NONE = {
  ...{ deliveries: 0, event_inbox: 0, messages: 0, histories: 0, ledger: 0, audit_log: 0, request_log: 0 },
}

const counts = (...tables: Parameters<typeof world.rows>[0][]) =>
  Promise.all(tables.map(async (table) => (await world.rows(table)).length))

let numbers = 0
/** A bot that ended so long ago, with a finished delivery of that time. */
async function oldBot(days: number, values: object = {}): Promise<string> {
  const id = await world.recordedBot({ created_at: ago(days), ended_at: ago(days), ...values })
  const journal = { bot_id: id, journal_id: randomUUID() }
  await world.insert('journals', { ...journal, attempt: 1 })
  await world.insert('team_events', { ...journal, team_id: world.team, last_number: ++numbers, last_seq: 1, events: 1 })
  await world.change('launches', { bot_id: id }, { cleaned_at: ago(days) })
  await world.change('messages', { bot_id: id }, { created_at: ago(days) })
  await finish(id, days)
  return id
}
const finish = (botId: string, days: number, state = 'delivered') =>
  world.change('deliveries', { bot_id: botId }, { state, finished_at: ago(days) })

const HISTORY = ['bot_steps', 'launches', 'journals', 'bot_commands', 'team_events'] as const
const OUTBOX = ['messages', 'deliveries', 'delivery_attempts'] as const

test('finished deliveries go after 30 days with their attempts and messages, and nothing younger', async () => {
  for (const state of ['delivered', 'failed', 'dropped']) await finish(await oldBot(31), 31, state)
  await oldBot(29)
  expect(await counts(...OUTBOX)).toEqual([4, 4, 4])
  expect(await remove()).toEqual({ ...NONE, deliveries: 3, messages: 3 })
  expect(await counts(...OUTBOX)).toEqual([1, 1, 1])
  expect(await counts('bots', ...HISTORY)).toEqual([4, 4, 4, 4, 4, 4])
  expect(await remove()).toEqual(NONE)
})

test('a delivery that waits keeps its message and attempts, however old; so does one that is sent again', async () => {
  const waiting = await oldBot(500)
  const set = { state: 'waiting', finished_at: null }
  await world.change('deliveries', { bot_id: waiting }, set)
  const again = await oldBot(500)
  expect(await replayDeliveries(world.database, { botId: again })).toBe(1)
  // One message, two endpoints: one delivery is over.
  const { id: other } = await world.endpoint({ teamId: world.team, kind: 'team', url: 'https://b.test' })
  const twin = { message_id: `msg_${waiting}`, endpoint_id: other, team_id: world.team, ordering_key: 'a' }
  await world.insert('deliveries', { ...twin, state: 'delivered', finished_at: ago(500) })
  expect(await remove({ ...KEEP, histories: 36_500 })).toEqual({ ...NONE, deliveries: 1 })
  expect(await counts(...OUTBOX)).toEqual([2, 2, 2])
})

test('a message that no endpoint wanted goes', async () => {
  const message = { team_id: world.team, event: 'x', ordering_key: 'x', body: '{}', generation: 'webhooks' }
  await world.insert('messages', { ...message, id: 'nobody', created_at: ago(31) })
  expect(await remove()).toEqual({ ...NONE, messages: 1 })
  expect(await counts('messages')).toEqual([0])
})

test('the history of a bot goes 180 days after its end; the bot, its events and its files stay', async () => {
  const old = await oldBot(181)
  await oldBot(179)
  const before = await counts('bots', 'bot_events')
  expect(await remove()).toMatchObject({ histories: 1 })
  expect(await counts(...HISTORY)).toEqual([1, 1, 1, 1, 1])
  expect(await counts('bots', 'bot_events')).toEqual(before)
  expect((await world.files.list(old)).length).toBeGreaterThan(0)
  expect(await remove()).toEqual(NONE)
})

test('a bot that has not ended keeps its rows, and one whose container is not removed yet', async () => {
  for (const phase of ['scheduled', 'due', 'launching', 'starting', 'running', 'ending', 'assembling', 'processing'])
    await oldBot(500, { phase, status: 'queued' })
  const left = await oldBot(500)
  await world.change('launches', { bot_id: left }, { cleaned_at: null })
  const before = await counts(...HISTORY)
  expect(await remove()).toMatchObject({ histories: 0 })
  expect(await counts(...HISTORY)).toEqual(before)
})

test('the ledger keeps its sums by team, kind, meter and month, and the entries of bots that have not ended', async () => {
  const { database, team } = world
  const other = await world.teamId()
  const [ended, open] = [await oldBot(500), await oldBot(500, { phase: 'running', status: 'queued' })]
  await world.change('teams', {}, { balance: 0 })
  const add = (
    teamId: string,
    botId: string | null,
    kind: string,
    amount: number,
    meter: 'recording' | 'transcription' | null = null,
  ) =>
    database
      .transaction()
      .execute((tx) =>
        writeLedger(tx, [{ teamId, botId, kind: kind as 'charge', meter, amount, source: randomUUID() }]),
      )
  for (const teamId of [team, other]) {
    await add(teamId, null, 'grant', 9_000_000)
    await add(teamId, null, 'adjust', -77)
    for (let count = 0; count < 12; count++) {
      await add(teamId, ended, 'reserve', 1000 + count)
      await add(teamId, ended, 'release', 1000 + count)
      await add(teamId, ended, 'charge', 500 + count, count % 2 === 0 ? 'recording' : 'transcription')
    }
  }
  await add(team, open, 'reserve', 4321)
  await sql`update ledger set at = timestamptz '2020-01-31T23:59:59Z' + id / 3 % 2 * interval '2 seconds'`.execute(
    database,
  )
  await add(team, null, 'grant', 5)
  const state = async () => ({
    sums: [await ledgerSum(database, team), await ledgerSum(database, other)],
    differences: await ledgerDifferences(database),
    reserves: await openReserves(database),
  })
  const byMonth = () =>
    sql`select team_id, kind, meter, date_trunc('month', at, 'UTC') as month, sum(amount) from ledger
      group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(database)
  const [before, months] = [await state(), (await byMonth()).rows]
  expect(before.differences).toEqual([])
  expect(await remove()).toMatchObject({ ledger: 76 })
  expect(await state()).toEqual(before)
  expect((await byMonth()).rows).toEqual(months)
  const rows = await world.rows('ledger')
  expect(
    rows
      .filter(({ source }) => !source.startsWith('sum:'))
      .map(({ amount }) => amount)
      .sort(),
  ).toEqual([4321, 5])
  expect(rows).toHaveLength(months.length + 1)
  expect(await remove()).toMatchObject({ ledger: 0 })
  await world.set(open, { phase: 'closed', status: 'failed' })
  expect(await remove()).toMatchObject({ ledger: 1 })
  expect((await state()).sums).toEqual(before.sums)
})

test('entries of the audit log go after their time; thousands of rows go in batches', async () => {
  await sql`insert into audit_log (team_id, at, actor_kind, action)
    select ${world.team}, now() - n * interval '1 day' + interval '1 hour', 'system', 'team.change' from generate_series(1, 1500) n`.execute(
    world.database,
  )
  expect(await remove()).toMatchObject({ audit_log: 1100 })
  await expect(remove({ ...KEEP, auditLog: 20 })).rejects.toThrow('cannot be changed')
})

test('an idempotency key answers for a bot whose rows are gone', async () => {
  const id = await oldBot(500)
  const key = { team_id: world.team, key: 'k', body_hash: Buffer.from('x'), status: 201 }
  await world.insert('idempotency_keys', { ...key, answer: JSON.stringify({ data: { bot_id: id } }) })
  await remove()
  expect(await counts('idempotency_keys', 'bots')).toEqual([1, 1])
})

test('a signal ends it after the batch', async () => {
  await oldBot(500)
  const stop = new AbortController()
  stop.abort()
  expect(await removeOldRows(world.database, KEEP, stop.signal)).toEqual(NONE)
})
