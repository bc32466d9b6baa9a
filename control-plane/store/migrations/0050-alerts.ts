import { type Kysely, sql } from 'kysely'

/**
 * Rules of alerts and what they fired. A rule's channels are endpoints, so that a firing goes the way of webhooks.
 * `bot_steps.stored_at` says when the service learned of an end, which may be long after it: that is what rules count.
 */
const TABLES = `
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

alter table endpoints add column alert_rule_id uuid references alert_rules;
alter table endpoints drop constraint endpoints_kind_check;
alter table endpoints add constraint endpoints_kind_check
  check (kind in ('team', 'account', 'bot', 'callback', 'alert', 'mail'));
alter table endpoints add constraint endpoints_of_alerts check ((kind in ('alert', 'mail')) = (alert_rule_id is not null));
create index endpoints_of_alert_rule on endpoints (alert_rule_id) where alert_rule_id is not null;

alter table bot_steps add column stored_at timestamptz not null default now();
create index bot_steps_ends on bot_steps (stored_at)
  where kind = 'ended' or (kind = 'status' and evidence ->> 'status' = 'failed' and evidence ? 'provider');
create index deliveries_failed_of_team on deliveries (team_id, finished_at) where state = 'failed';

alter table calendars add column sync_failed_at timestamptz;
`

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(database)
}
