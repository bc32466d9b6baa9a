/** The cause of a failure, which says more than its error code. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column end_cause text`.execute(database)
}
