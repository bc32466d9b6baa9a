/**
 * A real PostgreSQL for tests: one server for the whole run, started by the first worker that needs it, and a database for
 * each worker, which is emptied after each test file.
 */

import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { type Database, openDatabase } from '../../control-plane/store/database.ts'
import { migrate } from '../../control-plane/store/migrate.ts'
import { startOwnPostgres } from '../../control-plane/store/own-postgres.ts'
import { atEnd } from '../fakes/at-end.ts'
import { installSettableClock } from './checker/database-clock.ts'

/** Variable with the folder of the server; `set-up/postgres-folder.ts` names it, and stops the server. */
const FOLDER = 'STANDIN_TEST_POSTGRES'
/** The database that others are copied from. */
const TEMPLATE = 'standin_template'
const SETTINGS = [
  ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'],
  // A pool of each role, and several files at once.
  'max_connections=500',
  // A password is checked for each connection, and its strength is not what is tested.
  'scram_iterations=1',
]
/** Deleted rows stay in the files of a database. A file of tests that fills it beyond this leaves the next one a new one. */
const MAX_GROWTH_BYTES = 8 * 1024 * 1024

let server: Promise<string> | undefined
const testServer = () => (server ??= serverOfRun())

/** Resolves with the address of the server. The worker that makes its folder starts it. */
async function serverOfRun(): Promise<string> {
  const run = process.env[FOLDER]
  if (!run) throw new Error(`${FOLDER} is not set: run the test with vitest`)
  const folder = join(run, 'server')
  const note = join(run, 'started.json')
  try {
    mkdirSync(folder, { mode: 0o755 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return startedByOther(note)
  }
  chmodSync(folder, 0o755)
  const started = await start(folder).then(
    (url) => ({ url }),
    (error: Error) => ({ problem: error.message }),
  )
  writeFileSync(`${note}.part`, JSON.stringify(started))
  renameSync(`${note}.part`, note)
  return startedByOther(note)
}

async function startedByOther(note: string): Promise<string> {
  for (;;) {
    const read = readNote(note)
    if (read?.problem !== undefined) throw new Error(`The PostgreSQL of the tests did not start: ${read.problem}`)
    if (read) return read.url
    await sleep(20)
  }
}

function readNote(note: string): { url: string; problem?: string } | null {
  try {
    return JSON.parse(readFileSync(note, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function start(folder: string): Promise<string> {
  const { url } = await startOwnPostgres({ folder, settings: SETTINGS })
  const { username, password } = new URL(url)
  await query(url, `alter role ${username} password '${password}'`)
  await query(url, `create database ${TEMPLATE}`)
  const template = openDatabase({ url: databaseUrl(url, TEMPLATE), role: 'test', connections: 1 })
  await migrate(template as never)
  await template.destroy()
  return url
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

const query = (url: string, text: string) => withClient(url, (client) => client.query(text))

function databaseUrl(url: string, name: string): string {
  const parsed = new URL(url)
  parsed.pathname = `/${name}`
  return parsed.href
}

/** Parts of a database that have to be the same before the next file uses the database: tables, statistics of rows, and migrations. */
const SHAPE = `select md5(string_agg(part::text, ' ' order by part::text)) as shape,
  pg_database_size(current_database())::float8 as bytes from (
    select array[oid::text, relname, relrowsecurity::text, reltuples::text] as part
      from pg_class where relnamespace = 'public'::regnamespace
    union all select array[attrelid::text, attnum::text, attname] from pg_attribute
      where attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    union all select array[oid::text] from pg_constraint where connamespace = 'public'::regnamespace
    union all select array[oid::text, tgenabled::text] from pg_trigger
    union all select array[oid::text] from pg_policy
    union all select array[oid::text] from pg_proc where pronamespace = 'public'::regnamespace
    union all select array[oid::text] from pg_operator where oprnamespace = 'public'::regnamespace
    union all select array[name] from kysely_migration) parts`

/** Deletes every row, which for small tables is much faster than `truncate`, and lets the numbers begin again. */
const EMPTY = `do $$ declare one name; begin
    perform set_config('session_replication_role', 'replica', true);
    for one in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname not in ('kysely_migration', 'kysely_migration_lock') loop
      execute format('delete from public.%I', one);
    end loop;
    perform setval(seqrelid, seqstart, false) from pg_sequence;
  end $$`

export const emptyDatabase = (database: Database): Promise<unknown> => sql.raw(EMPTY).execute(database)

interface OwnDatabase {
  name: string
  shape: string
  bytes: number
}

/** Databases of this worker that no file uses now. */
const free: OwnDatabase[] = []
let count = 0

const newName = () => `test_${process.pid}_${++count}`

async function makeDatabase(url: string): Promise<OwnDatabase> {
  const name = newName()
  // Copied file by file: the server's own way writes every page to its log first, at three times the cost.
  await query(url, `create database ${name} template ${TEMPLATE} strategy file_copy`)
  return { name, ...(await query(databaseUrl(url, name), SHAPE)).rows[0] }
}

/** Keeps the database for the next file if this file left nothing in it, and drops it otherwise. */
async function giveBack(url: string, own: OwnDatabase): Promise<void> {
  const isEmptied = await withClient(databaseUrl(url, own.name), async (client) => {
    if (!(await isAlone(client))) return false
    const { shape, bytes } = (await client.query(SHAPE)).rows[0] as OwnDatabase
    if (shape !== own.shape || bytes - own.bytes > MAX_GROWTH_BYTES) return false
    await client.query(EMPTY)
    return true
  })
  if (isEmptied) free.push(own)
  else await dropDatabase(url, own.name)
}

/** Whether no other session uses the database. Those of a pool that was closed end a moment later. */
async function isAlone(client: pg.Client): Promise<boolean> {
  for (let tries = 0; tries < 50; tries++) {
    const { rows } = await client.query(
      'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    if (rows.length === 0) return true
    await sleep(10)
  }
  return false
}

const dropDatabase = (url: string, name: string) => query(url, `drop database if exists ${name} with (force)`)

/** How many sessions of the database wait for a lock. A transaction that has asked once gets the same answer again. */
export async function waitingForLocks(database: Database): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`.execute(database)
  return rows.length
}

export interface TestDatabase {
  url: string
  database: Database
  /** Closes the pool and gives the database back, before its end. */
  close(): Promise<void>
}

/** A database with every table and no row, until the test or the file ends. */
export async function openTestDatabase(connections = 8): Promise<TestDatabase> {
  const url = await testServer()
  const own = free.pop() ?? (await makeDatabase(url))
  return opened(databaseUrl(url, own.name), connections, () => giveBack(url, own))
}

/** The same, with a clock that can be set (`checker/database-clock.ts`). */
export async function openDatabaseWithClock(connections = 8): Promise<TestDatabase> {
  const url = await testServer()
  const name = newName()
  await query(url, `create database ${name}`)
  await query(url, `alter database ${name} set search_path = public, pg_catalog`)
  const test = opened(databaseUrl(url, name), connections, () => dropDatabase(url, name))
  await installSettableClock(test.database)
  await migrate(test.database as never)
  return test
}

function opened(url: string, connections: number, giveBackDatabase: () => Promise<unknown>): TestDatabase {
  const database = openDatabase({ url, role: 'test', connections })
  let closing: Promise<unknown> | undefined
  const close = async () => {
    closing ??= database.destroy().then(giveBackDatabase)
    await closing
  }
  atEnd(close)
  return { url, database, close }
}
