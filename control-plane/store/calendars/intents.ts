/**
 * The bots that callers want for the events of a calendar: one row for each event, one for each series whose every
 * occurrence gets a bot. Written under the lock of the calendar's row.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { apart, type BotRequest, type BotSecrets, type StoredRequest, together } from '../../bots/request.ts'
import type { Seals } from '../../platform/ports.ts'
import { jsonText, lockBots } from '../bots/bots.ts'
import type { Tx } from '../database.ts'
import type { BotRow, EventRow, IntentRow, SeriesIntentRow } from '../rows/index.ts'

const INTENTS = 'calendar_intents'
const SERIES_INTENTS = 'calendar_series_intents'
const placeOf = (table: string, id: string) => ({ table, column: 'secrets', row: id })

/** The columns of a request: its fields as JSON, its secrets sealed. */
function sealed(seals: Seals, table: string, id: string, asked: BotRequest) {
  const { request, secrets } = apart(asked)
  const hasSecrets = Object.keys(secrets).length > 0
  return {
    bot: jsonText(request),
    secrets: hasSecrets ? seals.seal(JSON.stringify(secrets), placeOf(table, id)) : null,
  }
}

function opened(seals: Seals, table: string, row: { id: string; bot: unknown; secrets: Buffer | null }): BotRequest {
  const secrets =
    row.secrets === null ? {} : (JSON.parse(seals.open(row.secrets, placeOf(table, row.id))) as BotSecrets)
  return together(row.bot as StoredRequest, secrets)
}

// --- Series ------------------------------------------------------------------------------------------------------

export const botOfSeries = (seals: Seals, row: SeriesIntentRow): BotRequest => opened(seals, SERIES_INTENTS, row)

export function openSeriesIntent(tx: Tx, seriesId: string): Promise<SeriesIntentRow | undefined> {
  return tx
    .selectFrom(SERIES_INTENTS)
    .selectAll()
    .where('series_id', '=', seriesId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
}

/** The rule of a series from now on; an open one is changed. */
export async function writeSeriesIntent(
  tx: Tx,
  seals: Seals,
  rule: { calendarId: string; seriesId: string; apiKeyId: string | null; bot: BotRequest },
): Promise<string> {
  const open = await openSeriesIntent(tx, rule.seriesId)
  const id = open?.id ?? randomUUID()
  const values = {
    api_key_id: rule.apiKeyId,
    ...sealed(seals, SERIES_INTENTS, id, rule.bot),
  }
  if (open === undefined)
    await tx
      .insertInto(SERIES_INTENTS)
      .values({ id, calendar_id: rule.calendarId, series_id: rule.seriesId, ...values })
      .execute()
  else
    await tx
      .updateTable(SERIES_INTENTS)
      .set({ ...values, updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute()
  return id
}

export async function endSeriesIntent(tx: Tx, seriesId: string): Promise<void> {
  await tx
    .updateTable(SERIES_INTENTS)
    .set({ ended_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
    .where('series_id', '=', seriesId)
    .where('ended_at', 'is', null)
    .execute()
}

/** Occurrences to come of series that have a rule get their intent, where they have none. Returns their events. */
export async function addMissingIntents(tx: Tx, calendarId: string): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`
    insert into calendar_intents (calendar_id, event_id, series_intent_id, state, api_key_id)
    select e.calendar_id, e.id, r.id, 'wanted', r.api_key_id
    from calendar_series_intents r
    join calendar_events e on e.series_id = r.series_id and e.ends_at > now() and e.status <> 'cancelled'
    where r.calendar_id = ${calendarId} and r.ended_at is null
    on conflict (event_id) do nothing returning event_id`.execute(tx)
  return rows.map(({ event_id }) => event_id)
}

// --- Events ------------------------------------------------------------------------------------------------------

type IntentState = 'wanted' | 'excluded' | 'ended'

/** An event, its intent, and the bot that was made last. */
export interface Followed {
  event: Pick<
    EventRow,
    'id' | 'calendar_id' | 'series_id' | 'status' | 'starts_at' | 'ends_at' | 'meeting_url' | 'title'
  >
  intent: IntentRow | null
  seriesIntent: SeriesIntentRow | null
  bot: BotRow | null
  /** Every bot of the event that has not ended; `bot` may be among them. */
  openBots: BotRow[]
}

/** `isEvery`: also every event that is not over and has an intent. */
export type WhichEvents = { eventIds: readonly string[]; isEvery?: boolean } | { seriesId: string }

/** Earliest first. Locks the bots. */
export async function readFollowed(tx: Tx, calendarId: string, which: WhichEvents): Promise<Followed[]> {
  const chosen =
    'seriesId' in which
      ? sql`e.series_id = ${which.seriesId}`
      : which.isEvery
        ? sql`(e.id = any(${which.eventIds}::uuid[])
            or (e.ends_at > now() and exists (select from calendar_intents i where i.event_id = e.id)))`
        : sql`e.id = any(${which.eventIds}::uuid[])`
  const { rows: events } = await sql<Followed['event']>`
    select e.id, e.calendar_id, e.series_id, e.status, e.starts_at, e.ends_at, e.meeting_url, e.title
    from calendar_events e where e.calendar_id = ${calendarId} and ${chosen} order by e.starts_at, e.id`.execute(tx)
  if (events.length === 0) return []
  const ids = events.map(({ id }) => id)
  const intents = await tx.selectFrom(INTENTS).selectAll().where('event_id', 'in', ids).execute()
  const { rows: rules } = await sql<SeriesIntentRow>`
    select * from calendar_series_intents where calendar_id = ${calendarId} and (
      (ended_at is null and series_id = any(${[...new Set(events.map(({ series_id }) => series_id))]}::uuid[]))
      or id = any(${intents.map(({ series_intent_id }) => series_intent_id)}::uuid[]))`.execute(tx)
  const { rows: made } = await sql<{ bot_id: string; event_id: string }>`
    select c.bot_id, c.event_id from calendar_bots c join bots b on b.id = c.bot_id
    where c.event_id = any(${ids}::uuid[])
      and (b.phase <> 'closed' or exists (select from calendar_intents i where i.bot_id = c.bot_id))
    order by c.created_at`.execute(tx)
  const bots = new Map(
    (
      await lockBots(
        tx,
        made.map(({ bot_id }) => bot_id),
      )
    ).map((bot) => [bot.id, bot]),
  )
  const byEvent = new Map(intents.map((intent) => [intent.event_id, intent]))
  const rulesById = new Map(rules.map((rule) => [rule.id, rule]))
  const openRules = new Map(rules.filter(({ ended_at }) => ended_at === null).map((rule) => [rule.series_id, rule]))
  const madeFor = Map.groupBy(made, ({ event_id }) => event_id)
  return events.map((event) => {
    const intent = byEvent.get(event.id) ?? null
    const own = intent?.series_intent_id ? rulesById.get(intent.series_intent_id) : undefined
    return {
      event,
      intent,
      seriesIntent: own ?? openRules.get(event.series_id) ?? null,
      bot: intent?.bot_id ? (bots.get(intent.bot_id) ?? null) : null,
      openBots: (madeFor.get(event.id) ?? [])
        .map(({ bot_id }) => bots.get(bot_id))
        .filter((bot): bot is BotRow => bot !== undefined && bot.phase !== 'closed'),
    }
  })
}

/** The bot that the event is to get. */
export function botOfIntent(seals: Seals, { intent, seriesIntent }: Followed): BotRequest | null {
  if (intent?.bot) return opened(seals, INTENTS, intent)
  return seriesIntent === null ? null : botOfSeries(seals, seriesIntent)
}

export interface IntentWrite {
  calendarId: string
  eventId: string
  state: IntentState
  apiKeyId: string | null
  /** Null: the series' own. */
  bot: BotRequest | null
  seriesIntentId: string | null
}

/**
 * Stores the bot that a caller wants for an event from now on. The event's last bot is unlinked: it has ended, or is
 * about to.
 */
export async function writeIntent(
  tx: Tx,
  seals: Seals,
  before: IntentRow | null,
  write: IntentWrite,
): Promise<IntentRow> {
  const id = before?.id ?? randomUUID()
  const values = {
    series_intent_id: write.seriesIntentId,
    state: write.state,
    api_key_id: write.apiKeyId,
    ...(write.bot === null ? { bot: null, secrets: null } : sealed(seals, INTENTS, id, write.bot)),
    meeting_url: null,
    bot_id: null,
    bot_join_at: null,
    bot_meeting_url: null,
  }
  return tx
    .insertInto(INTENTS)
    .values({ id, calendar_id: write.calendarId, event_id: write.eventId, ...values })
    .onConflict((conflict) => conflict.column('event_id').doUpdateSet({ ...values, updated_at: sql<Date>`now()` }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Stores a new bot for an event; the last bot of the event stays. */
export async function writeIntentBot(tx: Tx, seals: Seals, intentId: string, bot: BotRequest): Promise<void> {
  await tx
    .updateTable(INTENTS)
    .set({
      ...sealed(seals, INTENTS, intentId, bot),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', intentId)
    .execute()
}

export interface IntentUpdate {
  id: string
  state: IntentState
  meeting_url: string | null
  bot_id: string | null
  bot_join_at: Date | null
  bot_meeting_url: string | null
}

/** Stores the results of intents. */
export async function updateIntents(tx: Tx, updates: readonly IntentUpdate[]): Promise<void> {
  if (updates.length === 0) return
  await sql`
    update calendar_intents i set state = u.state, meeting_url = u.meeting_url, bot_id = u.bot_id,
      bot_join_at = u.bot_join_at, bot_meeting_url = u.bot_meeting_url, updated_at = now()
    from json_to_recordset(${jsonText(updates)}::json) as u
      (id uuid, state text, meeting_url text, bot_id uuid, bot_join_at timestamptz, bot_meeting_url text)
    where i.id = u.id`.execute(tx)
}

export async function addEventBot(tx: Tx, calendarId: string, eventId: string, botId: string): Promise<void> {
  await tx.insertInto('calendar_bots').values({ bot_id: botId, calendar_id: calendarId, event_id: eventId }).execute()
}

/** Bots of a calendar that no launcher has begun to start, locked. */
export async function lockScheduledBots(tx: Tx, calendarId: string): Promise<BotRow[]> {
  const { rows } = await sql<{ id: string }>`
    select b.id from calendar_bots c join bots b on b.id = c.bot_id
    where c.calendar_id = ${calendarId} and b.phase = 'scheduled'`.execute(tx)
  const bots = await lockBots(
    tx,
    rows.map(({ id }) => id),
  )
  return bots.filter(({ phase }) => phase === 'scheduled')
}

/** Removes the intents of all events. */
export async function removeIntents(tx: Tx, calendarId: string): Promise<void> {
  await tx.deleteFrom(INTENTS).where('calendar_id', '=', calendarId).execute()
  await tx.deleteFrom(SERIES_INTENTS).where('calendar_id', '=', calendarId).execute()
}
