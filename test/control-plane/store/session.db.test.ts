/** Connections of the service on databases whose operators have set something, and on servers that stop taking writes. */
import { isDatabaseLost } from '@standin/control-plane/store/lost-database.ts'
import { faultOfDatabase } from '@standin/control-plane/store/usable-database.ts'
import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { actAs } from '../../../control-plane/store/audit-log.ts'
import { type Database, openDatabase, openPool } from '../../../control-plane/store/database.ts'
import { probeDatabase } from '../../../control-plane/store/gauges.ts'
import { prepareCallerRole } from '../../../control-plane/store/row-security.ts'
import { rememberLender } from '../../../control-plane/store/session.ts'
import { createTeam } from '../../../control-plane/store/teams/teams.ts'
import { listenForWakeUps, sendHint } from '../../../control-plane/store/wake-ups.ts'
import { atEnd } from '../../fakes/at-end.ts'
import { openTestDatabase } from '../postgres.ts'

const opened = await openTestDatabase()
const name = new URL(opened.url).pathname.slice(1)
const addressOf = (database: string) => Object.assign(new URL(opened.url), { pathname: `/${database}` }).href
const admin = openDatabase({ url: addressOf('postgres'), role: 'admin', connections: 1 })
atEnd(() => admin.destroy())

/** Changes what new sessions of the database begin with, until the end of the test. */
async function setForAll(settings: Record<string, string>): Promise<void> {
  const alter = (change: RawBuilder<unknown>) => sql`alter database ${sql.id(name)} ${change}`.execute(admin)
  for (const [setting, value] of Object.entries(settings)) await alter(sql`set ${sql.id(setting)} to ${sql.lit(value)}`)
  onTestFinished(async () => {
    await alter(sql`reset all`)
  })
}

function openAnother(connections: number, callerRole: string | null = null): Database {
  const database = openDatabase({ url: opened.url, role: 'another', connections, callerRole })
  onTestFinished(() => database.destroy())
  return database
}

test('no setting of the database changes what the service reads', async () => {
  const { role } = await prepareCallerRole(opened.database)
  await setForAll({
    ...{ DateStyle: 'German, DMY', IntervalStyle: 'sql_standard', TimeZone: 'Asia/Kathmandu', bytea_output: 'escape' },
    ...{ extra_float_digits: '-15', array_nulls: 'off', standard_conforming_strings: 'off', client_encoding: 'LATIN1' },
    ...{ transform_null_equals: 'on', default_transaction_isolation: 'serializable', row_security: 'off' },
    ...{ idle_session_timeout: '60000', transaction_timeout: '60000', exit_on_error: 'on' },
  })
  const database = openAnother(1)
  await expect(sql`select 1 / 0`.execute(database)).rejects.toThrow('division by zero')
  const at = new Date('2026-03-04T05:06:07.089Z')
  const { rows } = await sql`select ${at}::timestamptz as at, array[${'a'}, null]::text[] as list,
    ${[null, 'b']}::text[] as sent, 'a\\b' as text, '\\xff00'::bytea as bytes, 0.1::float8 + 0.2 as number,
    (nothing = null) is null as unknown, '🎥' as sign, date_trunc('day', ${at}::timestamptz) as day,
    current_setting('transaction_isolation') as isolation, current_setting('idle_session_timeout') as idle,
    current_setting('transaction_timeout') as longest from (select null as nothing) as row`.execute(database)
  expect(rows[0]).toEqual({
    ...{ at, list: ['a', null], sent: [null, 'b'], text: 'a\\b', bytes: Buffer.from([255, 0]), number: 0.1 + 0.2 },
    ...{ unknown: true, sign: '🎥', day: new Date('2026-03-04T00:00:00Z') },
    ...{ isolation: 'read committed', idle: '0', longest: '0' },
  })
  // The role of callers is shown the rows of no team, where row security off would be an error.
  await expect(sql`select from bots`.execute(openAnother(1, role))).rejects.toThrow('not part of the request of a team')
})

test.each([
  ['a password that was changed', { code: '28P01' }],
  ['a database that was renamed', { code: '3D000' }],
  ['a session that waited in a transaction for too long', { code: '25P03' }],
  ['a pooler that is full', { code: 'XX000', severity: 'FATAL' }],
  ['a database that takes no connections', { code: '55000', severity: 'FATAL' }],
  ['a certificate that is over', { code: 'CERT_HAS_EXPIRED' }],
  ['a server without TLS', { message: 'The server does not support SSL connections' }],
])('%s is no fault of a statement', (_what, error) => {
  expect(isDatabaseLost(error)).toBe(true)
  expect(isDatabaseLost({ code: 'XX000', severity: 'ERROR' })).toBe(false)
})

test('where a pooler lends sessions, settings, role and team travel with each transaction and stay in none', async () => {
  const { role } = await prepareCallerRole(opened.database)
  const [team, other] = [await createTeam(opened.database, 'One'), await createTeam(opened.database, 'Two')]
  const url = `${opened.url}&at=pooler`
  rememberLender(url, { TimeZone: 'Asia/Kathmandu' })
  const pool = openPool({ url, role: 'lent', connections: 1, callerRole: role, statementTimeoutMs: 1234 })
  onTestFinished(() => pool.end())
  const client = await pool.connect()
  const look =
    "select current_user as role, current_setting('statement_timeout') as longest, current_setting('TimeZone') as zone, array(select id from teams) as teams"
  const entered = (id: string) => ({ role, longest: '1234ms', zone: 'Asia/Kathmandu', teams: [id] })
  const asTeam = (teamId: string, work: () => Promise<unknown>) =>
    actAs({ kind: 'key', id: null, address: null, teamId, entries: 0 }, work)
  for (const id of [team, other, team])
    await asTeam(id, async () => {
      expect((await client.query(look, [])).rows).toEqual([entered(id)])
      await client.query('select 1 / 0', []).catch(() => {})
      await client.query('begin', [])
      expect((await client.query(look, [])).rows).toEqual([entered(id)])
      await client.query('commit', [])
    })
  await expect((async () => client.query(look, []))()).rejects.toThrow('not part of the request of a team')
  // What the next transaction of another connection finds in this session.
  const bare = await (pg.Client.prototype.query as (config: object) => Promise<pg.QueryResult>).call(client, {
    text: look,
  })
  expect(bare.rows[0]).toMatchObject({ role: new URL(opened.url).username, longest: '0' })
  client.release()
})

test('a server that takes no writes is a lost database, until the address leads to one that does', async () => {
  const database = openAnother(3)
  const all = (work: (one: Database) => Promise<unknown>) => Promise.allSettled([1, 2, 3].map(() => work(database)))
  let wakes = 0
  const listening = listenForWakeUps(
    opened.url,
    'bots',
    () => void wakes++,
    () => {},
  )
  onTestFinished(() => listening.close())
  await expect.poll(() => wakes).toBe(1)
  // As a server does to its sessions that an operator sets read-only.
  await all((one) => sql`select set_config('default_transaction_read_only', 'on', false), pg_sleep(0.3)`.execute(one))
  await setForAll({ default_transaction_read_only: 'on' })
  for (const work of [probeDatabase, sendHint, probeDatabase]) {
    const error = await work(database, 'bots').then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(isDatabaseLost(error)).toBe(true)
  }
  await sql`alter database ${sql.id(name)} reset default_transaction_read_only`.execute(admin)
  for (const { status } of await all(probeDatabase)) expect(status).toBe('fulfilled')
  // The connection of wake-ups is made again, and looks for what it missed.
  await expect.poll(() => wakes).toBe(2)
})

test.each([
  ["encoding 'LATIN1' locale 'C'", '', 'is a database with the encoding LATIN1, which lacks letters that people write'],
  ["encoding 'SQL_ASCII' locale 'C'", '', 'is a database with the encoding SQL_ASCII, which lacks'],
  ['', 'search_path = nowhere', 'is a database in which no schema of the search_path exists'],
])('a database with %s%s is refused', async (made, set, message) => {
  const other = `${name}_other`
  const run = (text: string) => sql.raw(text).execute(admin)
  await run(`create database ${other} template template0 ${made}`)
  onTestFinished(() => run(`drop database ${other} with (force)`).then(() => {}))
  if (set !== '') await run(`alter database ${other} set ${set}`)
  expect(await faultOfDatabase(opened.url)).toBeNull()
  expect((await faultOfDatabase(addressOf(other)))?.message).toContain(message)
})
