/** Filters of the list of meetings, under a name that a person gave. */
import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  `create table saved_views (
    id uuid primary key default gen_random_uuid(),
    person_id uuid not null references people (id) on delete cascade,
    name text not null,
    filters jsonb not null,
    created_at timestamptz not null default now(),
    unique (person_id, name)
  )`,
  `create policy of_team on saved_views using
    ((select team_id from people where people.id = saved_views.person_id) == current_setting('standin.team')::uuid)`,
  'alter table saved_views enable row level security',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}
