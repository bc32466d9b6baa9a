/** A page of a team's list reads no rows of other teams. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create index bots_older_of_team on bots (team_id, created_at desc, number desc)
    where generation = 'older'`.execute(database)
  await sql`create index deliveries_of_team on deliveries (team_id, created_at, id)`.execute(database)
  await sql`create index deliveries_given_up_of_team on deliveries (team_id, state, created_at, id)
    where state in ('failed', 'dropped')`.execute(database)
}
