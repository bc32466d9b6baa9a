/** Which webhook deliveries a dispatcher takes next. */
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import { PREPARED } from '../prepared.ts'
import { BREAKER_FAILURES } from './deliveries.ts'
import type { EndpointKind } from './endpoints.ts'

/** Oldest due deliveries that a claim checks one by one. */
const LOOKED_AT = 256
/** Where more are due, endpoints that it checks. */
const ENDPOINTS_LOOKED_AT = 200
/** Messages of a calendar have its id as their ordering key. */
const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

export interface ClaimRules {
  /** Fence: only the holder of this claim writes the result. */
  claim: string
  limit: number
  leaseSeconds: number
  perEndpoint: number
  perTeam: number
  /** Requests that this process is sending now. */
  busyEndpoints: Readonly<Record<string, number>>
  busyTeams: Readonly<Record<string, number>>
}

export interface ClaimedDelivery {
  id: number
  message_id: string
  endpoint_id: string
  team_id: string
  bot_id: string | null
  /** Earlier attempts. */
  attempts: number
  is_replay: boolean
  event: string
  body: Record<string, unknown>
  is_compat: boolean
  message_created_at: string
  /** Of its bot; null if that has none, or there is no bot. */
  traceparent: string | null
  /** Seconds since the message was stored, at the claim. */
  message_age: number
  kind: EndpointKind
  url: string
  method: 'POST' | 'PUT'
  secret: Buffer | null
  previous_secret: Buffer | null
  /** The key that made the bot or the calendar; null if it is not valid now, or the team wants no key to be sent. */
  api_key_id: string | null
  api_key_sealed: Buffer | null
}

/** In a line of an endpoint and ordering key: first attempts, which come one after another. */
const inLine = (row: string) =>
  sql.raw(`${row}.state in ('waiting', 'sending') and ${row}.attempts = 0 and not ${row}.is_replay`)
const isOpen = (row: string) => sql.raw(`${row}.state in ('waiting', 'sending')`)

/**
 * Takes due deliveries. The first attempts of one endpoint and ordering key come one after another; whether one is first
 * in its line is decided here from what is stored, as a stored flag would be missed by concurrent transactions.
 *
 * The oldest due deliveries are checked one by one. Where more are due than that, most of them may wait for a full or
 * failing endpoint or for an earlier one of their line. Then the claim goes from endpoint to endpoint and from line to
 * line instead, over an index that holds both: its cost does not grow with the number that wait. Both begin at a random
 * place, so that each has its turn. An endpoint that is paused gets what a person asked for before anything else.
 */
export async function claimDeliveries(db: Database, rules: ClaimRules): Promise<ClaimedDelivery[]> {
  const endpoints = JSON.stringify(rules.busyEndpoints)
  const teams = JSON.stringify(rules.busyTeams)
  const full = (busy: Readonly<Record<string, number>>, limit: number) =>
    Object.keys(busy).filter((id) => busy[id]! >= limit)
  const { rows } = await sql<ClaimedDelivery>`
    ${PREPARED} with oldest as materialized (
      select id, endpoint_id, ordering_key, attempts > 0 or is_replay as is_again, is_replay, next_at
      from deliveries where state = 'waiting' and next_at <= now()
      order by next_at, id limit ${LOOKED_AT}
    ), backlog as materialized (
      select count(*) = ${LOOKED_AT} as is_long from oldest
    ), asked as materialized (
      select distinct endpoint_id as id from oldest where not (select is_long from backlog)
      union all
      (select id from ${endpointsWithOpen(randomUUID())} with_open where (select is_long from backlog)
        limit ${ENDPOINTS_LOOKED_AT})
    ), endpoint as materialized (
      select found.*, ${rules.perEndpoint} - coalesce((${endpoints}::jsonb ->> found.id::text)::int, 0) as free
      from asked, lateral (
        select e.id, e.team_id, e.failed_in_a_row >= ${BREAKER_FAILURES} as is_probe from endpoints e
        where e.id = asked.id and e.id <> all (${full(rules.busyEndpoints, rules.perEndpoint)}::uuid[])
        and e.team_id <> all (${full(rules.busyTeams, rules.perTeam)}::uuid[])
        and e.disabled_at is null
        and (e.failed_in_a_row < ${BREAKER_FAILURES} or (e.probe_at <= now() and not exists (
          select from deliveries other where other.endpoint_id = e.id and other.state = 'sending')))
        limit 1
      ) found
    ), share as materialized (
      select greatest(1, 2 * ${rules.limit}::int / greatest(1, count(*))) as heads from endpoint
    ), due as materialized (
      select endpoint.id as endpoint_id, team_id, is_probe and is_replay as is_asked, is_probe, free, oldest.id, oldest.next_at
      from oldest join endpoint on endpoint.id = oldest.endpoint_id
      where not (select is_long from backlog) and (is_again or not exists (
        select from deliveries earlier where earlier.endpoint_id = oldest.endpoint_id
          and earlier.ordering_key = oldest.ordering_key and earlier.id < oldest.id and ${inLine('earlier')}))
      union all
      select endpoint.id, team_id, false, is_probe, free, head.id, head.next_at from endpoint, lateral (
        select first.id, first.next_at from ${linesOf('endpoint.id', randomUUID())} line, lateral (
          select d.id, d.state, d.next_at from deliveries d
          where d.endpoint_id = endpoint.id and d.ordering_key = line.ordering_key and ${inLine('d')}
          order by d.id limit 1
        ) first where first.state = 'waiting' and first.next_at <= now()
        limit least(endpoint.free, (select heads from share))
      ) head where (select is_long from backlog)
      union all
      select endpoint.id, team_id, is_probe and is_replay, is_probe, free, again.id, again.next_at from endpoint, lateral (
        select d.id, d.is_replay, d.next_at from deliveries d
        where d.endpoint_id = endpoint.id and d.state = 'waiting' and (d.attempts > 0 or d.is_replay)
          and d.next_at <= now()
        order by d.next_at, d.id limit least(endpoint.free, (select heads from share))
      ) again where (select is_long from backlog)
      union all
      select endpoint.id, team_id, true, is_probe, free, latest.id, latest.next_at from endpoint, lateral (
        select d.id, d.is_replay, d.next_at from deliveries d
        where d.endpoint_id = endpoint.id and d.state = 'waiting' and (d.attempts > 0 or d.is_replay)
          and d.next_at <= now()
        order by d.next_at desc, d.id desc limit ${LOOKED_AT}
      ) latest where is_probe and is_replay and (select is_long from backlog)
    ), placed as (
      select id, next_at, is_probe, free,
        row_number() over (partition by endpoint_id order by is_asked desc, next_at, id) as endpoint_place,
        row_number() over (partition by team_id order by next_at, id)
          + coalesce((${teams}::jsonb ->> team_id::text)::int, 0) as team_place
      from due
    ), picked as (
      select id from placed
      where (not is_probe or endpoint_place = 1) and endpoint_place <= free and team_place <= ${rules.perTeam}
      order by next_at, id limit ${rules.limit}
    ), chosen as (
      -- By the primary key: the expression keeps the planner from reading all that waits instead.
      select d.id from deliveries d
      where d.id = any (array(select id from picked)) and d.state || '' = 'waiting' and d.next_at <= now()
      for update of d skip locked
    ), claimed as (
      update deliveries d set state = 'sending', claim = ${rules.claim}::uuid,
        lease_until = now() + make_interval(secs => ${rules.leaseSeconds})
      from chosen where chosen.id = d.id
      returning d.id, d.message_id, d.endpoint_id, d.team_id, d.bot_id, d.attempts, d.is_replay, d.next_at, d.ordering_key
    )
    select claimed.id, claimed.message_id, claimed.endpoint_id, claimed.team_id, claimed.bot_id, claimed.attempts,
      claimed.is_replay, m.event, m.body, m.is_compat, to_json(m.created_at) as message_created_at,
      extract(epoch from now() - m.created_at)::float8 as message_age, b.traceparent,
      e.kind, e.url, e.method, e.secret,
      case when e.previous_secret_until > now() then e.previous_secret end as previous_secret,
      key.id as api_key_id, key.sealed as api_key_sealed
    from claimed
    join messages m on m.id = claimed.message_id
    join endpoints e on e.id = claimed.endpoint_id
    join teams t on t.id = claimed.team_id
    left join bots b on b.id = claimed.bot_id
    left join calendars c on claimed.bot_id is null
      and c.id = case when claimed.ordering_key ~ ${UUID} then claimed.ordering_key::uuid end
    left join api_keys key on key.id = coalesce(b.api_key_id, c.api_key_id) and key.team_id = claimed.team_id
      and key.sealed is not null and key.revoked_at is null and (key.expires_at is null or key.expires_at > now())
      and e.kind <> 'callback' and t.api_key_in_webhooks
    order by claimed.next_at, claimed.id`.execute(db)
  return rows
}

/** Endpoints that have something open, from one on and then from the first on; only as many are read as are asked for. */
function endpointsWithOpen(from: string): RawBuilder<unknown> {
  const range = (condition: RawBuilder<unknown>) => {
    const next = (after: RawBuilder<unknown>) => sql`
      select d.endpoint_id from deliveries d where ${isOpen('d')} and ${after} and ${condition}
      order by d.endpoint_id, d.ordering_key limit 1`
    return sql`(
      with recursive endpoint (id) as (
        (${next(sql`true`)}) union all
        select (${next(sql`d.endpoint_id > endpoint.id`)}) from endpoint where endpoint.id is not null
      ) select id from endpoint where id is not null)`
  }
  return sql`(${range(sql`d.endpoint_id >= ${from}::uuid`)} union all ${range(sql`d.endpoint_id < ${from}::uuid`)})`
}

/** Lines of the endpoint, in the same way. */
function linesOf(endpoint: string, from: string): RawBuilder<unknown> {
  const range = (condition: RawBuilder<unknown>) => {
    const next = (after: RawBuilder<unknown>) => sql`
      select d.ordering_key from deliveries d
      where d.endpoint_id = ${sql.raw(endpoint)} and ${isOpen('d')} and ${after} and ${condition}
      order by d.endpoint_id, d.ordering_key limit 1`
    return sql`(
      with recursive line (ordering_key) as (
        (${next(sql`true`)}) union all
        select (${next(sql`d.ordering_key > line.ordering_key`)}) from line where line.ordering_key is not null
      ) select ordering_key from line where ordering_key is not null)`
  }
  return sql`(${range(sql`d.ordering_key >= ${from}`)} union all ${range(sql`d.ordering_key < ${from}`)})`
}
