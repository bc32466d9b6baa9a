/** Every table of the service. Never changed again: later changes are separate migrations. */
import { type Kysely, sql } from 'kysely'
import { BOTS } from './bots.ts'
import { CALENDARS } from './calendars.ts'
import { PEOPLE } from './people.ts'
import { secureRows } from './row-security.ts'
import { TEAMS } from './teams.ts'
import { WEBHOOKS } from './webhooks.ts'

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const tables of [TEAMS, BOTS, WEBHOOKS, CALENDARS, PEOPLE]) await sql.raw(tables).execute(database)
  await secureRows(database)
}
