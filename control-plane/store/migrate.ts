/** Brings a database to the tables that this program needs. Forward only; two that migrate at once wait for each other. */
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import * as firstTables from './migrations/0001-first-tables.ts'
import * as performance from './migrations/0010-performance.ts'

const MIGRATIONS: Record<string, Migration> = {
  '0001-first-tables': firstTables,
  '0010-performance': performance,
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
