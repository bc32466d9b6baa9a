/** Backup and restore of the database by PostgreSQL's `copy`, without its programs and from any version to any other. */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { z } from 'zod'
import { BackupProblem, type Entry, readArchive, writeArchive } from './archive.ts'
import { copied, filledTables, sequenceValues, setSequences, tablesInOrder } from './schema.ts'

const FORMAT = 1
const FACTS = 'backup.json'
/** Rows of a table are stored in parts of this size. */
const PART_BYTES = 1024 * 1024

const tableSchema = z.object({ name: z.string(), columns: z.array(z.string()) })
const factsSchema = z.object({
  format: z.literal(FORMAT),
  /** Of the program that made it. */
  version: z.string(),
  made_at: z.string(),
  migrations: z.array(z.string()),
  /** The value that only the secret keys of the installation open. */
  key_check: z.unknown(),
  tables: z.array(tableSchema),
  sequences: z.array(z.object({ name: z.string(), value: z.string() })),
})
export type BackupFacts = z.infer<typeof factsSchema>

/** Without limits of time, in one form of dates on every server, and with an error if row security hid rows. */
const SESSION = `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local lock_timeout = 0; set local datestyle = 'ISO'; set local row_security = off`

async function inSession<T>(url: string, begin: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'standin backup', keepAlive: true })
  // A broken connection fails the statement under way.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`${begin}; ${SESSION}`)
    const done = await work(client)
    await client.query('commit')
    return done
  } finally {
    // Without the commit PostgreSQL rolls back.
    await client.end()
  }
}

/** Hands the file of a backup to `write`, all from one instant of the database. Resolves with the number of rows. */
export function backUp(url: string, version: string, write: (file: Readable) => Promise<void>): Promise<number> {
  return inSession(url, 'begin isolation level repeatable read read only', async (client) => {
    const tables = await tablesInOrder(client)
    if (!tables.some(({ name }) => name === 'settings'))
      throw new BackupProblem('The database is empty: no service was started with it')
    const { rows: made } = await client.query<{ name: string }>('select name from kysely_migration order by name')
    const { rows: check } = await client.query(`select value from settings where name = 'secret_key_check'`)
    const facts: BackupFacts = {
      format: FORMAT,
      version,
      made_at: new Date().toISOString(),
      migrations: made.map(({ name }) => name),
      key_check: check[0]?.value ?? null,
      tables,
      sequences: await sequenceValues(client),
    }
    let rows = 0
    async function* entries(): AsyncGenerator<Entry> {
      yield { name: FACTS, content: Buffer.from(JSON.stringify(facts)) }
      for (const table of tables) {
        const stream = client.query(copyTo(`copy ${copied(table)} to stdout`))
        let part = 0
        for await (const content of inParts(stream)) yield { name: `${table.name}/${++part}`, content }
        rows += stream.rowCount
      }
    }
    await write(writeArchive(entries()))
    return rows
  })
}

async function* inParts(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    parts.push(chunk)
    bytes += chunk.length
    if (bytes < PART_BYTES) continue
    yield Buffer.concat(parts)
    parts = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(parts)
}

export interface RestoreSettings {
  url: string
  file: Readable
  /** Makes the tables of these migrations. Rejects if the backup does not fit program or keys; nothing is written then. */
  prepare(facts: BackupFacts): Promise<void>
}

/** Everything or nothing. Resolves with the number of rows. */
export async function restore(settings: RestoreSettings): Promise<number> {
  try {
    return await restoreAll(settings)
  } finally {
    // Standard input would keep the process alive.
    settings.file.destroy()
  }
}

async function restoreAll({ url, file, prepare }: RestoreSettings): Promise<number> {
  const entries = readArchive(file)
  const first = await entries.next()
  const facts = factsOf(first.value)
  await inSession(url, 'begin read only', async (client) => {
    const filled = await filledTables(client)
    if (filled.length > 0)
      throw new BackupProblem(`The database is not empty: it has rows in ${filled.join(', ')}. Choose another one`)
  })
  await prepare(facts)
  return inSession(url, 'begin', async (client) => {
    let next = await entries.next()
    let rows = 0
    async function* partsOf(table: string): AsyncGenerator<Buffer> {
      for (; !next.done && next.value.name.startsWith(`${table}/`); next = await entries.next())
        yield next.value.content
    }
    for (const table of facts.tables) {
      const stream = client.query(copyFrom(`copy ${copied(table)} from stdin`))
      await pipeline(partsOf(table.name), stream)
      rows += stream.rowCount
    }
    if (!next.done) throw new BackupProblem(`The backup is damaged: ${next.value.name} is in the wrong place`)
    await setSequences(client, facts.sequences)
    return rows
  })
}

function factsOf(entry: Entry | undefined): BackupFacts {
  if (entry?.name !== FACTS) throw new BackupProblem('The file is no backup of Standin')
  const facts = JSON.parse(entry.content.toString()) as { format?: unknown; version?: unknown }
  if (facts.format !== FORMAT)
    throw new BackupProblem(
      `The backup was made by version ${facts.version}, which writes another format: restore it with that`,
    )
  return factsSchema.parse(facts)
}
