/** Reads that only the dashboard uses. */
import { POSTER } from '@standin/wire/file-names.ts'
import { sql } from 'kysely'
import { fileKey } from '../bots/file-keys.ts'
import type { Database } from './database.ts'
import { isKept } from './webhooks/endpoints.ts'

export interface LiveBot {
  id: string
  version: number
  status: string
}

/** Open bots of a team, and those that ended within the last half minute. */
export async function readLiveBots(db: Database, teamId: string): Promise<LiveBot[]> {
  const { rows } = await sql<LiveBot>`
    select id, version, status from bots where team_id = ${teamId} and phase <> 'closed'
    union all
    select id, version, status from bots
    where team_id = ${teamId} and phase = 'closed' and data_deleted_at is null
      and ended_at > now() - interval '30 seconds'`.execute(db)
  return rows
}

/** When further attempts of a bot recorded again, and how much of the meeting is missing before each. */
export async function readResumedSteps(
  db: Database,
  botId: string,
): Promise<{ attempt: number; missing_seconds: number }[]> {
  const { rows } = await sql<{ attempt: number; missing_seconds: number }>`
    select attempt, coalesce((evidence ->> 'missing_seconds')::float8, 0) as missing_seconds
    from bot_steps where bot_id = ${botId} and kind = 'resumed' and attempt is not null order by at, id`.execute(db)
  return rows
}

export interface ShownDelivery {
  id: number
  message_id: string
  event: string
  endpoint_id: string
  url: string
  bot_id: string | null
  state: string
  attempts: number
  created_at: Date
  next_at: Date
  finished_at: Date | null
  last_status: number | null
  last_error: string | null
}

/** Newest first; `before`: the number of the last one that was shown. */
export async function readDeliveries(
  db: Database,
  teamId: string,
  filter: {
    endpointId?: string | undefined
    botId?: string | undefined
    event?: string | undefined
    state?: string | undefined
    before?: number | undefined
    limit: number
  },
): Promise<ShownDelivery[]> {
  const { rows } = await sql<ShownDelivery>`
    select deliveries.id, message_id, event, endpoint_id, url, deliveries.bot_id, state, attempts,
      deliveries.created_at, next_at, finished_at, last.status as last_status, last.error as last_error
    from deliveries
    join messages on messages.id = message_id
    join endpoints on endpoints.id = endpoint_id
    left join lateral (
      select status, error from delivery_attempts where delivery_id = deliveries.id order by id desc limit 1
    ) as last on true
    where deliveries.team_id = ${teamId}
      and (${filter.endpointId ?? null}::uuid is null or endpoint_id = ${filter.endpointId ?? null}::uuid)
      and (${filter.botId ?? null}::uuid is null or deliveries.bot_id = ${filter.botId ?? null}::uuid)
      and (${filter.event ?? null}::text is null or event = ${filter.event ?? null}::text)
      and (${filter.state ?? null}::text is null or state = ${filter.state ?? null}::text)
      and (${filter.before ?? null}::bigint is null or (deliveries.created_at, deliveries.id) <
        (select created_at, id from deliveries where id = ${filter.before ?? null}::bigint))
    order by deliveries.created_at desc, deliveries.id desc
    limit ${filter.limit}`.execute(db)
  return rows
}

export interface DeliveryContent {
  /** As it is stored: links are signed when it is sent. */
  body: unknown
  attempts: { at: Date; duration_ms: number; status: number | null; error: string | null; answer: string | null }[]
}

/** The sent body, and each attempt with its answer; undefined if the team has no such delivery. */
export async function readDelivery(db: Database, teamId: string, id: number): Promise<DeliveryContent | undefined> {
  const found = await db
    .selectFrom('deliveries')
    .innerJoin('messages', 'messages.id', 'deliveries.message_id')
    .select('messages.body')
    .where('deliveries.id', '=', id)
    .where('deliveries.team_id', '=', teamId)
    .executeTakeFirst()
  if (found === undefined) return undefined
  const attempts = await db
    .selectFrom('delivery_attempts')
    .select(['at', 'duration_ms', 'status', 'error', 'answer'])
    .where('delivery_id', '=', id)
    .orderBy('id')
    .execute()
  return { body: found.body, attempts }
}

export interface BotPreview {
  bot_id: string
  /** People whom the bot met. */
  people: number
  end_cause: string | null
  reason: string | null
  picture: { key: string; at: Date } | null
}

/** Leaves out bots of other teams, and bots whose data is deleted. */
export async function readPreviews(db: Database, teamId: string, botIds: readonly string[]): Promise<BotPreview[]> {
  const { rows } = await sql<{
    bot_id: string
    people: number
    attempt: number | null
    name: string
    location: string
    at: Date
    end_cause: string | null
    reason: string | null
  }>`
    select bots.id as bot_id, end_cause, reason, jsonb_array_length(bots.participants) as people,
      picture.attempt, picture.name, picture.location, picture.stored_at as at
    from bots
    left join lateral (
      select attempt, name, location, stored_at from artifacts
      where bot_id = bots.id and (name = ${POSTER} or name like 'screenshots/%')
      order by name = ${POSTER} desc, stored_at desc limit 1) as picture on true
    where bots.team_id = ${teamId} and bots.id = any(${botIds}::uuid[]) and data_deleted_at is null`.execute(db)
  return rows.map(({ bot_id, people, end_cause, reason, attempt, at, ...file }) => ({
    ...{ bot_id, people, end_cause, reason },
    picture: attempt === null ? null : { key: fileKey({ bot_id, attempt, ...file }), at },
  }))
}

/** Whether the endpoint belongs to the team; those of single bots, and removed or replaced ones, do not count. */
export async function isEndpointOf(db: Database, endpointId: string, teamId: string): Promise<boolean> {
  const row = await db
    .selectFrom('endpoints')
    .select('id')
    .where('id', '=', endpointId)
    .where('team_id', '=', teamId)
    .where('bot_id', 'is', null)
    .where(isKept)
    .executeTakeFirst()
  return row !== undefined
}

export interface SystemFigures {
  /** How the last hundred starts went: seconds from due until the process ran. */
  start_seconds: { median: number | null; p95: number | null; count: number }
  queued: { reason: string | null; count: number }[]
  running: number
  waiting_deliveries: number
  /** Seconds since the oldest delivery that waits was due. */
  oldest_delivery_seconds: number
  /** Seconds that the bot that waits longest is past its time. */
  latest_bot_seconds: number
  /** Commands that no bot has got yet. */
  waiting_commands: number
  oldest_command_seconds: number
  /** Endpoints that fail, of all teams. */
  failing_endpoints: number
  /** Deletions of data that are not verified yet. */
  waiting_deletions: number
  postgres: string
}

/** Reads figures of the whole installation for operators: no figure reveals another team's meetings. */
export async function readSystem(db: Database): Promise<SystemFigures> {
  const { rows } = await sql<SystemFigures>`
    select
      (select json_build_object(
          'median', percentile_cont(0.5) within group (order by seconds),
          'p95', percentile_cont(0.95) within group (order by seconds), 'count', count(*))
        from (select extract(epoch from started_at - created_at)::float8 as seconds from launches
          where started_at is not null order by created_at desc limit 100) as last) as start_seconds,
      (select coalesce(json_agg(waiting), '[]') from (
        select wait_reason as reason, count(*) as count from bots
        where phase in ('due', 'launching') group by 1 order by 2 desc limit 20) as waiting) as queued,
      (select count(*) from bots where phase not in ('closed', 'scheduled', 'due')) as running,
      (select count(*) from deliveries where state in ('waiting', 'sending')) as waiting_deliveries,
      (select coalesce(extract(epoch from now() - min(next_at)), 0)::float8 from deliveries
        where state = 'waiting' and next_at < now()) as oldest_delivery_seconds,
      (select coalesce(extract(epoch from now() - min(due_at)), 0)::float8 from bots
        where phase in ('scheduled', 'due') and due_at < now()) as latest_bot_seconds,
      (select count(*) from bot_commands where answered_at is null and sent_at is null
        and expires_at > now()) as waiting_commands,
      (select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 from bot_commands
        where answered_at is null and sent_at is null and expires_at > now()) as oldest_command_seconds,
      (select count(*) from endpoints where failing_since is not null and disabled_at is null) as failing_endpoints,
      (select count(*) from deletions where verified_at is null) as waiting_deletions,
      current_setting('server_version') as postgres`.execute(db)
  return rows[0]!
}
