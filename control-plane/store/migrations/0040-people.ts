import { type Kysely, sql } from 'kysely'

/** People of the dashboard. Links and sessions are kept as the SHA-256 of their token. */
const TABLES = `
create table people (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  name text not null,
  email text,
  role text not null check (role in ('owner', 'member', 'viewer')),
  password text,
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);
create unique index people_by_email on people (lower(email)) where disabled_at is null and email is not null;
create index people_of_team on people (team_id, created_at);

create table sign_in_links (
  hash bytea primary key,
  person_id uuid not null references people,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sign_in_links_by_age on sign_in_links (expires_at);

create table sessions (
  hash bytea primary key,
  person_id uuid not null references people,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_of_person on sessions (person_id);
create index sessions_by_age on sessions (expires_at);
`

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(database)
}
