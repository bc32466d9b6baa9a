/**
 * Migrates a database to the tables that this program needs. Forward only; two processes that migrate at once wait for
 * each other.
 */
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import * as firstTables from './migrations/0001-first-tables.ts'
import * as calendars from './migrations/0002-calendars.ts'
import * as connections from './migrations/0003-connections.ts'
import * as performance from './migrations/0010-performance.ts'
import * as providerDeletions from './migrations/0020-provider-deletions.ts'
import * as jobOffers from './migrations/0030-job-offers.ts'
import * as people from './migrations/0040-people.ts'
import * as alerts from './migrations/0050-alerts.ts'
import * as identities from './migrations/0060-identities.ts'
import * as resumedBots from './migrations/0070-resumed-bots.ts'
import * as traces from './migrations/0080-traces.ts'
import * as livePictures from './migrations/0090-live-pictures.ts'

const MIGRATIONS: Record<string, Migration> = {
  '0001-first-tables': firstTables,
  '0002-calendars': calendars,
  '0003-connections': connections,
  '0010-performance': performance,
  '0020-provider-deletions': providerDeletions,
  '0030-job-offers': jobOffers,
  '0040-people': people,
  '0050-alerts': alerts,
  '0060-identities': identities,
  '0070-resumed-bots': resumedBots,
  '0080-traces': traces,
  '0090-live-pictures': livePictures,
}

/** A newer version of Standin has changed this database. */
export class NewerDatabase extends Error {
  constructor(steps: readonly string[]) {
    super(
      `The database belongs to a newer version of Standin: this version does not know its ${steps.length === 1 ? 'migration' : 'migrations'} ${steps.join(', ')}. Start the newer version, or restore a backup of the database that was made before the upgrade.`,
    )
    this.name = 'NewerDatabase'
  }
}

/**
 * Names of the steps that were applied now. Rejects with NewerDatabase where the database has steps that this program does
 * not know, and with the error of the first step that failed.
 */
export async function migrate(database: Kysely<never> | Kysely<unknown>): Promise<string[]> {
  const migrator = new Migrator({
    db: database as Kysely<unknown>,
    provider: { getMigrations: async () => MIGRATIONS },
  })
  const unknown = (await migrationsMade(database)).filter((name) => !(name in MIGRATIONS))
  if (unknown.length > 0) throw new NewerDatabase(unknown)
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error
  return (results ?? []).map(({ migrationName }) => migrationName)
}

/** Names of the steps that this program needs and the database does not have, as after a restored backup. */
export async function missingMigrations(database: Kysely<never> | Kysely<unknown>): Promise<string[]> {
  const made = await migrationsMade(database)
  return Object.keys(MIGRATIONS).filter((name) => !made.includes(name))
}

async function migrationsMade(database: Kysely<never> | Kysely<unknown>): Promise<string[]> {
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
  database: Kysely<never> | Kysely<unknown>,
): Promise<{ newest: string | null; known: number; missing: string[] }> {
  const missing = await missingMigrations(database)
  const names = Object.keys(MIGRATIONS)
  return { newest: names.findLast((name) => !missing.includes(name)) ?? null, known: names.length, missing }
}
