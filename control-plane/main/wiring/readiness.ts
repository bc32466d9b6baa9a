/** Checks of `/readyz` besides the database. Their sentences hold no address and no secret. */
import { probeSealKeys } from '../../platform/secrets/key-check.ts'
import type { KeyRing } from '../../platform/secrets/seals.ts'
import type { Database } from '../../store/database.ts'
import { missingMigrations } from '../../store/migrate.ts'

export type Readiness = Readonly<Record<string, () => Promise<void>>>

export function readinessOf(database: Database, seals: KeyRing, recordings: () => Promise<void>): Readiness {
  return {
    migrations: async () => {
      const missing = await missingMigrations(database).catch(() => null)
      if (missing === null) throw new Error('The migrations of the database could not be read')
      if (missing.length > 0)
        throw new Error(`The database lacks the migrations ${missing.join(', ')}: restart the service`)
    },
    keyring: () => probeSealKeys(database, seals),
    recordings,
  }
}
