/** Brings a database to the tables that this program needs. Forward only; two that migrate at once wait for each other. */
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

/** Names of the steps that were made now. Rejects with the error of the first step that failed. */
export async function migrate(database: Kysely<never> | Kysely<unknown>): Promise<string[]> {
  const migrator = new Migrator({
    db: database as Kysely<unknown>,
    provider: { getMigrations: async () => MIGRATIONS },
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error
  return (results ?? []).map(({ migrationName }) => migrationName)
}

/** Names of the steps that this program needs and the database does not have, as after a restored backup. */
export async function missingMigrations(database: Kysely<never> | Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(database as Kysely<unknown>)
  const made = new Set(rows.map(({ name }) => name))
  return Object.keys(MIGRATIONS).filter((name) => !made.has(name))
}

/** The newest step that the database has and that this program knows, and how many this program knows. */
export async function migrationState(
  database: Kysely<never> | Kysely<unknown>,
): Promise<{ newest: string | null; known: number; missing: string[] }> {
  const missing = await missingMigrations(database)
  const names = Object.keys(MIGRATIONS)
  return { newest: names.findLast((name) => !missing.includes(name)) ?? null, known: names.length, missing }
}
