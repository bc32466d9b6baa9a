/** PostgreSQL's plans for frequent statements, on a database with many bots that have ended. */

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { claimDue, type DueRules, dueModes, latePickups, lookForDue } from '../../../control-plane/store/bots/claims.ts'
import { readGauges } from '../../../control-plane/store/gauges.ts'
import { startSeconds } from '../../../control-plane/store/launches/launches.ts'
import { createTeam } from '../../../control-plane/store/teams/teams.ts'
import { atEnd } from '../../fakes/at-end.ts'
import { openWorld } from '../world.ts'
import { openExplained } from './explained.ts'

const opened = await openWorld()
const { database, plansOf } = openExplained(opened.url)
await addTeam('old', [['closed', 5_000, '3 days']])
await addTeam('new', [
  ['closed', 20, '2 hours'],
  ['scheduled', 50, '3 days'],
  ['due', 5, '5 minutes'],
  ['starting', 5, '5 minutes'],
  ['running', 20, '1 hour'],
])
await sql`analyze`.execute(database)
atEnd(() => database.destroy())

/** A team with so many bots of these phases, which were asked for so long ago. */
async function addTeam(name: string, bots: [phase: string, count: number, age: string][]): Promise<string> {
  const id = await createTeam(opened.database, name)
  for (const [phase, count, age] of bots) {
    await sql`
      with bot as (
        insert into bots (id, team_id, generation, phase, status, bot_name, meeting_url, meeting_key, meeting_platform,
          recording_mode, request, created_at, queued_at, due_at, joining_at, attempt, joined_attempt)
        select gen_random_uuid(), ${id}, 'v2', ${phase}, 'queued', 'Bot', 'https://meet.google.com/abc-defg-hij',
          'meet', 'meet', 'speaker_view', '{}', at, at, at, at + interval '5 seconds', 1, 1
        from (select now() - ${age}::interval + number * interval '1 ms' as at
          from generate_series(1, ${count}::int) number) one
        returning id, created_at, phase
      )
      insert into launches (bot_id, attempt, launcher, token_hash, created_at, heartbeat_at, cleaned_at)
      select id, 1, 'process', uuid_send(id), created_at, now(),
        case when phase = 'closed' then created_at end from bot where phase not in ('scheduled', 'due')
    `.execute(opened.database)
  }
  return id
}

const hashes = (count: number) => Array.from({ length: count }, () => Buffer.from(randomUUID()))
const claim = (limit: number, modes?: DueRules['modes']) =>
  claimDue(
    database,
    { owner: 'me', launcher: 'process', limit, leaseSeconds: 30, ...(modes && { modes }) },
    hashes(limit),
  )

test.each([
  ['late pickups', () => latePickups(database, 100)],
  ['which modes are due', () => dueModes(database)],
  ['the time to start', () => startSeconds(database, 'process')],
  ['what is due', () => lookForDue(database, 15, 1)],
  ['a claim', () => claim(2)],
  ['a claim of some modes', () => claim(2, ['audio_only'])],
])('%s: neither all bots nor all launches are read', async (_name, work) => {
  expect(await plansOf(work)).not.toMatch(/Seq Scan on (?:bots|launches)/)
})

test('the gauges read open bots only', async () => {
  expect(await plansOf(() => readGauges(database))).not.toMatch(/Seq Scan on bots/)
})

test('a claim reads few bots when ten thousand have just become due', async () => {
  const team = await addTeam('soon', [['scheduled', 10_000, '0 s']])
  // The statistics say that none is due.
  await sql`update bots set due_at = now() + interval '1 hour'`.execute(opened.database)
  await sql`analyze bots`.execute(opened.database)
  await opened.change('bots', { team_id: team }, { phase: 'due', due_at: sql`now() - interval '1 hour'` })
  const read = await database.transaction().execute(async (tx) => {
    await claimDue(tx, { owner: 'me', launcher: 'process', limit: 10, leaseSeconds: 30 }, hashes(10))
    const { rows } = await sql<{ count: string }>`select seq_tup_read + idx_tup_fetch as count
      from pg_stat_xact_user_tables where relname = 'bots'`.execute(tx)
    return Number(rows[0]!.count)
  })
  expect(read).toBeLessThan(1_000)
})

test('ten thousand due bots of one team hide no bot of another one', async () => {
  await addTeam('many', [['due', 10_000, '1 hour']])
  const one = await addTeam('one', [['due', 1, '1 minute']])
  await sql`analyze bots`.execute(opened.database)
  expect(await plansOf(() => claim(4))).not.toMatch(/Seq Scan on (?:bots|launches)/)
  const claimed = await opened.rows('bots', { lease_owner: 'me' }, ['team_id'])
  expect(claimed.map(({ team_id }) => team_id)).toContain(one)
})
