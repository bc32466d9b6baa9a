/**
 * Calendars, what they hold, and what bots are wanted for their events. Due times and leases are compared with the
 * database's clock. Credentials, tokens and secrets of bots are sealed.
 */
export const CALENDARS = `
create table calendars (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  api_key_id uuid references api_keys,
  generation text not null check (generation in ('v2', 'older')),
  is_compat boolean not null default false,
  platform text not null check (platform in ('google', 'microsoft')),
  raw_calendar_id text not null,
  name text not null,
  account_email text not null,
  is_primary boolean not null,
  provider_metadata jsonb,

  credentials bytea,
  tokens_version int not null default 1,
  access_token bytea,
  access_token_until timestamptz,
  refresh_lease_owner uuid,
  refresh_lease_until timestamptz,

  status text not null default 'active' check (status in ('active', 'error', 'revoked', 'permission_denied')),
  status_message text,
  status_changes int not null default 0,

  cursor text,
  cursor_window_end timestamptz,
  syncs int not null default 0,
  sync_lease_owner uuid,
  sync_lease_until timestamptz,
  sync_started_at timestamptz,
  sync_due_at timestamptz not null default now(),
  full_due_at timestamptz not null default now(),
  hinted_at timestamptz,
  sync_failures int not null default 0,
  synced_at timestamptz,
  full_synced_at timestamptz,
  sync_status text check (sync_status in ('success', 'failed', 'partial')),
  sync_error text,

  push_state text not null default 'wanted' check (push_state in ('wanted', 'on', 'off')),
  push_message text,
  push_due_at timestamptz not null default now(),
  push_lease_owner uuid,
  push_lease_until timestamptz,

  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
) with (fillfactor = 75);
create index calendars_of_team on calendars (team_id, created_at desc, id desc) where deleted_at is null;
create unique index calendars_once_in_a_team on calendars (team_id, generation, platform, account_email, raw_calendar_id)
  where deleted_at is null;
create index calendars_to_sync on calendars (sync_due_at) where deleted_at is null;
create index calendars_to_push on calendars (push_due_at) where deleted_at is null;

create table calendar_channels (
  id uuid primary key default gen_random_uuid(),
  calendar_id uuid not null references calendars,
  platform text not null,
  provider_id text not null,
  resource_id text,
  token_hash bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  stop_due_at timestamptz,
  stopped_at timestamptz
);
create unique index calendar_channels_by_name on calendar_channels (platform, provider_id);
create index calendar_channels_of_calendar on calendar_channels (calendar_id, created_at);
create index calendar_channels_to_stop on calendar_channels (stop_due_at) where stop_due_at is not null and stopped_at is null;

create table calendar_series (
  id uuid primary key default gen_random_uuid(),
  number bigint generated always as identity unique,
  calendar_id uuid not null references calendars,
  provider_id text not null,
  event_type text not null check (event_type in ('one_off', 'recurring')),
  lost_at timestamptz,
  created_at timestamptz not null default now(),
  unique (calendar_id, provider_id)
);
create index calendar_series_of_calendar on calendar_series (calendar_id, created_at, id);

create table calendar_events (
  id uuid primary key default gen_random_uuid(),
  calendar_id uuid not null references calendars,
  series_id uuid not null references calendar_series,
  provider_id text not null,
  is_recurring boolean not null,
  is_exception boolean not null,
  original_start timestamptz,
  title text not null,
  description text,
  location text,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  timezone text,
  is_all_day boolean not null,
  status text not null check (status in ('confirmed', 'cancelled', 'tentative')),
  removed_at timestamptz,
  organizer_email text,
  organizer_name text,
  is_organizer boolean not null,
  attendees jsonb not null default '[]',
  meeting_url text,
  meeting_platform text,
  meeting_key text,
  provider_updated_at timestamptz not null,
  raw jsonb not null,
  content_hash text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (calendar_id, provider_id)
);
create index calendar_events_of_calendar on calendar_events (calendar_id, starts_at, id);
create index calendar_events_of_series on calendar_events (series_id, starts_at);
create index calendar_events_over on calendar_events (ends_at);

create table calendar_series_intents (
  id uuid primary key default gen_random_uuid(),
  calendar_id uuid not null references calendars,
  series_id uuid not null references calendar_series,
  api_key_id uuid references api_keys,
  bot jsonb not null,
  secrets bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index calendar_series_intents_open on calendar_series_intents (series_id) where ended_at is null;
create index calendar_series_intents_of_calendar on calendar_series_intents (calendar_id) where ended_at is null;

create table calendar_intents (
  id uuid primary key default gen_random_uuid(),
  calendar_id uuid not null references calendars,
  event_id uuid not null unique references calendar_events,
  series_intent_id uuid references calendar_series_intents,
  state text not null check (state in ('wanted', 'excluded', 'ended')),
  api_key_id uuid references api_keys,
  bot jsonb,
  secrets bytea,
  meeting_url text,
  bot_id uuid references bots,
  bot_join_at timestamptz,
  bot_meeting_url text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index calendar_intents_of_calendar on calendar_intents (calendar_id) where state = 'wanted';

create table calendar_bots (
  bot_id uuid primary key references bots,
  calendar_id uuid not null references calendars,
  event_id uuid not null,
  created_at timestamptz not null default now()
);
create index calendar_bots_of_event on calendar_bots (event_id, created_at);
create index calendar_bots_of_calendar on calendar_bots (calendar_id);
`
