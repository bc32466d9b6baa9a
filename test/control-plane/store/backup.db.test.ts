/** A database that is made from a backup. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { readArchive } from '@standin/control-plane/store/backup/archive.ts'
import { type BackupFacts, backUp, restore } from '@standin/control-plane/store/backup/backup.ts'
import { type Database, openDatabase } from '@standin/control-plane/store/database.ts'
import { migrate, migrateAs, migrationState } from '@standin/control-plane/store/migrate.ts'
import { writeSetting } from '@standin/control-plane/store/settings.ts'
import { createTeam } from '@standin/control-plane/store/teams/teams.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../postgres.ts'
import { addRowOfEveryTable, tablesOf } from './any-row.ts'
import { flipped } from './backup-file.ts'

const TEXT = "tab\t, line\n, carriage return\r, backslash \\, end \\., quote ', null \\N, ä 😀"
let db: TestDatabase
beforeAll(async () => {
  db = await openTestDatabase()
  const tables = (await tablesOf(db.database)).filter((name) => !name.startsWith('kysely'))
  await addRowOfEveryTable(db.database, tables)
  await writeSetting(db.database, 'text', TEXT)
})
afterAll(() => db.close())

let count = 0
/** A database without tables. */
async function emptyDatabase(): Promise<{ url: string; database: Database }> {
  const name = `restored_${process.pid}_${++count}`
  await sql`create database ${sql.id(name)}`.execute(db.database)
  const url = Object.assign(new URL(db.url), { pathname: `/${name}` }).href
  const database = openDatabase({ url, role: 'test', connections: 2 })
  onTestFinished(async () => {
    await database.destroy()
    await sql`drop database ${sql.id(name)} with (force)`.execute(db.database)
  })
  return { url, database }
}

async function fileOf(url: string): Promise<Buffer> {
  let file = Buffer.alloc(0)
  await backUp(url, '1.2.3', async (archive) => {
    file = await buffer(archive)
  })
  return file
}

/** Puts the file into the database. `facts` are what the backup says about itself. */
async function restored({ url, database }: { url: string; database: Database }, file: Buffer) {
  let facts: BackupFacts | null = null
  await restore({
    url,
    file: Readable.from([file]),
    async prepare(found) {
      facts = found
      await migrateAs(database, found.migrations)
    },
  })
  return facts!
}

/** All rows of each table, as text. */
async function contentOf(database: Database): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = {}
  for (const table of await tablesOf(database)) {
    if (table.startsWith('kysely')) continue
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.id(table)} t order by 1`.execute(
      database,
    )
    content[table] = rows.map(({ text }) => text)
  }
  return content
}

test('a database is made from a backup: every row of every table, and numbers continue', async () => {
  const target = await emptyDatabase()
  // An id that was given out and is free again is not given out a second time.
  const lost = await createTeam(db.database, 'Lost')
  await sql`delete from teams where id = ${lost}`.execute(db.database)
  const facts = await restored(target, await fileOf(db.url))
  expect(facts).toMatchObject({ format: 1, version: '1.2.3' })
  const content = await contentOf(db.database)
  expect(Object.values(content).every((rows) => (rows as unknown[]).length > 0)).toBe(true)
  expect(await contentOf(target.database)).toEqual(content)
  const nextIn = async (database: Database) => {
    const { rows } = await sql<{ number: number }>`insert into teams (name) values ('Next') returning number`.execute(
      database,
    )
    return rows[0]!.number
  }
  expect(await nextIn(target.database)).toBe(await nextIn(db.database))
})

test('rows that are written during a backup are in all of its tables or in none', async () => {
  const target = await emptyDatabase()
  const file = await new Promise<Buffer>((resolve, reject) => {
    backUp(db.url, '1', async (archive) => {
      // The snapshot is taken, and nothing is read yet.
      const late = await createTeam(db.database, 'Late')
      const bytes = await buffer(archive)
      await sql`delete from teams where id = ${late}`.execute(db.database)
      resolve(bytes)
    }).catch(reject)
  })
  await restored(target, file)
  const { rows } = await sql`select from teams where name = 'Late'`.execute(target.database)
  expect(rows).toEqual([])
})

test('a table of several parts comes back whole', async () => {
  const source = await emptyDatabase()
  await migrate(source.database)
  await sql`insert into settings select n::text, to_jsonb(md5(n::text)) from generate_series(1, 60000) n`.execute(
    source.database,
  )
  const target = await emptyDatabase()
  const file = await fileOf(source.url)
  const names: string[] = []
  for await (const { name } of readArchive(Readable.from([file]))) names.push(name)
  expect(names.filter((name) => name.startsWith('settings/')).length).toBeGreaterThan(2)
  await restored(target, file)
  expect(await contentOf(target.database)).toEqual(await contentOf(source.database))
})

test('a backup of an older version is restored, and then migrated', async () => {
  const source = await emptyDatabase()
  const latest = await fileOf(db.url)
  const { migrations } = await restored(await emptyDatabase(), latest)
  await migrateAs(source.database, migrations.slice(0, -1))
  await createTeam(source.database, 'Old')
  const target = await emptyDatabase()
  await restored(target, await fileOf(source.url))
  expect(await migrate(target.database)).toEqual(migrations.slice(-1))
  expect((await migrationState(target.database)).missing).toEqual([])
  const { rows } = await sql`select name from teams`.execute(target.database)
  expect(rows).toEqual([{ name: 'Old' }])
})

describe('refuses', () => {
  test('a database that has rows', async () => {
    const file = await fileOf(db.url)
    const before = await contentOf(db.database)
    await expect(restored(db, file)).rejects.toThrow('The database is not empty: it has rows in')
    expect(await contentOf(db.database)).toEqual(before)
  })

  test('a backup of a newer version, and a database that is newer than the backup', async () => {
    const target = await emptyDatabase()
    await expect(migrateAs(target.database, ['0100-tables', '9999-later'])).rejects.toThrow(
      'made by another version of Standin: this version does not know its tables (9999-later)',
    )
    await migrate(target.database)
    await expect(migrateAs(target.database, ['0100-tables'])).rejects.toThrow(
      'tables of a newer version than the backup',
    )
  })

  test('an empty database as source', async () => {
    const source = await emptyDatabase()
    await expect(fileOf(source.url)).rejects.toThrow('no service was started with it')
  })

  test.each<[string, (file: Buffer) => Buffer, string]>([
    ['a file that was cut off', (file) => file.subarray(0, file.length / 2), 'the file was cut off'],
    ['a file without its last byte', (file) => file.subarray(0, -1), 'the file was cut off'],
    ['an empty file', () => Buffer.alloc(0), 'the file was cut off'],
    ['a changed file', (file) => flipped(file, file.length >> 1), 'damaged'],
    ['another file', () => Buffer.from('{}'), 'damaged'],
  ])('%s, and leaves the database empty', async (_what, change, message) => {
    const target = await emptyDatabase()
    await expect(restored(target, change(await fileOf(db.url)))).rejects.toThrow(message)
    if (_what.includes('cut off') || _what.includes('changed'))
      for (const rows of Object.values(await contentOf(target.database))) expect(rows).toEqual([])
    // The same database takes a whole file afterwards.
    await restored(target, await fileOf(db.url))
  })
})
