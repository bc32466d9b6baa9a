/** Links of invitations live for days, until they are used or withdrawn. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table sign_in_links add column is_invitation boolean not null default false`.execute(database)
  await sql`create index sign_in_links_of_person on sign_in_links (person_id)`.execute(database)
}
