/** Series that took the place of another one, and the occurrences that continue. Written under the lock of the calendar's row. */
import { sql } from 'kysely'
import { lockBots } from '../bots/bots.ts'
import type { Tx } from '../database.ts'
import type { SeriesIntentRow } from '../rows/index.ts'

export interface Succession {
  oldSeriesId: string
  newSeriesId: string
  /** The provider named the new one after the old one. */
  isByName: boolean
  /**
   * Whether it does so even if no event of it takes the place of one: it was named after the old one and begins later, or the
   * events to come of the old one are cancelled, and the provider still has them.
   */
  needsNoEvent: boolean
  /** The open rule of the old series, if the new one may take it over: it never had one, and began after it. */
  rule: SeriesIntentRow | null
}

type Row = SeriesIntentRow &
  Record<'old_id' | 'new_id', string> &
  Record<'is_by_name' | 'needs_no_event' | 'may_have_rule', boolean>

/**
 * Series that are new within `seconds`, with those whose place each may have taken, the newest first. The provider named it
 * after them; or after none, and they lost at least two events to come, or the last one, within these seconds and have its
 * organizer and its title or link.
 */
export async function findSuccessions(tx: Tx, calendarId: string, seconds: number): Promise<Succession[]> {
  const since = sql`now() - make_interval(secs => ${seconds})`
  const { rows } = await sql<Row>`
    with lost as materialized (
      select series_id, bool_and(status = 'cancelled' and removed_at is null) as is_cancelled
      from calendar_events where calendar_id = ${calendarId} and ends_at > now() group by series_id
      having count(*) filter (where removed_at > ${since}) > 1
        or (bool_and(status = 'cancelled') and bool_or(updated_at > ${since}))
    ), candidates as (
      select o.id as old_id, o.number, n.id as new_id, n.created_at, is_by_name,
        bool_or(is_by_name) over (partition by n.id) as has_name
      from calendar_series n
      join calendar_series o on o.calendar_id = n.calendar_id and o.id <> n.id and o.created_at < n.created_at
      cross join lateral (
        select starts_with(n.provider_id, regexp_replace(o.provider_id, '_R[0-9T]+$', '') || '_R') as is_by_name
      ) names
      where n.calendar_id = ${calendarId} and n.created_at > ${since} and 'recurring' in (n.event_type, o.event_type)
    )
    select r.*, old_id, new_id, is_by_name, (is_by_name and c.created_at = now()) or coalesce(is_cancelled, false) as needs_no_event,
      r.id is not null
      and not exists (select from calendar_series_intents i where i.series_id = new_id) as may_have_rule
    from candidates c
    left join lost l on l.series_id = old_id
    left join calendar_series_intents r on r.series_id = old_id and r.ended_at is null and r.created_at <= c.created_at
    where is_by_name or (not has_name and l.series_id is not null and exists (
      select from calendar_events a, calendar_events b
      where a.series_id = old_id and b.series_id = new_id and a.organizer_email is not distinct from b.organizer_email
        and (a.title = b.title or a.meeting_url = b.meeting_url)))
    order by c.number desc`.execute(tx)
  return rows.map(({ old_id, new_id, is_by_name, needs_no_event, may_have_rule, ...rule }) => ({
    oldSeriesId: old_id,
    newSeriesId: new_id,
    isByName: is_by_name,
    needsNoEvent: needs_no_event,
    rule: may_have_rule ? rule : null,
  }))
}

export interface Place {
  id: string
  series_id: string
  is_recurring: boolean
  /** Where the rule of the series puts it; for a single event, its start. */
  at: Date
  /** The provider no longer has it. */
  is_gone: boolean
  /** It went, came or came back with this sync. */
  is_now: boolean
  /** No bot was wanted for it yet, and it came within the seconds that were asked for. */
  is_free: boolean
}

/**
 * Events of each series that lost or got some within `seconds`; of those that it lost, only the last ones. `revived`: events
 * that came back.
 */
export async function readPlaces(
  tx: Tx,
  calendarId: string,
  revived: readonly string[],
  seconds: number,
): Promise<Place[]> {
  const since = sql`now() - make_interval(secs => ${seconds})`
  const { rows } = await sql<Place>`
    select * from (
      select e.id, e.series_id, e.is_recurring, coalesce(e.original_start, e.starts_at) as at, e.removed_at is not null as is_gone,
        now() in (e.removed_at, e.created_at) or e.id = any(${revived}::uuid[]) as is_now,
        e.created_at > ${since} and not exists (select from calendar_intents i where i.event_id = e.id) as is_free,
        e.removed_at is null or e.removed_at = greatest(max(e.removed_at) over (partition by e.series_id), ${since}) as is_read
      from calendar_events e
      where e.ends_at > now() - interval '7 days' and e.series_id in (
        select series_id from calendar_events
        where calendar_id = ${calendarId} and (greatest(removed_at, created_at) > ${since} or id = any(${revived}::uuid[])))
    ) places where is_read`.execute(tx)
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
