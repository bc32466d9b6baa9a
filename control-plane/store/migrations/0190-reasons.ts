/** Why a meeting did not let a bot in, and how often it denied a request of the bot. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column reason text, add column denials integer not null default 0`.execute(database)
}
