/** The people whom one sign-in proved, one of each team. Its session may change between them. */
import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  `create table sign_in_people (
    sign_in uuid not null,
    person_id uuid not null references people (id) on delete cascade,
    created_at timestamptz not null default now(),
    primary key (sign_in, person_id)
  )`,
  'create index sign_in_people_of_person on sign_in_people (person_id)',
  'alter table sign_in_links add column sign_in uuid',
  'alter table sessions add column sign_in uuid',
  `create policy of_team on sign_in_people using
    ((select team_id from people where people.id = sign_in_people.person_id) == current_setting('standin.team')::uuid)`,
  'alter table sign_in_people enable row level security',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}
