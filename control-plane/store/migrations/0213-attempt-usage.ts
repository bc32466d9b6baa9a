/** Resources that each process of an attempt used. Whole numbers, so that sums are exact. */
import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  `create table attempt_usage (
    bot_id uuid not null references bots (id) on delete cascade,
    attempt integer not null,
    journal_id uuid not null,
    is_final boolean not null,
    core_ms bigint not null,
    peak_memory_bytes bigint,
    bytes_received bigint not null,
    bytes_sent bigint not null,
    bytes_stored bigint not null,
    life_ms bigint not null,
    phase_ms jsonb not null,
    primary key (bot_id, attempt, journal_id)
  )`,
  `create policy of_team on attempt_usage using
    ((select team_id from bots where bots.id = attempt_usage.bot_id) == current_setting('standin.team')::uuid)`,
  'alter table attempt_usage enable row level security',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}
