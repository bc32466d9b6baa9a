/** Credentials of bots that are registered at Microsoft Teams, beside those of Zoom. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table connections
    add column platform text not null default 'zoom' check (platform in ('zoom', 'teams')),
    add column tenant_id text,
    add check ((platform = 'teams') = (tenant_id is not null)),
    add check (platform = 'zoom' or type = 'app')`.execute(database)
}
