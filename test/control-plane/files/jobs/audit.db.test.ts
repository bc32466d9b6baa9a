/** The audit compares what teams have with what was written down. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { auditLedger } from '../../../../control-plane/files/jobs/audit.ts'
import { openDatabase } from '../../../../control-plane/store/database.ts'
import { writeLedger } from '../../../../control-plane/store/teams/ledger.ts'
import { quiet } from '../../world.ts'
import { openJobWorld } from './job-world.ts'

const world = await openJobWorld()

test('the audit finds sums that differ and reserves that stay, and says nothing if all is well', async () => {
  const { database } = world
  await world.change('teams', {}, { balance: 0 })
  const bot = await world.addBot(world.team)
  const entry = (kind: 'reserve' | 'release' | 'charge' | 'grant', amount: number) => ({
    teamId: world.team,
    botId: bot,
    kind,
    meter: null,
    amount,
    source: `${kind}:${amount}`,
  })
  const write = (...entries: ReturnType<typeof entry>[]) =>
    database.transaction().execute((tx) => writeLedger(tx, entries))
  await write(entry('grant', 100), entry('reserve', 30), entry('charge', 20))
  const errors: object[] = []
  const log = { ...quiet, error: (fields: object) => void errors.push(fields) }
  expect(await auditLedger(database, log)).toEqual({ differences: [], openReserves: [{ botId: bot, amount: 30 }] })
  await write(entry('release', 30))
  errors.length = 0
  expect(await auditLedger(database, log)).toEqual({ differences: [], openReserves: [] })
  expect(errors).toEqual([])
  await world.change('teams', {}, { spent: 21, balance: 79 })
  expect((await auditLedger(database, log)).differences).toEqual([
    {
      teamId: world.team,
      stored: { reserved: 0, spent: 21, balance: 79 },
      computed: { reserved: 0, spent: 20, balance: 80 },
    },
  ])
  expect(errors.length).toBe(1)
  const lines = await database.selectFrom('audit').selectAll().orderBy('id').execute()
  expect(lines.at(-1)).toMatchObject({ what: `ledger difference of team ${world.team}`, after: { spent: 20 } })
})

test('the audit has more time than other statements', async () => {
  const { database } = world
  const slow = openDatabase({ url: world.url, role: 'test', connections: 1, statementTimeoutMs: 200 })
  await sql`alter table ledger rename to all_entries`.execute(database)
  await sql`create view ledger as select all_entries.* from pg_sleep(0.5), all_entries`.execute(database)
  try {
    expect(await auditLedger(slow, quiet)).toEqual({ differences: [], openReserves: [] })
    await expect(sql`select pg_sleep(0.5)`.execute(slow)).rejects.toThrow('statement timeout')
  } finally {
    await sql`drop view ledger`.execute(database)
    await sql`alter table all_entries rename to ledger`.execute(database)
    await slow.destroy()
  }
})
