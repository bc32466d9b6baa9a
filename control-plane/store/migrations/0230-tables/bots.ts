/** Bots, what they report, and what is done for them. */
export const BOTS = `
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
  last_accessed_at timestamptz,
  resumes int not null default 0,
  resuming_since timestamptz,
  parts jsonb not null default '[]',
  pending_end jsonb,
  files_attempt int,
  traceparent text,
  history_deleted_at timestamptz,
  end_cause text,
  reason text,
  denials integer not null default 0,
  account_id uuid references accounts on delete set null,
  account_place int
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
create index bots_by_transcript on bots using gin (transcription_ids) where transcription_ids <> '[]'::jsonb;
create index bots_older_of_team on bots (team_id, created_at desc, number desc) where generation = 'older';
create index bots_with_history on bots (ended_at) where phase = 'closed' and history_deleted_at is null;
-- The lease of an account is in the row of its bot, so it ends with it: while the bot may be in its meeting, no other bot has
-- the same account in this meeting, nor the same of the account's places.
create unique index bots_one_per_account_and_meeting on bots (account_id, meeting_key)
  where account_id is not null and phase not in ('processing', 'assembling', 'closed');
create unique index bots_one_per_place_of_account on bots (account_id, account_place)
  where account_id is not null and phase not in ('processing', 'assembling', 'closed');

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
  heartbeat_at timestamptz,
  cleaned_at timestamptz,
  recovery text,
  recovery_owner text,
  recovery_until timestamptz,
  primary key (bot_id, attempt)
);
create index launches_by_age on launches (created_at);
create index launches_open on launches (created_at) where cleaned_at is null;

create table job_offers (
  id uuid primary key,
  bot_id uuid not null references bots on delete cascade,
  attempt int not null,
  token_hash bytea not null,
  job bytea,
  expires_at timestamptz not null,
  taken_at timestamptz,
  unique (bot_id, attempt),
  check (taken_at is null or job is null)
);
create index job_offers_by_end on job_offers (expires_at);

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

-- Numbers the events of a team in the order of their commits.
create table team_event_counts (
  team_id uuid primary key references teams on delete cascade,
  last_number bigint not null
);

-- A row is consecutive events of one journal that were stored together; the last one has the number. A reference to the
-- team would lock its row with every event.
create table team_events (
  team_id uuid not null,
  last_number bigint not null,
  bot_id uuid not null references bots on delete cascade,
  journal_id uuid not null,
  last_seq integer not null,
  events integer not null,
  primary key (team_id, last_number)
);
create index team_events_of_bot on team_events (bot_id);

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
create index bot_commands_leave on bot_commands (bot_id) where command ->> 'type' = 'leave';

create table live_pictures (
  bot_id uuid primary key references bots on delete cascade,
  asked_at timestamptz not null,
  command_id uuid not null
);

-- Resources that each process of an attempt used. Whole numbers, so that sums are exact.
create table attempt_usage (
  bot_id uuid not null references bots on delete cascade,
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
);

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
  last_error text,
  from_provider boolean not null default false,
  provider_deleted int,
  provider_missing int
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
`
