/** Teams, their keys, tokens and accounts, and what was done in them. Amounts are integer micro-tokens; a limit that is null does not exist. */
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

create table accounts (
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
);
create index accounts_of_team on accounts (team_id, created_at, id);

create table request_log (
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
);
create index request_log_of_team on request_log (team_id, id desc);

-- Who changed what of a team. Rows are only added; those older than 30 days may be deleted.
create table audit_log (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  actor_kind text not null check (actor_kind in ('person', 'key', 'operator', 'system')),
  actor_id uuid,
  address text,
  action text not null,
  target text,
  details jsonb
);
create index audit_log_of_team on audit_log (team_id, at desc, id desc);
create index audit_log_by_age on audit_log (at);
create function refuse_change_of_audit_log() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      if old.at < now() - interval '30 days' then return old; end if;
    end if;
    raise exception 'The audit log cannot be changed';
  end $$;
create trigger audit_log_is_kept before update or delete on audit_log
  for each row execute function refuse_change_of_audit_log();
create trigger audit_log_is_not_emptied before truncate on audit_log
  for each statement execute function refuse_change_of_audit_log();

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  who text not null,
  what text not null,
  before jsonb,
  after jsonb
);
`
