/** The second wall between teams: connections of callers read and change rows of one team, also if a statement forgets the team. */

import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { actAs } from '../../../control-plane/store/audit-log.ts'
import { type Database, openDatabase, openPool } from '../../../control-plane/store/database.ts'
import { migrate } from '../../../control-plane/store/migrate.ts'
import { PREPARED } from '../../../control-plane/store/prepared.ts'
import { prepareCallerRole } from '../../../control-plane/store/row-security.ts'
import { createTeam } from '../../../control-plane/store/teams/teams.ts'
import { atEnd } from '../../fakes/at-end.ts'
import { openTestDatabase } from '../postgres.ts'
import { addRowOfEveryTable, newRow, type Row, type RowsOfTeam, tablesOf } from './any-row.ts'

/** Tables whose rows belong to the installation. */
const WITHOUT_TEAM = ['audit', 'kysely_migration', 'kysely_migration_lock', 'settings']
const REFUSED = { code: '42501' }

let [ann, bob]: RowsOfTeam[] = []
const world = await openTestDatabase()
const prepared = await prepareCallerRole(world.database)
expect(prepared.problem).toBeNull()
const role = prepared.role!
const callers = openDatabase({ url: world.url, role: 'api', connections: 3, callerRole: role })
const tables = (await tablesOf(world.database)).filter((table) => !WITHOUT_TEAM.includes(table))
ann = await addRowOfEveryTable(world.database, tables)
bob = await addRowOfEveryTable(world.database, tables)
atEnd(() => callers.destroy())

const as = <T>({ teamId }: RowsOfTeam, work: () => Promise<T>): Promise<T> =>
  actAs({ kind: 'key', id: null, address: null, teamId, entries: 0 }, work)

const rowsOf = async (table: string) =>
  (await sql<{ row: Row }>`select to_jsonb(t) as row from ${sql.table(table)} t`.execute(callers)).rows.map(
    ({ row }) => row,
  )
/** Assigns each column its own value, where it may be assigned. */
const touch = (table: string, row: Row) => {
  const column = Object.keys(row).find((name) => name !== 'id' && name !== 'number')!
  return sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)}`
}
const place = (table: string, row: Row) => sql`where to_jsonb(${sql.table(table)}) = ${JSON.stringify(row)}::jsonb`

test('each table has row security, unless its rows belong to no team', async () => {
  const { rows } = await sql<{ relname: string }>`select relname from pg_class where relkind in ('r', 'p')
    and relnamespace = 'public'::regnamespace and not relrowsecurity order by relname`.execute(world.database)
  expect(rows.map(({ relname }) => relname)).toEqual(WITHOUT_TEAM)
  expect(tables.length).toBeGreaterThan(30)
})

test('tables of the installation are closed to callers', async () => {
  for (const table of WITHOUT_TEAM)
    await expect(
      as(ann!, () => rowsOf(table)),
      table,
    ).rejects.toMatchObject(REFUSED)
})

test('a statement without a condition reads the rows of the team of the request', async () => {
  for (const team of [ann!, bob!, ann!])
    for (const table of tables) expect(await as(team, () => rowsOf(table)), table).toEqual([team.rows.get(table)])
})

test('so does a transaction, and a statement that was prepared for another team', async () => {
  for (const team of [ann!, bob!, ann!])
    await as(team, async () => {
      const read = async (db: Database) =>
        (await sql<{ id: string }>`${PREPARED} select id from bots where phase <> ${'none'}`.execute(db)).rows
      for (let count = 0; count < 7; count++) expect(await read(callers)).toEqual([{ id: team.rows.get('bots')!.id }])
      const undone = callers.transaction().execute(async (tx) => {
        expect(await read(tx as never)).toEqual([{ id: team.rows.get('bots')!.id }])
        await tx.updateTable('bots').set({ bot_name: 'changed' }).execute()
        expect(await read(tx as never)).toEqual([{ id: team.rows.get('bots')!.id }])
        throw new Error('undo')
      })
      await expect(undone).rejects.toThrow('undo')
    })
  const { rows } = await sql<{ bot_name: string }>`select distinct bot_name from bots`.execute(world.database)
  expect(rows.map(({ bot_name }) => bot_name)).not.toContain('changed')
})

test('changes and deletions leave the rows of another team', async () => {
  for (const table of tables) {
    const row = bob!.rows.get(table)!
    for (const statement of [
      sql`${touch(table, row)} ${place(table, row)}`,
      sql`delete from ${sql.table(table)} ${place(table, row)}`,
    ]) {
      const { numAffectedRows } = await as(ann!, () => statement.execute(callers))
      expect(numAffectedRows, table).toBe(0n)
    }
  }
  for (const table of tables) expect(await as(bob!, () => rowsOf(table)), table).toEqual([bob!.rows.get(table)])
})

test('a row of another team cannot be added, nor a row be given to it', async () => {
  for (const table of tables) {
    const { columns, values } = await newRow(world.database, table, bob!)
    const insert = sql`insert into ${sql.table(table)} (${columns}) values (${values})`
    await expect(
      as(ann!, () => insert.execute(callers)),
      table,
    ).rejects.toMatchObject(REFUSED)
    const row = ann!.rows.get(table)!
    const column = ['team_id', 'bot_id', 'calendar_id', 'person_id', 'delivery_id'].find((name) => row[name])
    // Not even the owner changes an entry of the audit log.
    if (column === undefined || table === 'audit_log') continue
    const move = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${bob!.rows.get(table)![column]}`
    await expect(
      as(ann!, () => move.execute(callers)),
      table,
    ).rejects.toMatchObject(REFUSED)
  }
})

test('the owner of the tables sees and changes the rows of all teams', async () => {
  for (const table of tables) {
    const { rows } = await sql`select from ${sql.table(table)}`.execute(world.database)
    expect(rows.length, table).toBeGreaterThanOrEqual(2)
  }
})

test('a statement outside the request of a team is refused, and its connection finds nothing', async () => {
  await expect(rowsOf('bots')).rejects.toThrow('not part of the request of a team')
  await expect(callers.transaction().execute(async () => {})).rejects.toThrow('not part of the request of a team')
  const pool = openPool({ url: world.url, role: 'test', connections: 1, callerRole: role })
  for (const table of tables) expect((await pool.query({ text: `select from ${table}` })).rowCount, table).toBe(0)
  await pool.end()
})

describe('connections that requests of several teams share', () => {
  test('carry no team to the next request, also after errors and transactions', async () => {
    const pool = openPool({ url: world.url, role: 'test', connections: 2, callerRole: role })
    const teams = [ann!, bob!, await teamOfOneBot(), await teamOfOneBot()]
    const pick = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)]!
    const ownBots = async (client: pg.PoolClient, { rows }: RowsOfTeam) =>
      expect((await client.query('select id from bots where $1', [true])).rows).toEqual([{ id: rows.get('bots')!.id }])
    const deeds: ((client: pg.PoolClient, team: RowsOfTeam) => Promise<unknown>)[] = [
      ownBots,
      (client) => client.query('select 1 / 0', []).catch(() => {}),
      (client) => client.query('select no_column from bots where $1', [true]).catch(() => {}),
      ...['commit', 'rollback'].map((end) => async (client: pg.PoolClient, team: RowsOfTeam) => {
        await client.query('begin', [])
        await ownBots(client, team)
        await client.query(end, [])
      }),
      async (client, team) => {
        await client.query('begin', [])
        await client.query('select 1 / 0', []).catch(() => {})
        await expect(ownBots(client, team)).rejects.toThrow('aborted')
        await client.query('rollback', [])
      },
    ]
    async function request(): Promise<void> {
      const team = pick(teams)
      await as(team, async () => {
        const client = await pool.connect()
        try {
          for (let count = 0; count < 3; count++) await pick(deeds)(client, team)
          await ownBots(client, team)
        } finally {
          client.release()
        }
      })
    }
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let count = 0; count < 20; count++) await request()
      }),
    )
    const idle = await Promise.all([pool.connect(), pool.connect()])
    for (const client of idle) {
      // Not text, so nothing enters a team before it.
      const bare = (text: string) => client.query({ text })
      const state = `select current_user as role, current_setting('standin.team') as team`
      expect((await bare(state)).rows).toEqual([{ role, team: '00000000-0000-0000-0000-000000000000' }])
      expect((await bare('select from bots')).rowCount).toBe(0)
      client.release()
    }
    await pool.end()
  })

  async function teamOfOneBot(): Promise<RowsOfTeam> {
    return addRowOfEveryTable(world.database, tables)
  }
})

describe('an ordinary user of the database', () => {
  async function asUser(permission: string, use: (database: Database, admin: pg.Client, url: string) => Promise<void>) {
    const name = `user_${randomBytes(6).toString('hex')}`
    const admin = new pg.Client({ connectionString: world.url })
    await admin.connect()
    await admin.query(`create role ${name} login password 'secret' ${permission}`)
    await admin.query(`create database ${name} owner ${name}`)
    const url = new URL(world.url)
    Object.assign(url, { pathname: `/${name}`, username: name, password: 'secret' })
    const database = openDatabase({ url: url.href, role: 'test', connections: 2 })
    try {
      await migrate(database)
      await use(database, admin, url.href)
    } finally {
      await database.destroy()
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    }
  }

  async function expectWall(database: Database, url: string, callerRole: string) {
    const teams = [await createTeam(database, 'One'), await createTeam(database, 'Two')]
    const shown = openDatabase({ url, role: 'api', connections: 1, callerRole })
    for (const teamId of teams)
      await actAs({ kind: 'key', id: null, address: null, teamId, entries: 0 }, async () => {
        const found = await shown.selectFrom('teams').select('id').execute()
        expect(found).toEqual([{ id: teamId }])
      })
    await shown.destroy()
  }

  test('runs the service without the role, reads what to do, and has the wall after that', async () => {
    await asUser('', async (database, admin, url) => {
      const { role: none, problem } = await prepareCallerRole(database)
      expect(none).toBeNull()
      expect(problem).toMatch(
        /^Row security is not used \(permission denied to create role\): an administrator .* "create role/,
      )
      await admin.query(problem!.match(/"(.*)"/)![1]!)
      const [again, other] = await Promise.all([prepareCallerRole(database), prepareCallerRole(database)])
      expect(again).toEqual({ role: expect.stringMatching(/^standin_caller_\d+$/), problem: null })
      expect(other).toEqual(again)
      await expectWall(database, url, again.role!)
    })
  })

  test('needs no administrator if it may make roles', async () => {
    await asUser('createrole', async (database, _admin, url) => {
      const { role: made, problem } = await prepareCallerRole(database)
      expect(problem).toBeNull()
      await expectWall(database, url, made!)
    })
  })

  test('reads of a role that row security does not bind', async () => {
    await asUser('', async (database, admin) => {
      const [, name] = (await prepareCallerRole(database)).problem!.match(/create role (\w+);/)!
      const { rows } = await sql<{ user: string }>`select current_user as user`.execute(database)
      await admin.query(`create role ${name} bypassrls; grant ${name} to ${rows[0]!.user}`)
      expect(await prepareCallerRole(database)).toMatchObject({
        role: null,
        problem: expect.stringContaining('bypasses it'),
      })
    })
  })
})

test('a request whose id belongs to another team is one of an unknown id', async () => {
  const id = String(bob!.rows.get('bots')!.id)
  const found = (of: RowsOfTeam) =>
    as(of, () => callers.selectFrom('bots').select('id').where('id', 'in', [id, randomUUID()]).execute())
  expect(await found(ann!)).toEqual([])
  expect(await found(bob!)).toEqual([{ id }])
})
