/** Followers of all bots of a team: programs that acknowledge events, and endpoints that get them as webhooks. */
import { type Kysely, sql } from 'kysely'

const TEAM = `current_setting('standin.team')::uuid`
const STATEMENTS = [
  `create table event_subscriptions (
    id uuid primary key default gen_random_uuid(),
    team_id uuid not null references teams (id) on delete cascade,
    name text not null,
    types jsonb not null,
    holder uuid,
    followed_at timestamptz,
    created_at timestamptz not null default now(),
    unique (team_id, name)
  )`,
  `create policy of_team on event_subscriptions using (team_id == ${TEAM})`,
  'alter table event_subscriptions enable row level security',
  // A receiver is a subscription or an endpoint. A row is a journal of which it has not acknowledged everything.
  `create table event_inbox (
    receiver_id uuid not null,
    journal_id uuid not null,
    bot_id uuid not null references bots (id) on delete cascade,
    after_seq integer not null,
    last_seq integer not null,
    waits_since timestamptz not null default now(),
    primary key (receiver_id, journal_id, bot_id)
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
