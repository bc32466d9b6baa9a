/**
 * Migrates a database to the tables that this program needs. Forward only; two processes that migrate at once wait for
 * each other.
 */
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'
import * as tables from './migrations/0100-tables/index.ts'
import * as requests from './migrations/0110-requests.ts'
import * as indexes from './migrations/0120-indexes.ts'
import * as lists from './migrations/0130-lists.ts'
import * as auditLog from './migrations/0140-audit-log.ts'
import * as oldRows from './migrations/0145-old-rows.ts'
import * as peopleOfTeams from './migrations/0148-people-of-teams.ts'
import * as rowSecurity from './migrations/0150-row-security.ts'
import * as endCause from './migrations/0170-end-cause.ts'
import * as connecting from './migrations/0180-connecting.ts'
import * as signIns from './migrations/0185-sign-ins.ts'
import * as requestLog from './migrations/0186-request-log.ts'
import * as invitations from './migrations/0188-invitations.ts'
import * as reasons from './migrations/0190-reasons.ts'
import * as accounts from './migrations/0200-accounts.ts'
import * as teamsApps from './migrations/0207-teams-apps.ts'
import * as followedEvents from './migrations/0212-followed-events.ts'
import * as attemptUsage from './migrations/0213-attempt-usage.ts'

const MIGRATIONS: Record<string, Migration> = {
  '0100-tables': tables,
  '0110-requests': requests,
  '0120-indexes': indexes,
  '0130-lists': lists,
  '0140-audit-log': auditLog,
  '0145-old-rows': oldRows,
  '0148-people-of-teams': peopleOfTeams,
  '0150-row-security': rowSecurity,
  '0170-end-cause': endCause,
  '0180-connecting': connecting,
  '0185-sign-ins': signIns,
  '0186-request-log': requestLog,
  '0188-invitations': invitations,
  '0190-reasons': reasons,
  '0200-accounts': accounts,
  '0207-teams-apps': teamsApps,
  '0212-followed-events': followedEvents,
  '0213-attempt-usage': attemptUsage,
}

/** Their tables are those of `0100-tables`: they were made into one migration, once. */
const EARLIER_MIGRATIONS = [
  '0001-first-tables',
  '0002-calendars',
  '0003-connections',
  '0010-performance',
  '0020-provider-deletions',
  '0030-job-offers',
  '0040-people',
  '0050-alerts',
  '0060-identities',
  '0070-resumed-bots',
  '0080-traces',
  '0090-live-pictures',
]

/** A newer version of Standin has changed this database. */
export class NewerDatabase extends Error {
  constructor(steps: readonly string[]) {
    super(
      `The database belongs to a newer version of Standin: this version does not know its ${steps.length === 1 ? 'migration' : 'migrations'} ${steps.join(', ')}. Start the newer version, or use a copy of the database that was made before the upgrade.`,
    )
    this.name = 'NewerDatabase'
  }
}

/** An older version of Standin made this database, and this version cannot upgrade it. */
export class OlderDatabase extends Error {
  constructor(missing: readonly string[]) {
    super(
      `The database belongs to an older version of Standin and lacks its ${missing.length === 1 ? 'migration' : 'migrations'} ${missing.join(', ')}. Start the last version that has ${missing.length === 1 ? 'it' : 'them'} once, then this one; or use an empty database.`,
    )
    this.name = 'OlderDatabase'
  }
}

const migratorOf = (database: Database | Kysely<unknown>) =>
  new Migrator({ db: database as Kysely<unknown>, provider: { getMigrations: async () => MIGRATIONS } })

/**
 * Names of the steps that were applied now. Rejects with NewerDatabase if the database has steps that this program does
 * not know, with OlderDatabase if it has only some of the earlier ones, and with the error of the first step that failed.
 */
export async function migrate(database: Database | Kysely<unknown>): Promise<string[]> {
  const made = await migrationsMade(database)
  const unknown = made.filter((name) => !(name in MIGRATIONS) && !EARLIER_MIGRATIONS.includes(name))
  if (unknown.length > 0) throw new NewerDatabase(unknown)
  if (made.some((name) => EARLIER_MIGRATIONS.includes(name))) await replaceEarlier(database as Kysely<unknown>, made)
  const { error, results } = await migratorOf(database).migrateToLatest()
  if (error) throw error
  return (results ?? []).map(({ migrationName }) => migrationName)
}

/** Notes the one migration in place of the earlier ones. Two processes may do so at once. */
async function replaceEarlier(database: Kysely<unknown>, made: readonly string[]): Promise<void> {
  const missing = EARLIER_MIGRATIONS.filter((name) => !made.includes(name))
  if (missing.length > 0) throw new OlderDatabase(missing)
  await sql`
    with earlier as (
      delete from kysely_migration where name = any (${EARLIER_MIGRATIONS}::text[]) returning timestamp
    )
    insert into kysely_migration (name, timestamp) select '0100-tables', max(timestamp) from earlier having count(*) > 0
    on conflict (name) do nothing`.execute(database)
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
