/** Calendars, series and events as callers read them. Rows of another team or generation are not found. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { contains } from '../like.ts'
import { type Condition, type PageRequest, type Places, readPage } from '../pages.ts'
import type { CalendarRow, EventRow, SeriesRow } from '../rows/index.ts'
import { fromOpenChannel } from './channels.ts'

/** Whose calendars are meant. */
export interface CalendarOwner {
  teamId: string
  generation: 'v2' | 'older' | 'any'
}

export interface CalendarFilter {
  /** A part of the address, of any case. */
  accountEmail?: string | undefined
  platforms?: readonly string[] | undefined
  statuses?: readonly string[] | undefined
}

const ofOwner = ({ teamId, generation }: CalendarOwner): Condition[] => [
  sql`calendars.team_id = ${teamId}`,
  ...(generation === 'any' ? [] : [sql`calendars.generation = ${generation}`]),
  sql`calendars.deleted_at is null`,
]

export async function readCalendar(
  db: Database,
  owner: CalendarOwner,
  calendarId: string,
): Promise<CalendarRow | undefined> {
  const { rows } = await sql<CalendarRow>`
    select * from calendars where ${sql.join([...ofOwner(owner), sql`id = ${calendarId}`], sql` and `)}`.execute(db)
  return rows[0]
}

/** Newest first. */
export async function listCalendars(
  db: Database,
  owner: CalendarOwner,
  filter: CalendarFilter,
  page: PageRequest,
): Promise<Places & { calendars: CalendarRow[] }> {
  const conditions = [
    ...ofOwner(owner),
    ...(filter.accountEmail === undefined ? [] : [contains(sql`account_email`, filter.accountEmail)]),
    ...(filter.platforms === undefined ? [] : [sql`platform = any (${[...filter.platforms]}::text[])`]),
    ...(filter.statuses === undefined ? [] : [sql`status = any (${[...filter.statuses]}::text[])`]),
  ]
  const order = { column: sql.ref('created_at'), id: sql.ref('id'), direction: 'desc' as const }
  const { rows, ...places } = await readPage<CalendarRow>(
    db,
    { columns: sql`*`, from: sql`calendars`, conditions, order },
    page,
  )
  return { calendars: rows, ...places }
}

/** All of them with their subscriptions, oldest first. */
export async function allCalendars(
  db: Database,
  owner: CalendarOwner,
): Promise<(CalendarRow & { resource_id: string | null })[]> {
  const { rows } = await sql<CalendarRow & { resource_id: string | null }>`
    select calendars.*, (select resource_id ${fromOpenChannel(sql.ref('calendars.id'))}) as resource_id
    from calendars where ${sql.join(ofOwner(owner), sql` and `)} order by created_at, id`.execute(db)
  return rows
}

/** The columns that lists of events read; `event_type` is that of the series. */
export type ListedEvent = Pick<
  EventRow,
  | 'id'
  | 'calendar_id'
  | 'series_id'
  | 'title'
  | 'starts_at'
  | 'ends_at'
  | 'status'
  | 'is_exception'
  | 'meeting_url'
  | 'meeting_platform'
  | 'created_at'
> & { event_type: string; bot_scheduled: boolean }

/** A whole event with its wanted bot, without the bot's secrets. */
export type WholeEvent = EventRow & {
  event_type: string
  series_provider_id: string
  calendar_platform: string
  bot_scheduled: boolean
  bot: unknown
}

/** An intent without a bot is one whose event has no link yet. Webhooks use the same rule (`calendar-events.ts`). */
const WITH_A_BOT = sql`state = 'wanted' and bot_id is not null and calendar_events.status <> 'cancelled'`

const LISTED = sql`
  calendar_events.id, calendar_events.calendar_id, calendar_events.series_id, title, starts_at, ends_at, status,
  is_exception, meeting_url, meeting_platform, calendar_events.created_at, event_type,
  exists (select from calendar_intents where event_id = calendar_events.id and ${WITH_A_BOT}) as bot_scheduled`
const WITH_SERIES = sql`calendar_events join calendar_series on calendar_series.id = series_id`

const WHOLE = sql`
  calendar_events.*, event_type, calendar_series.provider_id as series_provider_id,
  calendars.platform as calendar_platform, coalesce(intent.bot, rule.bot) as bot, intent.id is not null as bot_scheduled`
const WITH_BOT = sql`
  calendar_events join calendar_series on calendar_series.id = series_id
  join calendars on calendars.id = calendar_events.calendar_id
  left join calendar_intents intent on intent.event_id = calendar_events.id and ${WITH_A_BOT}
  left join calendar_series_intents rule on rule.id = intent.series_intent_id`

const BY_START = { column: sql.ref('starts_at'), id: sql.ref('calendar_events.id'), direction: 'asc' as const }

export interface EventFilter {
  startsFrom?: Date | undefined
  endsBy?: Date | undefined
  statuses?: readonly string[] | undefined
  showCancelled: boolean
}

/** Earliest first. */
export async function listEvents(
  db: Database,
  calendarId: string,
  { startsFrom, endsBy, statuses, showCancelled }: EventFilter,
  page: PageRequest,
): Promise<Places & { rows: ListedEvent[] }> {
  const conditions = [
    sql`calendar_events.calendar_id = ${calendarId}`,
    ...(startsFrom === undefined ? [] : [sql`starts_at >= ${startsFrom}`]),
    ...(endsBy === undefined ? [] : [sql`ends_at <= ${endsBy}`]),
    ...(statuses === undefined ? [] : [sql`status = any (${[...statuses]}::text[])`]),
    ...(showCancelled ? [] : [sql`status <> 'cancelled'`]),
  ]
  return readPage<ListedEvent>(db, { columns: LISTED, from: WITH_SERIES, conditions, order: BY_START }, page)
}

/** Oldest first, each with its events, earliest first. `showCancelled` hides events, and no series. */
export async function listSeries(
  db: Database,
  calendarId: string,
  filter: { eventTypes?: readonly string[] | undefined; showCancelled: boolean },
  page: PageRequest,
): Promise<Places & { series: (SeriesRow & { events: ListedEvent[] })[] }> {
  const conditions = [
    sql`calendar_id = ${calendarId}`,
    ...(filter.eventTypes === undefined ? [] : [sql`event_type = any (${[...filter.eventTypes]}::text[])`]),
  ]
  const order = { column: sql.ref('created_at'), id: sql.ref('id'), direction: 'asc' as const }
  const { rows, ...places } = await readPage<SeriesRow>(
    db,
    { columns: sql`*`, from: sql`calendar_series`, conditions, order },
    page,
  )
  const { rows: events } = await sql<ListedEvent>`
    select ${LISTED} from ${WITH_SERIES}
    where series_id = any (${rows.map(({ id }) => id)}::uuid[])
      and ${filter.showCancelled ? sql`true` : sql`status <> 'cancelled'`}
    order by starts_at, calendar_events.id`.execute(db)
  const bySeries = Map.groupBy(events, ({ series_id }) => series_id)
  return { series: rows.map((series) => ({ ...series, events: bySeries.get(series.id) ?? [] })), ...places }
}

/** `calendarId` null: of any calendar of the owner. */
export async function readEvent(
  db: Database,
  owner: CalendarOwner,
  calendarId: string | null,
  eventId: string,
): Promise<WholeEvent | undefined> {
  const [event] = await readEvents(db, owner, [eventId])
  return calendarId === null || event?.calendar_id === calendarId ? event : undefined
}

/** The existing ones, earliest first. */
export async function readEvents(
  db: Database,
  owner: CalendarOwner,
  eventIds: readonly string[],
): Promise<WholeEvent[]> {
  const conditions = [...ofOwner(owner), sql`calendar_events.id = any (${[...eventIds]}::uuid[])`]
  const { rows } = await sql<WholeEvent>`
    select ${WHOLE} from ${WITH_BOT} where ${sql.join(conditions, sql` and `)}
    order by starts_at, calendar_events.id`.execute(db)
  return rows
}

export interface OlderEventFilter {
  /** Whole addresses, of any case. */
  attendeeEmail?: string | undefined
  organizerEmail?: string | undefined
  updatedFrom?: Date | undefined
  /** Inclusive. */
  startsFrom?: Date | undefined
  startsBy?: Date | undefined
  when: 'upcoming' | 'past' | 'all'
}

/** Earliest first. */
export async function listOlderEvents(
  db: Database,
  calendarId: string,
  filter: OlderEventFilter,
  page: PageRequest,
): Promise<Places & { rows: WholeEvent[] }> {
  const { attendeeEmail, organizerEmail, updatedFrom, startsFrom, startsBy, when } = filter
  const conditions = [
    sql`calendar_events.calendar_id = ${calendarId}`,
    ...(attendeeEmail === undefined
      ? []
      : [
          sql`exists (
            select from jsonb_array_elements(attendees) attendee where lower(attendee ->> 'email') = lower(${attendeeEmail}))`,
        ]),
    ...(organizerEmail === undefined ? [] : [sql`lower(organizer_email) = lower(${organizerEmail})`]),
    ...(updatedFrom === undefined ? [] : [sql`calendar_events.updated_at >= ${updatedFrom}`]),
    ...(startsFrom === undefined ? [] : [sql`starts_at >= ${startsFrom}`]),
    ...(startsBy === undefined ? [] : [sql`starts_at <= ${startsBy}`]),
    ...(when === 'upcoming' ? [sql`starts_at > now()`] : []),
    ...(when === 'past' ? [sql`starts_at <= now()`] : []),
  ]
  return readPage<WholeEvent>(db, { columns: WHOLE, from: WITH_BOT, conditions, order: BY_START }, page)
}
