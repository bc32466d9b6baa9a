import { type Kysely, sql } from 'kysely'

/** Every table of the service. Amounts of tokens are integer micro-tokens; `null` as a limit means "no limit". */
const TABLES = `
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

create table bots (
  id uuid primary key,
  number bigint generated always as identity unique,
  team_id uuid not null references teams,
  api_key_id uuid references api_keys,
  generation text not null check (generation in ('v2', 'older')),
  is_compat boolean not null default false,
  phase text not null,
  status text not null,
  version int not null default 0,

  bot_name text not null,
  meeting_url text not null,
  meeting_key text not null,
  meeting_platform text not null,
  recording_mode text not null,
  extra jsonb,
  request jsonb not null,
  secrets bytea,
  deduplication_key text,
  is_exclusive boolean not null default false,
  event_id uuid,
  event_uuid uuid,

  is_scheduled boolean not null default false,
  schedule_status text,
  join_at timestamptz,
  cancelled_at timestamptz,
  due_at timestamptz,
  give_up_at timestamptz,
  deadline_at timestamptz,
  lease_owner text,
  lease_until timestamptz,
  attempt int not null default 0,
  joined_attempt int,
  launch_failures int not null default 0,
  wait_reason text,
  pickup_delayed_at timestamptz,
  stop_requested_at timestamptz,
  stop_sent_at timestamptz,

  created_at timestamptz not null default now(),
  queued_at timestamptz,
  launched_at timestamptz,
  joining_at timestamptz,
  waiting_at timestamptz,
  joined_at timestamptz,
  recording_started_at timestamptz,
  exited_at timestamptz,
  ended_at timestamptz,
  updated_at timestamptz not null default now(),
  link_lost_at timestamptz,
  link_opened_at timestamptz,

  end_code text,
  end_message text,
  error_code text,
  error_message text,
  duration_seconds double precision,
  participants jsonb not null default '[]',
  speakers jsonb not null default '[]',
  chat_is_available boolean,
  report jsonb,
  transcription_status text not null default 'not-applicable',
  transcription_provider text,
  transcription_ids jsonb not null default '[]',
  transcribed_seconds double precision,
  streaming_input_seconds double precision,
  streaming_output_seconds double precision,
  reserved bigint not null default 0,
  charged jsonb,
  data_deleted_at timestamptz,
  access_count int not null default 0,
  last_accessed_at timestamptz
) with (fillfactor = 75);
create index bots_of_team on bots (team_id, created_at desc, id desc);
create index bots_scheduled_of_team on bots (team_id, join_at, id) where is_scheduled;
create index bots_queued_of_team on bots (team_id, queued_at) where queued_at is not null;
create index bots_by_meeting on bots (team_id, meeting_key, queued_at desc) where queued_at is not null;
create index bots_due on bots (due_at) where phase in ('scheduled', 'due');
create index bots_leased on bots (lease_until) where phase = 'launching';
create index bots_due_of_team on bots (team_id, due_at, id) where phase = 'due';
create index bots_open on bots (phase) where phase <> 'closed';
create index bots_by_retention on bots (ended_at) where data_deleted_at is null and phase = 'closed';
create unique index bots_one_per_deduplication_key on bots (team_id, meeting_key, deduplication_key)
  where deduplication_key is not null and phase not in ('scheduled', 'closed');

create table launches (
  bot_id uuid not null references bots,
  attempt int not null,
  launcher text not null,
  token_hash bytea not null unique,
  handle jsonb,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  hello_at timestamptz,
  ended_at timestamptz,
  end_seen_at timestamptz,
  exit_code int,
  signal text,
  is_out_of_memory boolean,
  reason text,
  evidence jsonb,
  log_tail text,
  cpu_percent double precision,
  memory_bytes bigint,
  heartbeat_at timestamptz,
  cleaned_at timestamptz,
  primary key (bot_id, attempt)
);
create index launches_by_age on launches (created_at);
create index launches_open on launches (created_at) where cleaned_at is null;

create table journals (
  bot_id uuid not null references bots,
  journal_id uuid not null,
  attempt int not null,
  last_seq int not null default 0,
  primary key (bot_id, journal_id)
);

create table bot_events (
  bot_id uuid not null,
  journal_id uuid not null,
  seq int not null,
  attempt int not null,
  type text not null,
  at timestamptz not null,
  event jsonb not null,
  stored_at timestamptz not null default now(),
  primary key (bot_id, journal_id, seq)
);
create index bot_events_of_bot on bot_events (bot_id, type, at);

create table bot_steps (
  id bigint generated always as identity primary key,
  bot_id uuid not null references bots,
  attempt int,
  at timestamptz not null,
  kind text not null,
  reason text,
  evidence jsonb
);
create index bot_steps_of_bot on bot_steps (bot_id, at, id);

create table bot_commands (
  id uuid primary key default gen_random_uuid(),
  bot_id uuid not null references bots,
  command jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  sent_at timestamptz,
  answered_at timestamptz,
  answer jsonb
);
create index bot_commands_open on bot_commands (bot_id, created_at) where answered_at is null;

create table artifacts (
  bot_id uuid not null references bots,
  attempt int not null,
  name text not null,
  location text not null,
  bytes bigint not null,
  sha256 text,
  duration_seconds double precision,
  stored_at timestamptz not null default now(),
  primary key (bot_id, attempt, name)
);

create table endpoints (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  bot_id uuid references bots,
  kind text not null check (kind in ('team', 'account', 'bot', 'callback')),
  url text not null,
  method text not null default 'POST',
  events jsonb,
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamptz,
  failed_in_a_row int not null default 0,
  probe_at timestamptz,
  failing_since timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  created_at timestamptz not null default now()
);
create index endpoints_of_team on endpoints (team_id) where bot_id is null;
create index endpoints_of_bot on endpoints (bot_id) where bot_id is not null;

create table messages (
  id text primary key,
  team_id uuid not null references teams,
  bot_id uuid,
  event text not null,
  ordering_key text not null,
  body jsonb not null,
  is_compat boolean not null default false,
  generation text not null,
  created_at timestamptz not null default now()
);
create index messages_of_bot on messages (bot_id, created_at);
create index messages_of_team on messages (team_id, created_at);

create table deliveries (
  id bigint generated always as identity primary key,
  message_id text not null references messages,
  endpoint_id uuid not null references endpoints,
  team_id uuid not null,
  bot_id uuid,
  ordering_key text not null,
  state text not null check (state in ('waiting', 'sending', 'delivered', 'failed', 'dropped')),
  attempts int not null default 0,
  next_at timestamptz not null default now(),
  lease_until timestamptz,
  claim uuid,
  is_replay boolean not null default false,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (message_id, endpoint_id)
) with (fillfactor = 75);
create index deliveries_due on deliveries (next_at, id) where state = 'waiting';
create index deliveries_line on deliveries (endpoint_id, ordering_key, id) where state in ('waiting', 'sending');
create index deliveries_leased on deliveries (lease_until) where state = 'sending';
create index deliveries_of_bot on deliveries (bot_id, id);
create index deliveries_of_endpoint on deliveries (endpoint_id, created_at);

create table delivery_attempts (
  id bigint generated always as identity primary key,
  delivery_id bigint not null references deliveries,
  at timestamptz not null default now(),
  duration_ms int not null,
  status int,
  error text,
  answer text,
  is_replay boolean not null default false
);
create index delivery_attempts_of_delivery on delivery_attempts (delivery_id, id);

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

create table deletions (
  id uuid primary key default gen_random_uuid(),
  bot_id uuid not null references bots,
  reason text not null,
  requested_by text,
  requested_at timestamptz not null default now(),
  verified_at timestamptz,
  swept_at timestamptz,
  files int,
  bytes bigint,
  tries int not null default 0,
  next_try_at timestamptz not null default now(),
  last_error text
);
create index deletions_open on deletions (next_try_at) where verified_at is null or swept_at is null;

create table retranscriptions (
  id uuid primary key default gen_random_uuid(),
  bot_id uuid not null references bots,
  requested_at timestamptz not null default now(),
  provider text not null,
  has_own_key boolean not null,
  secret bytea,
  custom_params jsonb,
  webhook_url text,
  earlier jsonb not null,
  due_at timestamptz not null default now(),
  lease_owner text,
  lease_until timestamptz,
  tries int not null default 0,
  last_error text,
  finished_at timestamptz
);
create unique index retranscriptions_open on retranscriptions (bot_id) where finished_at is null;

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  who text not null,
  what text not null,
  before jsonb,
  after jsonb
);
`

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(database)
}
