/** The memory limit of a bot that ended for lack of memory: the next one of its kind gets more. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table launches add column memory_limit_bytes bigint`.execute(database)
}
