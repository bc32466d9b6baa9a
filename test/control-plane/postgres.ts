/** A real PostgreSQL for tests: one server for each worker process, and a fresh database for each test file that asks. */
import { chmodSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type Database, openDatabase } from '../../control-plane/store/database.ts'
import { migrate } from '../../control-plane/store/migrate.ts'
import { type OwnPostgres, startOwnPostgres } from '../../control-plane/store/own-postgres.ts'
import { installSettableClock } from './checker/database-clock.ts'

/** Variable with the folder that holds a server for each worker process. */
const TEST_SERVERS = 'STANDIN_TEST_POSTGRES'
const TEMPLATE = 'standin_template'
let server: Promise<OwnPostgres> | undefined
let count = 0

function testServer(): Promise<OwnPostgres> {
  server ??= start()
  return server
}

async function start(): Promise<OwnPostgres> {
  // Not named by the process id: Linux gives the id of a worker that has ended to a later one.
  const folder = mkdtempSync(join(testServers(), 'worker-'))
  chmodSync(folder, 0o755)
  const own = await startOwnPostgres({
    folder,
    settings: ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'],
  })
  await query(own.url, `create database ${TEMPLATE}`)
  const template = openDatabase({ url: databaseUrl(own.url, TEMPLATE), role: 'test', connections: 1 })
  await migrate(template as never)
  await template.destroy()
  return own
}

/** Named by the global set-up, which stops what the workers started there. */
function testServers(): string {
  const folder = process.env[TEST_SERVERS]
  if (!folder) throw new Error(`${TEST_SERVERS} is not set: run the test with vitest`)
  return folder
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

function databaseUrl(url: string, name: string): string {
  const parsed = new URL(url)
  parsed.pathname = `/${name}`
  return parsed.href
}

export interface TestDatabase {
  url: string
  database: Database
  /** Closes the pool and drops the database. */
  close(): Promise<void>
}

/**
 * A database with every table and no row. Call `close` in `afterAll`. `hasOwnClock`: its clock can be set
 * (`checker/database-clock.ts`).
 */
export async function openTestDatabase(connections = 8, hasOwnClock = false): Promise<TestDatabase> {
  const { url } = await testServer()
  const name = `test_${process.pid}_${++count}`
  // Copied file by file: the server's own way writes every page to its log first, at three times the cost.
  await query(url, `create database ${name} template ${hasOwnClock ? 'template1' : TEMPLATE} strategy file_copy`)
  if (hasOwnClock) await query(url, `alter database ${name} set search_path = public, pg_catalog`)
  const ownUrl = databaseUrl(url, name)
  const database = openDatabase({ url: ownUrl, role: 'test', connections })
  if (hasOwnClock) {
    await installSettableClock(database)
    await migrate(database as never)
  }
  return {
    url: ownUrl,
    database,
    close: async () => {
      await database.destroy()
      await query(url, `drop database if exists ${name} with (force)`)
    },
  }
}
