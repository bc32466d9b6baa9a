import { type Kysely, sql } from 'kysely'

/** Indexes for what is asked often and would otherwise read rows that cannot matter. */
const INDEXES = `
create index deliveries_again on deliveries (endpoint_id, next_at, id)
  where state = 'waiting' and (attempts > 0 or is_replay);
create index endpoints_disabled on endpoints (id) where disabled_at is not null;
`

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw(INDEXES).execute(database)
}
