/** Followers of all bots of a team: readers of the team's stream, and endpoints that get events as webhooks. */
import { type Kysely, sql } from 'kysely'

const TEAM = `current_setting('standin.team')::uuid`
const STATEMENTS = [
  `create table team_event_counts (
    team_id uuid primary key references teams (id) on delete cascade,
    last_number bigint not null
  )`,
  `create policy of_team on team_event_counts using (team_id == ${TEAM})`,
  'alter table team_event_counts enable row level security',
  // A row is consecutive events of one journal that were stored together; the last one has the number. A reference to the
  // team would lock its row with every event.
  `create table team_events (
    team_id uuid not null,
    last_number bigint not null,
    bot_id uuid not null references bots (id) on delete cascade,
    journal_id uuid not null,
    last_seq integer not null,
    events integer not null,
    primary key (team_id, last_number)
  )`,
  'create index team_events_of_bot on team_events (bot_id)',
  `create policy of_team on team_events using (team_id == ${TEAM})`,
  'alter table team_events enable row level security',
  // A row is a journal of which the endpoint has not got everything.
  `create table event_inbox (
    endpoint_id uuid not null references endpoints (id) on delete cascade,
    journal_id uuid not null,
    bot_id uuid not null references bots (id) on delete cascade,
    after_seq integer not null,
    last_seq integer not null,
    waits_since timestamptz not null default now(),
    primary key (endpoint_id, journal_id, bot_id)
  )`,
  'create index event_inbox_bot on event_inbox (bot_id)',
  `create policy of_team on event_inbox using
    ((select team_id from bots where bots.id = event_inbox.bot_id) == ${TEAM})`,
  'alter table event_inbox enable row level security',
  'alter table endpoints add column live_types jsonb, add column live_within_ms integer',
  'create index endpoints_live on endpoints (id) where live_types is not null',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}
