/** Events and series of calendars. Rows are written by a sync only, and keep their id for as long as the provider keeps its. */
import { sql } from 'kysely'
import { jsonText } from '../bots/bots.ts'
import type { Database, Tx } from '../database.ts'
import type { EventRow } from '../rows/index.ts'

/** The columns of a stored event that a sync compares to find changes. */
export type StoredEvent = Pick<
  EventRow,
  | 'id'
  | 'series_id'
  | 'provider_id'
  | 'starts_at'
  | 'ends_at'
  | 'status'
  | 'removed_at'
  | 'content_hash'
  | 'provider_updated_at'
> & { series_provider_id: string }

/** Events that are not over at `from`, and those that the provider named. */
export async function readStoredEvents(
  tx: Database | Tx,
  calendarId: string,
  from: Date,
  providerIds: readonly string[],
): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select e.id, e.series_id, e.provider_id, e.starts_at, e.ends_at, e.status, e.removed_at, e.content_hash,
      e.provider_updated_at, s.provider_id as series_provider_id
    from calendar_events e join calendar_series s on s.id = e.series_id
    where e.calendar_id = ${calendarId} and (e.ends_at >= ${from} or e.provider_id = any(${providerIds}::text[]))`.execute(
    tx,
  )
  return rows
}

export interface NewSeries {
  provider_id: string
  event_type: 'one_off' | 'recurring'
}

/** Makes the series that are missing. Returns all ids by those of the provider. */
export async function upsertSeries(
  tx: Tx,
  calendarId: string,
  series: readonly NewSeries[],
): Promise<Map<string, string>> {
  if (series.length === 0) return new Map()
  const { rows } = await sql<{ id: string; provider_id: string }>`
    insert into calendar_series (calendar_id, provider_id, event_type)
    select ${calendarId}, provider_id, event_type
    from json_to_recordset(${jsonText(series)}::json) as one (provider_id text, event_type text)
    on conflict (calendar_id, provider_id) do update set event_type = excluded.event_type
    returning id, provider_id`.execute(tx)
  return new Map(rows.map(({ id, provider_id }) => [provider_id, id]))
}

/** A row as a sync writes it; times as ISO text. */
export interface EventWrite {
  id: string
  series_id: string
  provider_id: string
  is_recurring: boolean
  is_exception: boolean
  original_start: string | null
  title: string
  description: string | null
  location: string | null
  starts_at: string
  ends_at: string
  timezone: string | null
  is_all_day: boolean
  status: string
  removed_at: string | null
  organizer_email: string | null
  organizer_name: string | null
  is_organizer: boolean
  attendees: unknown
  meeting_url: string | null
  meeting_platform: string | null
  meeting_key: string | null
  provider_updated_at: string
  raw: unknown
  content_hash: string
}

const COLUMNS: readonly [name: keyof EventWrite, type: string][] = [
  ['id', 'uuid'],
  ['series_id', 'uuid'],
  ['provider_id', 'text'],
  ['is_recurring', 'boolean'],
  ['is_exception', 'boolean'],
  ['original_start', 'timestamptz'],
  ['title', 'text'],
  ['description', 'text'],
  ['location', 'text'],
  ['starts_at', 'timestamptz'],
  ['ends_at', 'timestamptz'],
  ['timezone', 'text'],
  ['is_all_day', 'boolean'],
  ['status', 'text'],
  ['removed_at', 'timestamptz'],
  ['organizer_email', 'text'],
  ['organizer_name', 'text'],
  ['is_organizer', 'boolean'],
  ['attendees', 'jsonb'],
  ['meeting_url', 'text'],
  ['meeting_platform', 'text'],
  ['meeting_key', 'text'],
  ['provider_updated_at', 'timestamptz'],
  ['raw', 'jsonb'],
  ['content_hash', 'text'],
]
const names = sql.join(COLUMNS.map(([name]) => sql.ref(name)))
const types = sql.raw(COLUMNS.map(([name, type]) => `${name} ${type}`).join(', '))
const replaced = sql.join(
  COLUMNS.filter(([name]) => name !== 'id').map(([name]) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`),
)

/** Events of one statement, since the text of one event may be long. */
const AT_ONCE = 500

/** Writes whole events. A known one keeps its id and the time of its creation. */
export async function upsertEvents(tx: Tx, calendarId: string, events: readonly EventWrite[]): Promise<void> {
  for (let first = 0; first < events.length; first += AT_ONCE)
    await upsertSome(tx, calendarId, events.slice(first, first + AT_ONCE))
}

async function upsertSome(tx: Tx, calendarId: string, events: readonly EventWrite[]): Promise<void> {
  await sql`
    insert into calendar_events (calendar_id, ${names})
    select ${calendarId}, ${names} from json_to_recordset(${jsonText(events)}::json) as event (${types})
    on conflict (calendar_id, provider_id) do update set updated_at = now(), ${replaced}`.execute(tx)
}

/** The provider no longer has them. */
export async function markRemoved(tx: Tx, eventIds: readonly string[]): Promise<void> {
  if (eventIds.length === 0) return
  await tx
    .updateTable('calendar_events')
    .set({ status: 'cancelled', removed_at: sql<Date>`coalesce(removed_at, now())`, updated_at: sql<Date>`now()` })
    .where('id', 'in', eventIds)
    .execute()
}

/** The columns that messages about an event contain. */
export type ReportedEvent = Pick<
  EventRow,
  | 'id'
  | 'series_id'
  | 'is_recurring'
  | 'is_exception'
  | 'title'
  | 'starts_at'
  | 'ends_at'
  | 'status'
  | 'is_all_day'
  | 'meeting_url'
  | 'meeting_platform'
> & { bot_scheduled: boolean; series_bot_scheduled: boolean; event_type: string }

/** Earliest first. */
export async function readReportedEvents(tx: Tx, eventIds: readonly string[]): Promise<ReportedEvent[]> {
  if (eventIds.length === 0) return []
  const { rows } = await sql<ReportedEvent>`
    select e.id, e.series_id, e.is_recurring, e.is_exception, e.title, e.starts_at, e.ends_at, e.status, e.is_all_day,
      e.meeting_url, e.meeting_platform, s.event_type,
      coalesce(i.state = 'wanted' and i.bot_id is not null and e.status <> 'cancelled', false) as bot_scheduled,
      r.id is not null as series_bot_scheduled
    from calendar_events e join calendar_series s on s.id = e.series_id
    left join calendar_intents i on i.event_id = e.id
    left join calendar_series_intents r on r.series_id = e.series_id and r.ended_at is null
    where e.id = any(${eventIds}::uuid[]) order by e.starts_at, e.id`.execute(tx)
  return rows
}

/**
 * Removes events that ended so many days ago, and series without events and without a wanted bot. Returns the number of
 * events.
 */
export async function removePastEvents(db: Database, days: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const over = sql`ends_at < now() - make_interval(days => ${days})`
    await sql`delete from calendar_intents where event_id in (select id from calendar_events where ${over})`.execute(tx)
    const { numAffectedRows } = await sql`delete from calendar_events where ${over}`.execute(tx)
    const empty = sql`not exists (select from calendar_events e where e.series_id = calendar_series.id)
      and created_at < now() - make_interval(days => ${days})`
    await sql`
      delete from calendar_series_intents where ended_at is not null
        and series_id in (select id from calendar_series where ${empty})
        and not exists (select from calendar_intents i where i.series_intent_id = calendar_series_intents.id)`.execute(
      tx,
    )
    await sql`
      delete from calendar_series where ${empty}
        and not exists (select from calendar_series_intents i where i.series_id = calendar_series.id)`.execute(tx)
    return Number(numAffectedRows ?? 0n)
  })
}
