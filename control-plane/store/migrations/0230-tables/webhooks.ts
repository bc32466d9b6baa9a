/** Endpoints, and the outbox of messages. */
export const WEBHOOKS = `
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
  created_at timestamptz not null default now(),
  live_types jsonb,
  live_within_ms integer
);
create index endpoints_of_team on endpoints (team_id) where bot_id is null;
create index endpoints_of_bot on endpoints (bot_id) where bot_id is not null;
create index endpoints_disabled on endpoints (id) where disabled_at is not null;
create index endpoints_live on endpoints (id) where live_types is not null;

-- A row is a journal of which the endpoint has not got everything.
create table event_inbox (
  endpoint_id uuid not null references endpoints on delete cascade,
  journal_id uuid not null,
  bot_id uuid not null references bots on delete cascade,
  after_seq integer not null,
  last_seq integer not null,
  waits_since timestamptz not null default now(),
  primary key (endpoint_id, journal_id, bot_id)
);
create index event_inbox_bot on event_inbox (bot_id);

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
create index messages_by_age on messages (created_at);

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
create index deliveries_of_team on deliveries (team_id, created_at, id);
create index deliveries_given_up_of_team on deliveries (team_id, state, created_at, id)
  where state in ('failed', 'dropped');
create index deliveries_by_end on deliveries (finished_at) where finished_at is not null;
create index deliveries_again on deliveries (endpoint_id, next_at, id)
  where state = 'waiting' and (attempts > 0 or is_replay);

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
`
