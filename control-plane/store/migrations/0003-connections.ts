import { type Kysely, sql } from 'kysely'

/**
 * Apps of the conferencing platform and users who authorized them. The secrets are sealed and go when the connection is
 * deleted. `tokens_version` counts the token pairs of a connection: a refresh writes only over the pair that it used.
 */
const TABLES = `
create table connections (
  id uuid primary key,
  team_id uuid not null references teams,
  name text not null,
  type text not null check (type in ('app', 'user')),
  client_id text not null,
  client_secret bytea,
  user_id text,
  account_id text,
  email text,
  display_name text,
  scopes jsonb not null default '[]',
  state text not null default 'active' check (state in ('active', 'invalid')),
  last_error_message text,
  last_error_at timestamptz,
  extra jsonb,
  refresh_token bytea,
  access_token bytea,
  access_token_until timestamptz,
  tokens_version int not null default 0,
  lease_owner text,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  check (deleted_at is null or (client_secret is null and refresh_token is null and access_token is null)),
  check (deleted_at is not null or client_secret is not null),
  check (type = 'app' or user_id is not null)
);
create index connections_of_team on connections (team_id, created_at, id) where deleted_at is null;
create index connections_of_user on connections (team_id, user_id) where deleted_at is null and user_id is not null;
`

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(database)
}
