/** The last requests with the API keys of each team. */
import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  `create table request_log (
    id bigint primary key generated always as identity,
    team_id uuid not null,
    at timestamptz not null,
    key_id uuid not null,
    request_id text not null,
    method text not null,
    path text not null,
    status integer not null,
    ms integer not null,
    error_code text,
    error_body text,
    left_out integer not null
  )`,
  'create index request_log_of_team on request_log (team_id, id desc)',
  `create policy of_team on request_log using (team_id == current_setting('standin.team')::uuid)`,
  'alter table request_log enable row level security',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}
