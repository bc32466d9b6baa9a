/** Finds rows that are kept no longer. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table bots add column history_deleted_at timestamptz`.execute(database)
  await sql`create index bots_with_history on bots (ended_at)
    where phase = 'closed' and history_deleted_at is null`.execute(database)
  await sql`create index deliveries_by_end on deliveries (finished_at) where finished_at is not null`.execute(database)
  await sql`create index messages_by_age on messages (created_at)`.execute(database)
}
