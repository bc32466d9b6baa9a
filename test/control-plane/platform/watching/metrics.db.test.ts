/** Gauges of the database, and what holds for all metrics. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { auditLedger } from '../../../../control-plane/files/jobs/audit.ts'
import { createMetrics } from '../../../../control-plane/platform/watching/metrics.ts'
import { openDatabase } from '../../../../control-plane/store/database.ts'
import { emptyDatabase } from '../../postgres.ts'
import { openWorld, quiet } from '../../world.ts'
import { readValue, samplesOf, valueIn } from './scrape.ts'

const base = await openWorld({ webhooks: true })
beforeEach(() => emptyDatabase(base.database))

function watched(cacheMs = 0) {
  const { registry, ran } = createMetrics({ database: base.database, log: quiet, cacheMs })
  /** Reads again where a starved database took more than its two seconds. */
  async function value(name: string, labels = {}) {
    let samples = samplesOf(await registry.metrics())
    while (name !== 'database_up' && valueIn(samples, 'standin_database_up') !== 1)
      samples = samplesOf(await registry.metrics())
    return valueIn(samples, `standin_${name}`, labels)
  }
  return { registry, ran, value }
}
const inPast = (seconds: number) => new Date(Date.now() - seconds * 1000)

test('bots by state, and how late the latest of them is', async () => {
  const { value } = watched()
  const teamId = await base.teamId()
  await base.addBot(teamId, { phase: 'running', status: 'in_call_recording' })
  await base.addBot(teamId, { phase: 'running', status: 'in_waiting_room' })
  await base.addBot(teamId, { phase: 'due', status: 'queued', due_at: inPast(70) })
  await base.addBot(teamId, { phase: 'closed', status: 'completed' })
  expect(await value('bots', { phase: 'running' })).toBe(2)
  expect(await value('bots', { phase: 'closed' })).toBeUndefined()
  expect(await value('bots_by_status', { status: 'in_waiting_room' })).toBe(1)
  for (const late of [await value('bot_lateness_seconds'), await value('queue_age_seconds', { queue: 'bots' })]) {
    expect(late).toBeGreaterThan(69)
    expect(late).toBeLessThan(200)
  }
  await sql`delete from bots where phase = 'due'`.execute(base.database)
  expect(await value('bot_lateness_seconds')).toBe(0)
})

test('bots that are due soon, of calendars too, before they are started', async () => {
  const { value } = watched()
  const due = async () => [
    await value('bots_due', { minutes: '5' }),
    await value('bots_due', { minutes: '10' }),
    await value('bots_due', { minutes: '15' }),
  ]
  expect(await due()).toEqual([0, 0, 0])
  const teamId = await base.teamId()
  const bot = (phase: string, minutes: number, values = {}) =>
    base.addBot(teamId, { phase, status: 'queued', due_at: inPast(-60 * minutes), ...values })
  await bot('due', -1)
  await bot('scheduled', 4)
  await bot('scheduled', 9, { event_id: randomUUID(), is_scheduled: true })
  for (let one = 0; one < 3; one++) await bot('scheduled', 14)
  await bot('scheduled', 16)
  await bot('launching', 4)
  await bot('closed', 4)
  expect(await due()).toEqual([2, 3, 6])
})

test('the oldest delivery, apart for endpoints that fail again and again', async () => {
  const { value } = watched()
  const teamId = await base.teamId()
  const botId = await base.addBot(teamId)
  await base.endpoint({ teamId, kind: 'team', url: 'http://127.0.0.1:1/' })
  await base.send(teamId, botId, 2)
  expect(await value('webhook_deliveries', { state: 'waiting' })).toBe(2)
  await sql`update deliveries set next_at = now() - interval '90 s'`.execute(base.database)
  expect(await value('webhook_oldest_seconds', { endpoint: 'answering' })).toBeGreaterThan(89)
  expect(await value('queue_age_seconds', { queue: 'deliveries' })).toBeGreaterThan(89)
  expect(await value('webhook_oldest_seconds', { endpoint: 'failing' })).toBe(0)
  await sql`update endpoints set failed_in_a_row = 5`.execute(base.database)
  expect(await value('webhook_oldest_seconds', { endpoint: 'answering' })).toBe(0)
  expect(await value('webhook_oldest_seconds', { endpoint: 'failing' })).toBeGreaterThan(89)
  expect(await value('webhook_endpoints_failing')).toBe(1)
})

test('ages of the other queues', async () => {
  const { value } = watched()
  const age = (queue: string) => value('queue_age_seconds', { queue })
  const teamId = await base.teamId()
  const botId = await base.addBot(teamId)
  for (const queue of ['deletions', 'retranscriptions', 'commands']) expect(await age(queue), queue).toBe(0)
  await sql`insert into deletions (bot_id, reason, next_try_at) values (${botId}, 'request', now() - interval '50 s')`.execute(
    base.database,
  )
  await sql`insert into retranscriptions (bot_id, provider, has_own_key, earlier, due_at)
    values (${botId}, 'deepgram', false, '{}', now() - interval '50 s')`.execute(base.database)
  await sql`insert into bot_commands (bot_id, command, created_at, expires_at)
    values (${botId}, '{"type":"leave"}', now() - interval '50 s', now() + interval '1 h')`.execute(base.database)
  for (const queue of ['deletions', 'retranscriptions', 'commands']) expect(await age(queue), queue).toBeGreaterThan(49)
})

test('calendars by status, the age of their syncs, and the ones without pushes', async () => {
  const { value } = watched()
  const teamId = await base.teamId()
  const calendar = (values: { status: string; synced: number; due: number }) =>
    sql`
    insert into calendars (team_id, generation, platform, raw_calendar_id, name, account_email, is_primary, status,
      synced_at, sync_due_at)
    values (${teamId}, 'v2', 'google', ${randomUUID()}, 'C', 'a@example.com', true, ${values.status},
      ${inPast(values.synced)}, ${inPast(values.due)})`.execute(base.database)
  await calendar({ status: 'active', synced: 400, due: 100 })
  await calendar({ status: 'revoked', synced: 90_000, due: -60 })
  expect(await value('calendars', { status: 'active' })).toBe(1)
  expect(await value('calendars', { status: 'revoked' })).toBe(1)
  expect(await value('calendars_without_push')).toBe(2)
  expect(await value('calendar_sync_lateness_seconds')).toBeGreaterThan(99)
  expect(await value('queue_age_seconds', { queue: 'calendar_syncs' })).toBeGreaterThan(99)
  // A calendar that a person has to reconnect is not synced, so it does not count.
  expect(await value('calendar_sync_age_seconds')).toBeGreaterThan(399)
  expect(await value('calendar_sync_age_seconds')).toBeLessThan(1_000)
})

test('what the last audit found, and when the periodic jobs were done', async () => {
  const { value } = watched()
  const teamId = await base.teamId()
  expect(await value('ledger_difference')).toBeUndefined()
  await auditLedger(base.database, quiet)
  expect([await value('ledger_difference'), await value('ledger_open_reserves')]).toEqual([0, 0])
  await sql`update teams set spent = 70, reserved = 5 where id = ${teamId}`.execute(base.database)
  const botId = await base.addBot(teamId)
  await sql`insert into ledger (team_id, bot_id, kind, amount, source)
    values (${teamId}, ${botId}, 'reserve', 30, 'reserve:test')`.execute(base.database)
  await auditLedger(base.database, quiet)
  expect([await value('ledger_difference'), await value('ledger_open_reserves')]).toEqual([95, 1])

  await sql`insert into settings (name, value)
    values ('job:audit', jsonb_build_object('ended', now() - interval '300 s'))`.execute(base.database)
  expect(await value('job_age_seconds', { job: 'audit' })).toBeGreaterThan(299)
})

test('a scrape shares its reading with others for a while', async () => {
  const { value } = watched(60_000)
  const teamId = await base.teamId()
  await base.addBot(teamId, { phase: 'running', status: 'in_call_recording' })
  expect(await value('bots', { phase: 'running' })).toBe(1)
  await base.addBot(teamId, { phase: 'running', status: 'in_call_recording' })
  expect(await value('bots', { phase: 'running' })).toBe(1)
  expect(await watched().value('bots', { phase: 'running' })).toBe(2)
})

test('without the database there are no gauges of it, and everything else is there', async () => {
  const warnings: string[] = []
  const gone = openDatabase({ url: 'postgres://nobody:password@127.0.0.1:1/none', role: 'test', connections: 1 })
  const { registry, meters } = createMetrics({
    database: gone,
    log: { ...quiet, warn: (fields) => warnings.push(JSON.stringify(fields)) },
  })
  meters.count('claims', { queue: 'bots' })
  const samples = samplesOf(await registry.metrics())
  const names = new Set(samples.map(({ name }) => name))
  expect(samples.find(({ name }) => name === 'standin_database_up')?.value).toBe(0)
  expect(names).toContain('standin_claims_total')
  expect(names).not.toContain('standin_bots')
  expect(names).not.toContain('standin_bot_lateness_seconds')
  expect(names).not.toContain('standin_ledger_difference')
  expect(warnings).toHaveLength(1)
  expect(warnings.join()).not.toContain('password')
  await gone.destroy()
})

test('a database that is busy is asked for two seconds at most', async () => {
  const locked = openDatabase({ url: base.url, role: 'lock', connections: 1 })
  await locked.transaction().execute(async (tx) => {
    await sql`lock table endpoints in access exclusive mode`.execute(tx)
    const { value } = watched()
    expect(await value('database_up')).toBe(0)
  })
  await locked.destroy()
  expect(await watched().value('database_up')).toBe(1)
})

test('the event loop, and when something was last done', async () => {
  const { ran, registry, value } = watched()
  expect(await readValue(registry, 'nodejs_eventloop_lag_p99_seconds')).toBeDefined()
  expect(await value('last_run_timestamp_seconds')).toBeUndefined()
  ran('reconciler')
  const at = await value('last_run_timestamp_seconds', { what: 'reconciler' })
  expect(Math.abs(Date.now() / 1000 - at!)).toBeLessThan(60)
})
