/** Series that took the place of another one, and the occurrences that continue. Written under the lock of the calendar's row. */
import { sql } from 'kysely'
import type { SeriesIntentRow } from '../../rows/index.ts'
import { lockBots } from '../bots/bots.ts'
import type { Tx } from '../database.ts'

export interface Succession {
  oldSeriesId: string
  newSeriesId: string
  /** The open rule of the old series, if the new one may take it over: it never had one, and began after it. */
  rule: SeriesIntentRow | null
}

/**
 * New series with the one whose place each took: the provider named it after that one, or that one lost its occurrences at
 * the same time and they have its organizer and its title or link. `seconds`: how far apart the end of one and the beginning
 * of the other may come to light.
 */
export async function findSuccessions(tx: Tx, calendarId: string, seconds: number): Promise<Succession[]> {
  const { rows } = await sql<{ old_id: string; new_id: string; may_have_rule: boolean } & SeriesIntentRow>`
    select distinct on (n.id) r.*, o.id as old_id, n.id as new_id, r.id is not null
      and not exists (select from calendar_series_intents i where i.series_id = n.id) as may_have_rule
    from calendar_series n
    join calendar_series o on o.calendar_id = n.calendar_id and o.id <> n.id and o.created_at < n.created_at
    cross join lateral (select
      starts_with(n.provider_id, regexp_replace(o.provider_id, '_R[0-9T]+$', '') || '_R') as by_name,
      o.lost_at > now() - make_interval(secs => ${seconds}) as is_lost,
      exists (select from calendar_events e where e.series_id = o.id and e.removed_at = now()) as loses_now,
      exists (select from calendar_events e where e.series_id = o.id and e.created_at = now()) as gains_now) looks
    left join calendar_series_intents r on r.series_id = o.id and r.ended_at is null and r.created_at <= n.created_at
    where n.calendar_id = ${calendarId} and 'recurring' in (n.event_type, o.event_type)
      and n.created_at > now() - make_interval(secs => ${seconds})
      and (by_name or (is_lost and exists (
        select from calendar_events a, calendar_events b
        where a.series_id = o.id and b.series_id = n.id and a.organizer_email is not distinct from b.organizer_email
          and (a.title = b.title or a.meeting_url = b.meeting_url))))
    order by n.id, by_name desc, loses_now desc, gains_now, o.lost_at desc nulls last, o.number desc`.execute(tx)
  return rows.map(({ old_id: oldSeriesId, new_id: newSeriesId, may_have_rule, ...intent }) => ({
    oldSeriesId,
    newSeriesId,
    rule: may_have_rule ? intent : null,
  }))
}

/** Series that lost occurrences to come: several of them, or the last one. */
export async function markLost(tx: Tx, seriesIds: readonly string[]): Promise<void> {
  if (seriesIds.length === 0) return
  await tx.updateTable('calendar_series').set({ lost_at: sql<Date>`now()` }).where('id', 'in', seriesIds).execute()
}

/** How many occurrences to come each series has left. */
export async function countUpcoming(tx: Tx, seriesIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ series_id: string; count: number }>`
    select series_id, count(*) as count from calendar_events
    where series_id = any(${seriesIds}::uuid[]) and status <> 'cancelled' and ends_at > now() group by series_id`.execute(
    tx,
  )
  return new Map(rows.map(({ series_id, count }) => [series_id, count]))
}

/** An event of a series, or a single one, at the place that its rule gives it. */
export interface PlacedEvent {
  id: string
  series_id: string
  at: Date
  is_cancelled: boolean
  is_removed: boolean
  /** When it was removed, if that was now, or with others of its series within the seconds that were asked for. */
  vanished_at: Date | null
  /** New within these seconds, and no bot was wanted for it yet. */
  is_new: boolean
}

export async function readPlaces(tx: Tx, seriesIds: readonly string[], seconds: number): Promise<PlacedEvent[]> {
  const since = sql`now() - make_interval(secs => ${seconds})`
  const { rows } = await sql<PlacedEvent>`
    select e.id, e.series_id, coalesce(e.original_start, e.starts_at) as at, e.status = 'cancelled' as is_cancelled,
      e.removed_at is not null as is_removed,
      case when e.removed_at = now() or (e.removed_at = s.lost_at and s.lost_at > ${since}) then e.removed_at end as vanished_at,
      e.created_at > ${since} and not exists (select from calendar_intents i where i.event_id = e.id) as is_new
    from calendar_events e join calendar_series s on s.id = e.series_id
    where e.series_id = any(${seriesIds}::uuid[]) and e.ends_at > now() - interval '7 days'`.execute(tx)
  return rows
}

/** Intents of events, and their bots that have not ended, become those of the events that continue them. */
export async function moveIntents(tx: Tx, pairs: ReadonlyMap<string, string>): Promise<void> {
  const wanted = await tx
    .selectFrom('calendar_intents')
    .select('event_id')
    .where('event_id', 'in', [...pairs.keys()])
    .execute()
  if (wanted.length === 0) return
  const from = wanted.map(({ event_id }) => event_id)
  const to = from.map((id) => pairs.get(id)!)
  const moved = sql`unnest(${from}::uuid[], ${to}::uuid[]) as moved (old_id, new_id)`
  await tx.deleteFrom('calendar_intents').where('event_id', 'in', to).execute()
  await sql`
    update calendar_intents i set event_id = new_id, updated_at = now(),
      series_intent_id = case when i.series_intent_id is not null then coalesce((
        select r.id from calendar_series_intents r join calendar_events e on e.series_id = r.series_id
        where e.id = new_id and r.ended_at is null), i.series_intent_id) end
    from ${moved} where i.event_id = old_id`.execute(tx)
  const { rows: bots } = await sql<{ id: string }>`
    select b.id from calendar_bots c join bots b on b.id = c.bot_id and b.phase <> 'closed'
    where c.event_id = any(${from}::uuid[])`.execute(tx)
  await lockBots(
    tx,
    bots.map(({ id }) => id),
  )
  await sql`
    with moved_bots as (
      update calendar_bots c set event_id = new_id from ${moved}
      where c.event_id = old_id and c.bot_id = any(${bots.map(({ id }) => id)}::uuid[]) returning c.bot_id, new_id)
    update bots b set event_id = case when b.event_id is not null then new_id end,
      event_uuid = case when b.event_uuid is not null then new_id end, updated_at = now()
    from moved_bots where b.id = bot_id`.execute(tx)
}
