import { type Kysely, sql } from 'kysely'

/** Bots that are resumed after an attempt crashed in its meeting, and recordings of several parts. */
const COLUMNS = `
alter table bots
  add column resumes int not null default 0,
  add column resuming_since timestamptz,
  add column parts jsonb not null default '[]',
  add column pending_end jsonb,
  add column files_attempt int;
alter table launches
  add column recovery text,
  add column recovery_owner text,
  add column recovery_until timestamptz;
`

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw(COLUMNS).execute(database)
}
