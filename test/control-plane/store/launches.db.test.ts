import { randomUUID } from 'node:crypto'
import type { NewBotRow } from '@standin/control-plane/store/rows/index.ts'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { claimDue, takeBotLease } from '../../../control-plane/store/bots/claims.ts'
import {
  knownLaunches,
  launchEnded,
  launchesStarted,
  openLaunches,
  startSeconds,
} from '../../../control-plane/store/launches/launches.ts'
import { openWorld } from '../world.ts'

const opened = await openWorld()
const teamId = await opened.teamId()
afterEach(async () => {
  await opened.database.deleteFrom('launches').execute()
  await opened.database.deleteFrom('bots').execute()
})

const hash = () => Buffer.from(randomUUID())
const rules = { owner: 'me', launcher: 'simulated', limit: 10, leaseSeconds: 30 }

const bot = (values: Partial<NewBotRow> = {}): Promise<string> =>
  opened.addBot(teamId, { phase: 'due', status: 'queued', due_at: new Date(Date.now() - 1000), ...values })

async function launched(values: Partial<NewBotRow> = {}): Promise<string> {
  const id = await bot({ ...values, phase: 'due' })
  await claimDue(opened.database, rules, [hash()])
  if (values.phase) await opened.set(id, { phase: values.phase })
  return id
}

test('a claim takes what is due and nothing else, with a new attempt and a lease', async () => {
  const due = await bot({ attempt: 2, stop_sent_at: new Date() })
  await bot({ due_at: new Date(Date.now() + 60_000) })
  await bot({ phase: 'scheduled' })
  await bot({ phase: 'running' })
  const [claimed, ...more] = await claimDue(opened.database, rules, [hash(), hash(), hash()])
  expect(more).toEqual([])
  const row = await opened.row(due)
  expect(row).toMatchObject({ ...claimed, attempt: 3, phase: 'launching', lease_owner: 'me', version: 1 })
  expect(row.stop_sent_at).toBeNull()
  expect(row.lease_until!.getTime()).toBeGreaterThan(Date.now() + 20_000)
  expect(await claimDue(opened.database, rules, [hash()])).toEqual([])
})

test('claims at the same time take each bot once, each with the token of its place', async () => {
  await Promise.all(Array.from({ length: 30 }, () => bot()))
  const claims = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const hashes = Array.from({ length: 10 }, hash)
      const claimed = await claimDue(opened.database, rules, hashes)
      return claimed.map(({ id }, place) => ({ bot_id: id, token_hash: hashes[place] }))
    }),
  )
  const launches = await opened.rows('launches', {}, ['bot_id', 'token_hash'])
  expect(launches).toEqual(expect.arrayContaining(claims.flat()))
  const ids = claims.flat().map(({ bot_id }) => bot_id)
  expect(new Set(ids).size).toBe(ids.length)
  const rest = await claimDue(opened.database, { ...rules, limit: 50 }, Array.from({ length: 50 }, hash))
  expect(ids.length + rest.length).toBe(30)
})

test('the evidence of an end is stored once', async () => {
  const id = await launched()
  const endedAt = new Date('2026-11-25T10:00:00Z')
  const killed = { exitCode: null, signal: 'SIGKILL', isOutOfMemory: true, reason: 'The kernel killed it' }
  const evidence = { ...killed, endedAt, logTail: 'the end' }
  expect(await launchEnded(opened.database, id, 1, evidence)).toBe(true)
  expect(await launchEnded(opened.database, id, 1, { ...evidence, signal: 'SIGTERM' })).toBe(false)
  const row = await opened.one('launches')
  const stored = { signal: 'SIGKILL', is_out_of_memory: true, log_tail: 'the end', ended_at: endedAt }
  expect(row).toMatchObject(stored)
})

test('the log of an attempt is not stored after the deletion of its data', async () => {
  const id = await launched()
  await opened.set(id, { data_deleted_at: new Date() })
  const evidence = { exitCode: 1, signal: null, isOutOfMemory: false, reason: 'It ended', endedAt: null }
  expect(await launchEnded(opened.database, id, 1, { ...evidence, logTail: 'what was said' })).toBe(true)
  const row = await opened.one('launches')
  expect(row).toMatchObject({ exit_code: 1, reason: 'It ended', log_tail: null, ended_at: expect.any(Date) })
})

test('suspects are the attempts that may have ended or have to; all others are left out', async () => {
  const healthy = await launched({ phase: 'running', deadline_at: new Date(Date.now() + 60_000) })
  const suspects = [
    await launched({ phase: 'running', deadline_at: new Date(Date.now() - 60_000) }),
    await launched({ phase: 'running', link_lost_at: new Date() }),
    await launched({ phase: 'running', joined_attempt: 7 }),
    await launched({ phase: 'starting' }),
    await launched({ phase: 'closed' }),
  ]
  const { database } = opened
  await launchesStarted(database, [{ botId: healthy, attempt: 1, handle: { name: 'standin-1' } }])
  const found = await openLaunches(database, 'simulated', 'suspect', 100)
  expect(found.map(({ bot_id }) => bot_id).sort()).toEqual(suspects.sort())
  const all = await openLaunches(database, 'simulated', 'all', 100)
  expect(all).toHaveLength(6)
  const named = { handle: { name: 'standin-1' }, named_attempt: 1 }
  expect(all.find(({ bot_id }) => bot_id === healthy)).toMatchObject(named)
  expect(await openLaunches(database, 'process', 'all', 100)).toEqual([])
})

test('attempts without a row are distinguished', async () => {
  const id = await launched()
  const asked = [
    { botId: id, attempt: 1 },
    { botId: id, attempt: 2 },
    { botId: randomUUID(), attempt: 1 },
  ]
  expect([...(await knownLaunches(opened.database, asked))]).toEqual([`${id} 1`])
})

test('one of several reconcilers gets the lease of a bot, and the next one when it is over', async () => {
  const id = await launched({ phase: 'running' })
  const { database } = opened
  await opened.change('bots', {}, { lease_owner: null, lease_until: null })
  const taken = await Promise.all(['a', 'b', 'c'].map((owner) => takeBotLease(database, id, owner, 60)))
  expect(taken.filter(Boolean)).toHaveLength(1)
  await opened.change('bots', {}, { lease_until: new Date(Date.now() - 1000) })
  expect(await takeBotLease(database, id, 'd', 60)).toBe(true)
})

test('the start time is learned from the last bots', async () => {
  const { database } = opened
  expect(await startSeconds(database, 'simulated')).toBeNull()
  for (let n = 0; n < 5; n++) await launched()
  await sql`update bots set joined_attempt = 1, joining_at = (select created_at from launches
    where bot_id = bots.id) + interval '3 seconds'`.execute(database)
  expect(await startSeconds(database, 'simulated')).toBeCloseTo(3)
})
