/**
 * Row security: a role other than the tables' owner reads and writes rows of one team only, the team of the setting
 * `standin.team`. A row without `team_id` belongs to the team of the row that it names.
 */
import { type Kysely, sql } from 'kysely'

/**
 * Equality, but the planner expects it to be true of nearly every row: statements name the team themselves, so the policies
 * remove none of their rows. With `=`, whose rows it multiplies, it expects so few that it would sort all of a team's rows for a page.
 */
const OPERATORS = [
  'create operator == (leftarg = uuid, rightarg = uuid, function = uuid_eq, restrict = nlikesel, negator = !==)',
  'create operator !== (leftarg = uuid, rightarg = uuid, function = uuid_ne, restrict = likesel, negator = ==)',
]

/** Evaluated for each row, which costs less than to plan a subquery for each statement. */
const TEAM = `current_setting('standin.team')::uuid`

const WITH_TEAM_ID = [
  ...['api_keys', 'audit_log', 'bots', 'calendars', 'connections', 'deliveries'],
  ...['endpoints', 'idempotency_keys', 'ledger', 'messages', 'people', 'accounts', 'request_log'],
  ...['team_event_counts', 'team_events'],
]

const OF_OTHER_ROWS: [column: string, of: string, tables: string[]][] = [
  [
    'bot_id',
    'bots',
    [
      ...['artifacts', 'bot_commands', 'bot_events', 'calendar_bots', 'deletions', 'job_offers', 'journals'],
      ...['launches', 'live_pictures', 'retranscriptions', 'attempt_usage', 'event_inbox'],
    ],
  ],
  [
    'calendar_id',
    'calendars',
    ['calendar_channels', 'calendar_events', 'calendar_intents', 'calendar_series', 'calendar_series_intents'],
  ],
  ['delivery_id', 'deliveries', ['delivery_attempts']],
  ['person_id', 'people', ['person_identities', 'sessions', 'sign_in_links', 'sign_in_people']],
]

/** The other row is subject to its own policy. A scalar subquery is never answered by reading all rows of the team. */
const reached = (table: string, column: string, of: string) =>
  `(select team_id from ${of} where ${of}.id = ${table}.${column}) == ${TEAM}`

/** One statement adds a bot and its steps. Its policies do not see the new bot, only that no other team has one of this id. */
const TEAM_OF_BOT = `create function team_of_bot(bot uuid) returns uuid language plpgsql stable security definer as $$
  begin return (select team_id from %I.bots where id = bot); end $$`

export async function secureRows(database: Kysely<unknown>): Promise<void> {
  const policies: [table: string, policy: string][] = [
    ['teams', `using (id == ${TEAM})`],
    ...WITH_TEAM_ID.map((table): [string, string] => [table, `using (team_id == ${TEAM})`]),
    ...OF_OTHER_ROWS.flatMap(([column, of, tables]) =>
      tables.map((table): [string, string] => [table, `using (${reached(table, column, of)})`]),
    ),
    [
      'bot_steps',
      `using (${reached('bot_steps', 'bot_id', 'bots')}) with check (coalesce(team_of_bot(bot_id), ${TEAM}) == ${TEAM})`,
    ],
  ]
  await sql.raw(`do $do$ begin execute format($fn$${TEAM_OF_BOT}$fn$, current_schema()); end $do$`).execute(database)
  for (const operator of OPERATORS) await sql.raw(operator).execute(database)
  for (const [table, policy] of policies) {
    await sql.raw(`create policy of_team on ${table} ${policy}`).execute(database)
    await sql.raw(`alter table ${table} enable row level security`).execute(database)
  }
}
