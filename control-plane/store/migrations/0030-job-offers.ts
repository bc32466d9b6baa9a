import { type Kysely, sql } from 'kysely'

/**
 * Jobs that wait to be fetched by their containers, sealed. A row holds a job for minutes: it goes when the job is taken,
 * and the row itself goes with the attempt, or after its time.
 */
const TABLES = `
create table job_offers (
  id uuid primary key,
  bot_id uuid not null references bots on delete cascade,
  attempt int not null,
  token_hash bytea not null,
  job bytea,
  expires_at timestamptz not null,
  taken_at timestamptz,
  unique (bot_id, attempt),
  check (taken_at is null or job is null)
);
create index job_offers_by_end on job_offers (expires_at);
`

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(database)
}
