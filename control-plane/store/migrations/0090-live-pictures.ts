import { type Kysely, sql } from 'kysely'

/** The last time that a bot was asked for a live picture. Each bot that was ever watched has one row. */
const TABLES = `
create table live_pictures (
  bot_id uuid primary key references bots on delete cascade,
  asked_at timestamptz not null,
  command_id uuid not null
);
`

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(database)
}
