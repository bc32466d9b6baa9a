/** Each metric of a part of the service moves when its cause happens. */
import { randomUUID } from 'node:crypto'
import type { FinalReport } from '@standin/wire/events.ts'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createMetrics } from '../../../../control-plane/platform/watching/metrics.ts'
import { openDatabase } from '../../../../control-plane/store/database.ts'
import { refusals } from '../../../../packages/mock/zoom-oauth/index.ts'
import { hello, numbered, openRawLink, status, wholeLife } from '../../control-link/world.ts'
import { answer } from '../../webhooks/receiver.ts'
import { openWorld } from '../../world.ts'
import { readValue } from './scrape.ts'

const quiet = { info() {}, warn() {}, error() {} }

function watched() {
  const { registry, ...metrics } = createMetrics({ log: quiet })
  const value = (name: string, labels?: Record<string, string>) => readValue(registry, `standin_${name}`, labels)
  return { ...metrics, registry, value }
}

test('launching: claims, lateness, launches, and what the reconciler does and why', async () => {
  const world = await openWorld({ launching: true })
  const { launching, bot, row, host } = await world.launchingSetting()
  const { meters, value } = watched()
  let passes = 0
  launching({ meters, onPass: () => passes++ })
  const well = await bot()
  const killed = await bot({ dies: 'recording', isOutOfMemory: true })
  const late = await bot({}, { joinAt: new Date(Date.now() - 90_000) })
  for (const id of [well, killed, late]) await expect.poll(async () => (await row(id)).phase).toBe('closed')
  expect(await value('claims_total', { queue: 'bots' })).toBe(3)
  expect(await value('start_lateness_seconds_count')).toBe(3)
  expect(await value('start_lateness_seconds_bucket', { le: '60' })).toBe(2)
  expect(await value('start_lateness_seconds_bucket', { le: '300' })).toBe(3)
  expect(await value('launch_seconds_count', { launcher: 'simulated', outcome: 'started' })).toBe(3)
  const finished = (reason: string) => value('reconciler_actions_total', { action: 'finish', reason })
  await expect.poll(() => finished('ended_well')).toBe(2)
  expect(await finished('out_of_memory')).toBe(1)
  await expect.poll(() => passes).toBeGreaterThan(1)

  host.failure = 'The engine is away'
  const id = await bot()
  await expect.poll(() => value('launch_seconds_count', { outcome: 'failed' })).toBeGreaterThan(0)
  host.failure = null
  await expect.poll(async () => (await row(id)).phase).toBe('closed')
})

test('launching: a bot of a launcher that did not come back is taken back, and one that is overdue is stopped', async () => {
  const world = await openWorld({ launching: true })
  const { launching, bot, row, database } = await world.launchingSetting()
  const { meters, value } = watched()
  const left = await bot()
  await database
    .updateTable('bots')
    .set({ phase: 'launching', attempt: 1, lease_owner: randomUUID(), lease_until: new Date(0) })
    .where('id', '=', left)
    .execute()
  launching({ meters })
  await expect.poll(() => value('lease_losses_total', { work: 'launch', how: 'expired' })).toBe(1)
  expect(await value('reconciler_actions_total', { action: 'take_back', reason: 'launcher_gone' })).toBe(1)

  const silent = await bot({ isSilent: true })
  await expect.poll(async () => (await row(silent)).phase).toBe('starting')
  await database
    .updateTable('bots')
    .set({ deadline_at: new Date(0) })
    .where('id', '=', silent)
    .execute()
  await expect.poll(() => value('reconciler_actions_total', { action: 'stop', reason: 'not_heard_of' })).toBe(1)
})

test('links: bots that are connected, events, and how long their commit took', async () => {
  const world = await openWorld({ links: true })
  const { meters, value, gauge } = watched()
  const { url, links } = await world.server({ meters })
  gauge('links', 'Connected bots.', () => links.size)
  const bot = await world.bot()
  expect(await value('links')).toBe(0)
  const raw = await openRawLink(url, bot.tokens[1]!)
  raw.send(hello(bot.id, randomUUID()))
  await expect.poll(() => raw.received.length).toBe(1)
  raw.send(numbered(bot.id, 1, status('joining_call')))
  raw.send(numbered(bot.id, 2, status('in_waiting_room')))
  await expect.poll(() => value('events_stored_total')).toBe(2)
  expect(await value('event_commit_seconds_count')).toBeGreaterThan(0)
  expect(await value('event_commit_seconds_sum')).toBeGreaterThan(0.005)
  expect([await value('links'), await value('links_opened_total')]).toEqual([1, 1])
  const report = wholeLife().at(-1) as FinalReport
  const signals = { 'in_call.tile': 40, 'in_call.captions': 0, 'in_call.of_a_later_version': 3 }
  raw.send(numbered(bot.id, 3, { ...report, signals, reason: 'captcha' }))
  await expect.poll(() => value('signal_reports_total', { platform: 'meet' })).toBe(1)
  expect(await value('refusals_total', { platform: 'meet', reason: 'captcha' })).toBe(1)
  expect(await value('refusals_total', { platform: 'meet', reason: 'unknown' })).toBe(0)
  const answered = (signal: string) => value('page_signals_total', { platform: 'meet', signal })
  expect(await answered('in_call.tile')).toBe(1)
  expect(await answered('in_call.captions')).toBe(0)
  expect(await answered('in_call.of_a_later_version')).toBeUndefined()
  raw.terminate()
  await expect.poll(() => value('links')).toBe(0)
})

test('webhooks: attempts by answer, results, and the time from the commit to the delivery', async () => {
  const world = await openWorld({ webhooks: true })
  const { meters, value } = watched()
  const teamId = await world.teamId()
  const botId = await world.addBot(teamId)
  const receiver = await world.receiver((_request, response, count) => response.writeHead(count < 3 ? 500 : 200).end())
  await world.endpoint({ teamId, kind: 'team', url: receiver.url })
  await world.send(teamId, botId, 1)
  await sql`update messages set created_at = now() - interval '40 s'`.execute(world.database)
  world.dispatcher({ meters, delays: [0.05, 0.1, 0.1] })
  await expect.poll(() => value('webhooks_finished_total', { result: 'delivered' })).toBe(1)
  expect(await value('claims_total', { queue: 'deliveries' })).toBe(3)
  expect(await value('webhook_attempts_total', { answer: '5xx' })).toBe(2)
  expect(await value('webhook_attempts_total', { answer: '2xx' })).toBe(1)
  expect(await value('webhook_delivery_seconds_sum', { attempt: 'later' })).toBeGreaterThan(40)
  expect(await value('webhook_delivery_seconds_count', { attempt: 'first' })).toBeUndefined()

  // A claim that another dispatcher left is taken back.
  await sql`update deliveries set state = 'sending', lease_until = now() - interval '1 s', claim = ${randomUUID()}::uuid`.execute(
    world.database,
  )
  // One that runs looks for those every ten seconds, and one that starts at once.
  world.dispatcher({ meters })
  await expect.poll(() => value('lease_losses_total', { work: 'delivery', how: 'expired' })).toBe(1)
  await world.reset()

  const closed = await world.receiver()
  await closed.close()
  const otherTeam = await world.teamId()
  await world.endpoint({ teamId: otherTeam, kind: 'team', url: closed.url })
  await world.send(otherTeam, await world.addBot(otherTeam), 1)
  world.dispatcher({ meters, delays: [] })
  await expect.poll(() => value('webhooks_finished_total', { result: 'given_up' })).toBe(1)
  expect(await value('webhook_attempts_total', { answer: 'unreachable' })).toBe(1)
  await world.reset()
})

test('webhooks: a result that comes after its claim was lost is a lost lease, and no delivery', async () => {
  const world = await openWorld({ webhooks: true })
  const { meters, value } = watched()
  const teamId = await world.teamId()
  const botId = await world.addBot(teamId)
  const receiver = await world.receiver(async (request, response) => {
    await sql`update deliveries set claim = ${randomUUID()}::uuid, lease_until = now() + interval '1 h'`.execute(
      world.database,
    )
    answer(200)(request, response, 1)
  })
  await world.endpoint({ teamId, kind: 'team', url: receiver.url })
  await world.send(teamId, botId, 1)
  world.dispatcher({ meters })
  await expect.poll(() => value('lease_losses_total', { work: 'delivery', how: 'overtaken' })).toBe(1)
  expect(await value('webhooks_finished_total')).toBe(0)
  await world.reset()
})

test('calendars and connections: claims, and refreshes that failed', async () => {
  const world = await openWorld({ calendars: true, connections: true })
  const { meters, value } = watched()
  const set = await world.unconnected()
  const { poll, alter } = await world.connected(set, set.open({ meters }))
  await poll()
  expect(await value('claims_total', { queue: 'calendar_syncs' })).toBeGreaterThan(0)
  set.provider.failures.set('refresh', ['unavailable'])
  await alter({ access_token_until: new Date(0) })
  await poll()
  expect(await value('token_refresh_failures_total', { of: 'calendar', reason: 'unavailable' })).toBeGreaterThan(0)

  const setting = await world.connectionSetting()
  const { id } = await setting.connection()
  setting.zoom.script('refresh', refusals.SERVER_ERROR)
  await setting
    .process({ meters })
    .tokens.accessOf(id)
    .catch(() => {})
  await expect.poll(() => value('token_refresh_failures_total', { of: 'connection', reason: 'unavailable' })).toBe(1)
})

test('a pool shows its connections, and how long a statement waited for one', async () => {
  const { database: owner, url, close } = await openWorld({ webhooks: true })
  onTestFinished(close)
  void owner
  const { pool, value } = watched()
  const database = openDatabase({ url, role: 'small', connections: 1, watch: (counts) => pool('small', counts) })
  onTestFinished(() => database.destroy())
  const slow = [1, 2, 3].map(() => sql`select pg_sleep(0.3)`.execute(database))
  await expect.poll(() => value('database_connections', { pool: 'small', state: 'waiting' })).toBeGreaterThan(0)
  expect(await value('database_connections', { pool: 'small', state: 'used' })).toBe(1)
  await Promise.all(slow)
  expect(await value('database_wait_seconds_count', { pool: 'small' })).toBe(3)
  expect(await value('database_wait_seconds_sum', { pool: 'small' })).toBeGreaterThan(0.5)
  expect(await value('database_connections', { pool: 'small', state: 'idle' })).toBe(1)
})
