/**
 * Accounts with which bots join signed in. The lease of an account is in the row of its bot, so it ends with it: while the
 * bot may be in its meeting, no other bot has the same account in this meeting, nor the same of the account's places.
 */
import { type Kysely, sql } from 'kysely'

/** Of the bots that hold their account. */
const HOLDS = `account_id is not null and phase not in ('processing', 'assembling', 'closed')`

const STATEMENTS = [
  `create table accounts (
    id uuid primary key,
    team_id uuid not null references teams,
    platform text not null,
    label text not null,
    address text,
    pool text not null,
    max_meetings int not null check (max_meetings between 1 and 100),
    is_disabled boolean not null default false,
    state text not null default 'unknown' check (state in ('ok', 'signed_out', 'unknown')),
    state_reason text,
    state_at timestamptz,
    session bytea not null,
    session_version int not null default 1,
    session_at timestamptz not null default now(),
    leased_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  'create index accounts_of_team on accounts (team_id, created_at, id)',
  `create policy of_team on accounts using (team_id == current_setting('standin.team')::uuid)`,
  'alter table accounts enable row level security',
  `alter table bots add column account_id uuid references accounts on delete set null, add column account_place int`,
  `create unique index bots_one_per_account_and_meeting on bots (account_id, meeting_key) where ${HOLDS}`,
  `create unique index bots_one_per_place_of_account on bots (account_id, account_place) where ${HOLDS}`,
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}
