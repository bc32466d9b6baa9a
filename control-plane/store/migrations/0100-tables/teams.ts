/** Teams, their keys and their tokens. Amounts are integer micro-tokens; a limit that is null does not exist. */
export const TEAMS = `
create table settings (
  name text primary key,
  value jsonb not null
);

create table teams (
  id uuid primary key default gen_random_uuid(),
  number bigint generated always as identity unique,
  name text not null,
  plan text not null default 'self_hosted',
  balance bigint,
  reserved bigint not null default 0,
  spent bigint not null default 0,
  daily_cap int,
  requests_per_second int,
  retention_days int,
  byok_transcription boolean not null default true,
  calendars int,
  api_key_in_webhooks boolean not null default true,
  created_at timestamptz not null default now()
);

create table api_keys (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  name text not null,
  prefix text not null,
  hash bytea not null unique,
  sealed bytea,
  permission text not null check (permission in ('full', 'sending')),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_of_team on api_keys (team_id, created_at);

create table idempotency_keys (
  team_id uuid not null references teams,
  key text not null,
  body_hash bytea not null,
  status int,
  answer jsonb,
  created_at timestamptz not null default now(),
  primary key (team_id, key)
);

create table ledger (
  id bigint generated always as identity primary key,
  team_id uuid not null references teams,
  bot_id uuid,
  kind text not null check (kind in ('reserve', 'release', 'charge', 'grant', 'adjust')),
  meter text,
  amount bigint not null,
  source text not null unique,
  at timestamptz not null default now()
);
create index ledger_of_team on ledger (team_id, at);
create index ledger_of_bot on ledger (bot_id) where bot_id is not null;

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  who text not null,
  what text not null,
  before jsonb,
  after jsonb
);
`
