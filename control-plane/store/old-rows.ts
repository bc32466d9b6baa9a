/**
 * Removes rows that are kept no longer, in batches that are each one short statement. Rows stay if a bot that has not
 * ended, a delivery that waits or a sum of the ledger needs them. Each function resolves with the number of rows or bots.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

const BATCH = 500

const longAgo = (days: number) => sql`now() - make_interval(days => ${days})`

async function countOf(db: Database, statement: RawBuilder<{ count: number }>): Promise<number> {
  const { rows } = await statement.execute(db)
  return rows[0]!.count
}

/** Deliveries that are finished, with their attempts. */
export const removeDeliveries = (db: Database, days: number): Promise<number> =>
  countOf(
    db,
    sql`
    with old as materialized (
      select id from deliveries where finished_at < ${longAgo(days)} and state in ('delivered', 'failed', 'dropped')
      order by finished_at limit ${BATCH} for update skip locked
    ), attempts as (delete from delivery_attempts where delivery_id in (select id from old)),
    removed as (delete from deliveries where id in (select id from old) returning 1)
    select count(*) from removed`,
  )

/** Messages without a delivery, such as those that no endpoint wanted. */
export const removeMessages = (db: Database, days: number): Promise<number> =>
  countOf(
    db,
    sql`
    with old as materialized (
      select id from messages where created_at < ${longAgo(days)}
        and not exists (select from deliveries where message_id = messages.id)
      order by created_at limit ${BATCH} for update skip locked
    ), removed as (delete from messages where id in (select id from old) returning 1)
    select count(*) from removed`,
  )

/** Steps, launches, journals and commands of bots that have ended. The bot stays, with its files and its results. */
export const removeHistories = (db: Database, days: number): Promise<number> =>
  countOf(
    db,
    sql`
    with old as materialized (
      select id from bots where phase = 'closed' and history_deleted_at is null and ended_at < ${longAgo(days)}
        and not exists (select from launches where bot_id = bots.id and cleaned_at is null)
      order by ended_at limit ${BATCH} for no key update skip locked
    ), steps as (delete from bot_steps where bot_id in (select id from old)),
    launch as (delete from launches where bot_id in (select id from old)),
    journal as (delete from journals where bot_id in (select id from old)),
    numbered as (delete from team_events where bot_id in (select id from old)),
    picture as (delete from live_pictures where bot_id in (select id from old)),
    command as (delete from bot_commands where bot_id in (select id from old)),
    done as (update bots set history_deleted_at = now() where id in (select id from old) returning 1)
    select count(*) from done`,
  )

/** News of endpoints that get none any more. */
export const removeNews = (db: Database): Promise<number> =>
  countOf(
    db,
    sql`
    with old as materialized (
      select endpoint_id, journal_id, bot_id from event_inbox
      where not exists (select from endpoints where id = endpoint_id and live_types is not null and disabled_at is null)
      limit ${BATCH} for update skip locked
    ), removed as (delete from event_inbox where (endpoint_id, journal_id, bot_id) in (select * from old) returning 1)
    select count(*) from removed`,
  )

/** Entries become one for each team, month, kind and meter, with the same sum. Those of a bot that has not ended stay. */
export const foldLedger = (db: Database, days: number): Promise<number> =>
  countOf(
    db,
    sql`
    with old as materialized (
      select entry.id from teams cross join lateral (
        select id, at from ledger where team_id = teams.id and at < ${longAgo(days)} and source not like 'sum:%'
          and not exists (select from bots where id = ledger.bot_id and phase <> 'closed')
        order by at limit ${BATCH}) entry
      order by at limit ${BATCH}
    ), removed as (
      delete from ledger where id in (select id from old) returning team_id, kind, meter, amount, at
    ), summed as (
      insert into ledger (team_id, kind, meter, amount, at, source)
      select team_id, kind, meter, sum(amount), date_trunc('month', at, 'UTC'),
        concat_ws(':', 'sum', team_id, kind, meter, to_char(at at time zone 'UTC', 'YYYY-MM'))
      from removed group by team_id, kind, meter, date_trunc('month', at, 'UTC'), 6
      on conflict (source) do update set amount = ledger.amount + excluded.amount
    )
    select count(*) from removed`,
  )

/** There is no index of their age, but few rows of each team. */
export const removeRequests = (db: Database, days: number): Promise<number> =>
  countOf(
    db,
    sql`
    with removed as (delete from request_log where at < ${longAgo(days)} returning 1) select count(*) from removed`,
  )

export const removeAuditEntries = (db: Database, days: number): Promise<number> =>
  countOf(
    db,
    sql`
    with old as materialized (select id from audit_log where at < ${longAgo(days)} order by at limit ${BATCH}),
    removed as (delete from audit_log where id in (select id from old) returning 1)
    select count(*) from removed`,
  )
