/**
 * Migrates a database to the tables that this program needs. Forward only; two processes that migrate at once wait for
 * each other.
 */
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'
import * as tables from './migrations/0230-tables/index.ts'
import { up as indexCommands } from './migrations/0231-commands-of-a-bot.ts'

const FIRST = '0230-tables'
const MIGRATIONS: Record<string, Migration> = { [FIRST]: tables, '0231-commands-of-a-bot': { up: indexCommands } }

/** A newer version of Standin has changed this database. */
export class NewerDatabase extends Error {
  constructor(steps: readonly string[]) {
    super(
      `The database belongs to a newer version of Standin: this version does not know its ${steps.length === 1 ? 'migration' : 'migrations'} ${steps.join(', ')}. Start the newer version, or use a copy of the database that was made before the upgrade.`,
    )
    this.name = 'NewerDatabase'
  }
}

/** An older version of Standin made this database, before its tables became one migration. */
export class OlderDatabase extends Error {
  constructor() {
    super(
      'The database belongs to an older version of Standin that this version cannot upgrade. Use an empty database, or the version that made it.',
    )
    this.name = 'OlderDatabase'
  }
}

const migratorOf = (database: Database | Kysely<unknown>) =>
  new Migrator({ db: database as Kysely<unknown>, provider: { getMigrations: async () => MIGRATIONS } })

/**
 * Names of the steps that were applied now. Rejects with NewerDatabase if the database has steps that this program does
 * not know, with OlderDatabase if it was made before the first of them, and with the error of the first step that failed.
 */
export async function migrate(database: Database | Kysely<unknown>): Promise<string[]> {
  const made = await migrationsMade(database)
  if (made.some((name) => name < FIRST)) throw new OlderDatabase()
  const unknown = made.filter((name) => !(name in MIGRATIONS))
  if (unknown.length > 0) throw new NewerDatabase(unknown)
  const { error, results } = await migratorOf(database).migrateToLatest()
  if (error) throw error
  return (results ?? []).map(({ migrationName }) => migrationName)
}

/** Names of the steps that this program needs and the database does not have, such as one of an older version. */
export async function missingMigrations(database: Database | Kysely<unknown>): Promise<string[]> {
  const made = await migrationsMade(database)
  return Object.keys(MIGRATIONS).filter((name) => !made.includes(name))
}

async function migrationsMade(database: Database | Kysely<unknown>): Promise<string[]> {
  const any = database as Kysely<unknown>
  const { rows: tables } = await sql<{
    has: boolean
  }>`select to_regclass('kysely_migration') is not null as has`.execute(any)
  if (!tables[0]!.has) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(any)
  return rows.map(({ name }) => name)
}

/** The newest step that the database has and that this program knows, and how many this program knows. */
export async function migrationState(
  database: Database | Kysely<unknown>,
): Promise<{ newest: string | null; known: number; missing: string[] }> {
  const missing = await missingMigrations(database)
  const names = Object.keys(MIGRATIONS)
  return { newest: names.findLast((name) => !missing.includes(name)) ?? null, known: names.length, missing }
}
