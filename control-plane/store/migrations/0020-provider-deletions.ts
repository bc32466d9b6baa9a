/** How a deletion of a bot's data treats its transcripts at the speech provider. */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deletions
      -- Whether the provider is told to delete them too.
      add column from_provider boolean not null default false,
      -- How many it deleted, and how many it did not have any more; null while it was not asked.
      add column provider_deleted int,
      add column provider_missing int`.execute(db)
}
