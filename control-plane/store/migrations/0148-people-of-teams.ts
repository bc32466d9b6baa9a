/** One e-mail address, and one account that signs in, may belong to a person of each team. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`drop index people_by_email`.execute(database)
  await sql`create unique index people_by_email on people (lower(email), team_id)
    where disabled_at is null and email is not null`.execute(database)
  await sql`alter table person_identities drop constraint person_identities_pkey,
    add primary key (issuer, subject, person_id)`.execute(database)
}
