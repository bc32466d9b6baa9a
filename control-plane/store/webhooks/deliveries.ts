/** The queue of webhook deliveries: results, and what is sent again. `delivery-claims.ts` takes from it. */
import { type RawBuilder, sql } from 'kysely'
import { logChange } from '../audit-log.ts'
import { jsonText } from '../bots/bots.ts'
import { type Database, type Tx, wakeDispatcher } from '../database.ts'
import { PREPARED } from '../prepared.ts'
import type { ClaimedDelivery } from './delivery-claims.ts'

/** Failures in a row after which an endpoint gets single probes only. */
export const BREAKER_FAILURES = 5
const FIRST_PROBE_SECONDS = 30
const MAX_PROBE_SECONDS = 600
/** Without any success for this long, an endpoint that many messages share is disabled. */
const DISABLED_AFTER_DAYS = 5
/** After so long without an attempt its failures begin anew: one more than a weekend without meetings. */
const IDLE_AFTER_DAYS = 3

/** Whether any delivery is due, and else in how many seconds, if that is within `aheadSeconds`. Far cheaper than a claim that finds none. */
export async function lookForDeliveries(
  db: Database,
  aheadSeconds: number,
): Promise<{ is_due: boolean; next_in: number | null }> {
  const { rows } = await sql<{ is_due: boolean; next_in: number | null }>`
    ${PREPARED} select exists (select from deliveries where state = 'waiting' and next_at <= now()) as is_due,
      (select extract(epoch from next_at - now())::float8 from deliveries
        where state = 'waiting' and next_at > now() and next_at <= now() + make_interval(secs => ${aheadSeconds})
        order by next_at limit 1) as next_in`.execute(db)
  return rows[0]!
}

/** Whether there is something for `releaseExpiredClaims` or `dropOfDisabled`. */
export async function hasLeftDeliveries(db: Database): Promise<boolean> {
  const { rows } = await sql<{ is_left: boolean }>`
    ${PREPARED} select exists (select from deliveries where state = 'sending' and lease_until < now())
      or exists (select from endpoints e where e.disabled_at is not null and exists (
        select from deliveries d where d.endpoint_id = e.id and d.state = 'waiting')) as is_left`.execute(db)
  return rows[0]!.is_left
}

/** Releases deliveries that a dispatcher claimed and did not finish. Returns how many. */
export async function releaseExpiredClaims(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    update deliveries set state = 'waiting', claim = null, lease_until = null where id in (
      select id from deliveries where state = 'sending' and lease_until < now() limit 1000 for update skip locked)`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/** Drops waiting deliveries of disabled endpoints, such as claims that came back later. */
export async function dropOfDisabled(db: Database): Promise<void> {
  await sql`
    update deliveries set state = 'dropped', finished_at = now() where id in (
      select d.id from endpoints e join deliveries d on d.endpoint_id = e.id
      where e.disabled_at is not null and d.state = 'waiting' limit 1000 for update of d skip locked)`.execute(db)
}

/** Seconds until a delivery whose request could not be built is tried again; a quarter of its age between these. */
const MIN_POSTPONEMENT = 10
const MAX_POSTPONEMENT = 600

/** Puts back a delivery that was not sent: no attempt is counted, and it is no failure of the endpoint. */
export async function postponeDelivery(db: Database, id: number, claim: string): Promise<void> {
  await sql`
    update deliveries set state = 'waiting', claim = null, lease_until = null,
      next_at = now() + make_interval(secs => greatest(${MIN_POSTPONEMENT}::float8,
        least(${MAX_POSTPONEMENT}::float8, extract(epoch from now() - created_at)::float8 / 4)))
    where id = ${id} and claim = ${claim}::uuid and state = 'sending'`.execute(db)
}

export interface AttemptResult {
  durationMs: number
  status: number | null
  error: string | null
  /** The first 2 kB of the answer. */
  answer: string | null
  isDelivered: boolean
  /** Seconds until the next attempt; null: there is none. */
  nextInSeconds: number | null
  /** The receiver wants no more messages: the endpoint is disabled. */
  isGone: boolean
}

/**
 * Stores a failed attempt, what it means for the delivery, and for its endpoint. False if the claim was lost in the
 * meantime: then only the attempt is stored. The answer is not stored where the bot's data was deleted.
 */
export async function finishFailed(
  db: Database,
  delivery: Pick<ClaimedDelivery, 'id' | 'endpoint_id' | 'is_replay'>,
  claim: string,
  result: Omit<AttemptResult, 'isDelivered'>,
): Promise<boolean> {
  const { nextInSeconds } = result
  const state = nextInSeconds === null || result.isGone ? 'failed' : 'waiting'
  // Paused ones have the time of their last attempt, or minutes more, in `probe_at`; others had a few failures only.
  const failingSince = sql`case when coalesce(e.probe_at, e.failing_since) > now() - make_interval(days => ${IDLE_AFTER_DAYS})
    then e.failing_since else now() end`
  const isFailingLong = sql`e.kind in ('team', 'account')
    and ${failingSince} < now() - make_interval(days => ${DISABLED_AFTER_DAYS})`
  const { rows } = await sql<{ is_disabled: boolean }>`
    ${PREPARED} with attempt as (
      insert into delivery_attempts (delivery_id, duration_ms, status, error, answer, is_replay)
      select ${delivery.id}, ${Math.round(result.durationMs)}, ${result.status}::int, ${result.error}::text,
        case when not exists (
          select from deliveries d join bots b on b.id = d.bot_id
          where d.id = ${delivery.id} and b.data_deleted_at is not null) then ${result.answer}::text end,
        ${delivery.is_replay}
    ), ours as (
      update deliveries set state = ${state}, attempts = attempts + 1, claim = null, lease_until = null,
        next_at = now() + make_interval(secs => ${nextInSeconds ?? 0}),
        finished_at = case when ${state} = 'waiting' then null else now() end
      where id = ${delivery.id} and claim = ${claim}::uuid and state = 'sending'
      returning endpoint_id
    ), endpoint as (
      update endpoints e set
        failed_in_a_row = case
          when e.failed_in_a_row < ${BREAKER_FAILURES} or e.probe_at <= now() then e.failed_in_a_row + 1
          else e.failed_in_a_row end,
        probe_at = case
          when e.failed_in_a_row >= ${BREAKER_FAILURES - 1} and (e.probe_at is null or e.probe_at <= now())
            then now() + make_interval(secs => least(${MAX_PROBE_SECONDS}::float8,
              ${FIRST_PROBE_SECONDS} * power(2::float8, least(e.failed_in_a_row, 100) - ${BREAKER_FAILURES - 1})))
          else e.probe_at end,
        failing_since = ${failingSince},
        disabled_at = case when ${result.isGone} or ${isFailingLong} then now() else e.disabled_at end,
        disabled_reason = case
          when ${result.isGone} then 'The receiver answered 410 Gone'
          when ${isFailingLong} then 'No delivery succeeded for five days'
          else e.disabled_reason end
      from ours where e.id = ours.endpoint_id
      returning e.id, e.team_id, e.disabled_reason, e.disabled_at is not null as is_disabled,
        e.disabled_at is not distinct from now() as is_disabled_now
    ), logged as (
      insert into audit_log (team_id, actor_kind, action, target, details)
      select team_id, 'system', 'endpoint.disable', id, jsonb_build_object('reason', disabled_reason)
      from endpoint where is_disabled_now
    )
    select coalesce((select is_disabled from endpoint), false) as is_disabled from ours`.execute(db)
  if (rows[0]?.is_disabled) await dropWaiting(db, delivery.endpoint_id)
  return rows.length > 0
}

export interface DeliveredAttempt {
  delivery: Pick<ClaimedDelivery, 'id' | 'is_replay'>
  claim: string
  result: Pick<AttemptResult, 'durationMs' | 'status' | 'answer'>
}

/**
 * Stores attempts that reached their receivers, all in one statement. Resolves with the ids of those whose claim was not
 * lost in the meantime. The answer is not stored where the bot's data was deleted.
 */
export async function finishDelivered(db: Database, attempts: readonly DeliveredAttempt[]): Promise<Set<number>> {
  const rows = attempts.map(({ delivery, claim, result }) => ({
    id: delivery.id,
    claim,
    is_replay: delivery.is_replay,
    ms: Math.round(result.durationMs),
    status: result.status,
    answer: result.answer,
  }))
  // Locked in the order of their ids, as the deletion of a bot's data locks several of them too.
  const { rows: ours } = await sql<{ id: number }>`
    ${PREPARED} with given as materialized (
      select * from json_to_recordset(${jsonText(rows)}::json)
        as given (id bigint, claim uuid, is_replay boolean, ms int, status int, answer text)
    ), held as materialized (
      select d.id, d.bot_id, d.endpoint_id, d.claim, d.state from deliveries d
      where d.id = any (array(select id from given)) order by d.id for no key update of d
    ), attempt as (
      insert into delivery_attempts (delivery_id, duration_ms, status, answer, is_replay)
      select given.id, given.ms, given.status, given.answer, given.is_replay from given join held on held.id = given.id
      where not exists (select from bots where bots.id = held.bot_id and bots.data_deleted_at is not null)
      union all
      select given.id, given.ms, given.status, null, given.is_replay from given join held on held.id = given.id
      where exists (select from bots where bots.id = held.bot_id and bots.data_deleted_at is not null)
    ), ours as (
      update deliveries d set state = 'delivered', attempts = d.attempts + 1, claim = null, lease_until = null,
        next_at = now(), finished_at = now()
      from held join given on given.id = held.id and given.claim = held.claim
      where d.id = held.id and held.state = 'sending'
      returning d.id, d.endpoint_id
    ), well as materialized (
      select e.id from endpoints e
      where e.id = any (array(select endpoint_id from ours)) and (e.failed_in_a_row > 0 or e.failing_since is not null)
      order by e.id for no key update of e
    ), endpoint as (
      update endpoints e set failed_in_a_row = 0, probe_at = null, failing_since = null from well where e.id = well.id
    )
    select id from ours`.execute(db)
  return new Set(ours.map(({ id }) => id))
}

async function dropWaiting(db: Database, endpointId: string): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ state: 'dropped', finished_at: sql<Date>`now()` })
    .where('endpoint_id', '=', endpointId)
    .where('state', '=', 'waiting')
    .execute()
}

export interface ReplayFilter {
  endpointId?: string
  deliveryId?: number
  botId?: string
  teamId?: string
  /** By the time of the message. */
  since?: Date
  until?: Date
  onlyFailed?: boolean
}

/** Most replayed deliveries a second and endpoint. */
const REPLAYS_PER_SECOND = 50

/**
 * Sends finished deliveries again under their ids, with a new row of attempts, at most 50 a second. Deliveries whose body
 * was deleted stay as they are. The first one is tried at once, also where the endpoint is paused. Returns how many.
 */
export async function replayDeliveries(db: Database, filter: ReplayFilter): Promise<number> {
  const states = filter.onlyFailed ? ['failed', 'dropped'] : ['delivered', 'failed', 'dropped']
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ team_id: string; count: number }>`
    with chosen as (
      select d.id, row_number() over (partition by d.endpoint_id order by d.id) as place
      from deliveries d join messages m on m.id = d.message_id join endpoints e on e.id = d.endpoint_id
      where d.state = any (${states}::text[]) and m.body <> '{}'::jsonb and e.disabled_at is null
        and (${filter.endpointId ?? null}::uuid is null or d.endpoint_id = ${filter.endpointId ?? null}::uuid)
        and (${filter.deliveryId ?? null}::bigint is null or d.id = ${filter.deliveryId ?? null}::bigint)
        and (${filter.botId ?? null}::uuid is null or d.bot_id = ${filter.botId ?? null}::uuid)
        and (${filter.teamId ?? null}::uuid is null or d.team_id = ${filter.teamId ?? null}::uuid)
        and (${filter.since ?? null}::timestamptz is null or m.created_at >= ${filter.since ?? null}::timestamptz)
        and (${filter.until ?? null}::timestamptz is null or m.created_at < ${filter.until ?? null}::timestamptz)
    ), replayed as (
      update deliveries d set state = 'waiting', attempts = 0, is_replay = true, finished_at = null,
        next_at = now() + make_interval(secs => (chosen.place - 1) / ${REPLAYS_PER_SECOND}::float8)
      from chosen where d.id = chosen.id and d.state = any (${states}::text[]) returning team_id, endpoint_id
    ), probe as (${probeNow(sql`select endpoint_id from replayed`)})
    select team_id, count(*) from replayed group by team_id`.execute(tx)
    for (const { team_id: teamId, count: deliveries } of rows) {
      const target = filter.endpointId ?? null
      await logChange(tx, { teamId, action: 'endpoint.replay', target, details: { deliveries } })
    }
    await wakeDispatcher(tx)
    return rows.reduce((sum, { count }) => sum + count, 0)
  })
}

/** Sends what a person asked for before all else, and at once, also where the endpoint is paused. Returns how many. */
export async function sendAtOnce(tx: Database | Tx, messageIds: readonly string[]): Promise<number> {
  const { rows } = await sql`
    with asked as (
      update deliveries set is_replay = true where message_id = any (${messageIds}::text[]) and state = 'waiting'
      returning endpoint_id
    ), probe as (${probeNow(sql`select endpoint_id from asked`)})
    select from asked`.execute(tx)
  return rows.length
}

const probeNow = (endpoints: RawBuilder<unknown>) => sql`
  update endpoints set probe_at = now()
  where id in (${endpoints}) and failed_in_a_row >= ${BREAKER_FAILURES} and probe_at > now()`

/** Deliveries of a bot with their attempts, oldest first. */
export async function deliveriesOfBot(db: Database, botId: string) {
  const deliveries = await db
    .selectFrom('deliveries as d')
    .innerJoin('messages as m', 'm.id', 'd.message_id')
    .innerJoin('endpoints as e', 'e.id', 'd.endpoint_id')
    .select(['d.id', 'd.message_id', 'd.endpoint_id', 'd.state', 'd.attempts', 'd.next_at', 'd.is_replay'])
    .select(['m.event', 'e.url', 'e.kind', 'd.created_at', 'd.finished_at'])
    .where('d.bot_id', '=', botId)
    .orderBy('d.id')
    .execute()
  const ids = deliveries.map(({ id }) => id)
  const attempts =
    ids.length === 0
      ? []
      : await db.selectFrom('delivery_attempts').selectAll().where('delivery_id', 'in', ids).orderBy('id').execute()
  return deliveries.map((delivery) => ({
    ...delivery,
    attemptList: attempts.filter(({ delivery_id }) => delivery_id === delivery.id),
  }))
}
