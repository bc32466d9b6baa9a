/** Alert rules, endpoints, and the outbox of messages. The channels of a rule are endpoints, so that a firing takes the way of webhooks. */
export const WEBHOOKS = `
create table alert_rules (
  id uuid primary key default gen_random_uuid(),
  number bigint generated always as identity unique,
  team_id uuid not null references teams,
  name text not null,
  alert_type text not null,
  operator text not null check (operator in ('>=', '<=')),
  threshold double precision not null check (threshold >= 1),
  cooldown_minutes int not null check (cooldown_minutes between 1 and 1440),
  is_enabled boolean not null default true,
  counts_from timestamptz not null default now(),
  is_met boolean not null default false,
  suppressed int not null default 0,
  last_fired_at timestamptz,
  last_test_at timestamptz,
  version int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index alert_rules_of_team on alert_rules (team_id, number) where deleted_at is null;
create index alert_rules_enabled on alert_rules (number) where is_enabled and deleted_at is null;

create table endpoints (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  bot_id uuid references bots,
  alert_rule_id uuid references alert_rules,
  kind text not null check (kind in ('team', 'account', 'bot', 'callback', 'alert', 'mail')),
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
  constraint endpoints_of_alerts check ((kind in ('alert', 'mail')) = (alert_rule_id is not null))
);
create index endpoints_of_team on endpoints (team_id) where bot_id is null;
create index endpoints_of_bot on endpoints (bot_id) where bot_id is not null;
create index endpoints_disabled on endpoints (id) where disabled_at is not null;
create index endpoints_of_alert_rule on endpoints (alert_rule_id) where alert_rule_id is not null;

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
create index deliveries_again on deliveries (endpoint_id, next_at, id)
  where state = 'waiting' and (attempts > 0 or is_replay);
create index deliveries_failed_of_team on deliveries (team_id, finished_at) where state = 'failed';

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

create table alert_firings (
  id bigint generated always as identity primary key,
  rule_id uuid not null references alert_rules,
  team_id uuid not null references teams,
  message_id text not null unique references messages,
  rule_name text not null,
  alert_type text not null,
  is_test boolean not null,
  triggered_at timestamptz not null default now(),
  current_value double precision not null,
  operator text not null,
  threshold_value double precision not null,
  suppressed_count int not null,
  message text not null
);
create index alert_firings_of_team on alert_firings (team_id, id);
create index alert_firings_of_rule on alert_firings (rule_id, id);
`
