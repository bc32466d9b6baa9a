/** Connected calendars. Their credentials are sealed; nothing here gives them out but `calendar-tokens.ts`. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { OutgoingMessage } from '../../bots/change.ts'
import type { Seals } from '../../platform/ports.ts'
import { logChange } from '../audit-log.ts'
import { jsonText } from '../bots/bots.ts'
import { lockTeam } from '../bots/creation.ts'
import { nowOf } from '../clock.ts'
import type { Database, Tx } from '../database.ts'
import type { CalendarPatch, CalendarRow } from '../rows/index.ts'
import { insertMessages } from '../webhooks/messages.ts'

export const credentialsPlace = (id: string) => ({ table: 'calendars', column: 'credentials', row: id })
export const accessTokenPlace = (id: string) => ({ table: 'calendars', column: 'access_token', row: id })

export interface NewCalendar {
  teamId: string
  apiKeyId: string | null
  generation: string
  isCompat: boolean
  platform: string
  rawCalendarId: string
  name: string
  accountEmail: string
  isPrimary: boolean
  providerMetadata: unknown
  /** JSON with the secrets. */
  credentials: string
  accessToken: string
  accessTokenSeconds: number
}

/** Stores a calendar that is due to be synced. The team's limit counts calendars of both generations. */
export async function insertCalendar(
  db: Database,
  seals: Seals,
  calendar: NewCalendar,
  messagesOf: (row: CalendarRow) => OutgoingMessage[],
): Promise<CalendarRow | 'already_connected' | { limit: number }> {
  const id = randomUUID()
  return db.transaction().execute(async (tx) => {
    const { team } = await lockTeam(tx, calendar.teamId)
    const others = tx.selectFrom('calendars').where('team_id', '=', calendar.teamId).where('deleted_at', 'is', null)
    const same = await others
      .select('id')
      .where('generation', '=', calendar.generation)
      .where('platform', '=', calendar.platform)
      .where('account_email', '=', calendar.accountEmail)
      .where('raw_calendar_id', '=', calendar.rawCalendarId)
      .executeTakeFirst()
    if (same !== undefined) return 'already_connected'
    if (team.calendars !== null) {
      const { count } = await others
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      if (count >= team.calendars) return { limit: team.calendars }
    }
    const row = await tx
      .insertInto('calendars')
      .values({
        id,
        team_id: calendar.teamId,
        api_key_id: calendar.apiKeyId,
        generation: calendar.generation,
        is_compat: calendar.isCompat,
        platform: calendar.platform,
        raw_calendar_id: calendar.rawCalendarId,
        name: calendar.name,
        account_email: calendar.accountEmail,
        is_primary: calendar.isPrimary,
        provider_metadata: calendar.providerMetadata === null ? null : jsonText(calendar.providerMetadata),
        credentials: seals.seal(calendar.credentials, credentialsPlace(id)),
        access_token: seals.seal(calendar.accessToken, accessTokenPlace(id)),
        access_token_until: sql<Date>`now() + make_interval(secs => ${calendar.accessTokenSeconds})`,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await insertMessages(tx, messagesOf(row))
    const details = { platform: row.platform }
    await logChange(tx, { teamId: row.team_id, action: 'calendar.connect', target: id, details })
    return row
  })
}

/** A calendar that is connected. */
export function readCalendar(db: Database | Tx, calendarId: string): Promise<CalendarRow | undefined> {
  return db
    .selectFrom('calendars')
    .selectAll()
    .where('id', '=', calendarId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** The provider's ids of the calendars that the team has connected of the same account. */
export async function calendarsOfAccount(
  db: Database,
  { team_id, platform, account_email }: Pick<CalendarRow, 'team_id' | 'platform' | 'account_email'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('calendars')
    .select('raw_calendar_id')
    .where('team_id', '=', team_id)
    .where('platform', '=', platform)
    .where('account_email', '=', account_email)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ raw_calendar_id: id }) => id)
}

/** Until the transaction ends, syncs of the calendar and changes of its bots wait. */
export function lockCalendar(tx: Tx, calendarId: string): Promise<CalendarRow | undefined> {
  return tx
    .selectFrom('calendars')
    .selectAll()
    .where('id', '=', calendarId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export interface CalendarChange {
  patch: CalendarPatch
  messages: OutgoingMessage[]
}

/** Changes a connected calendar; `decide` gets it locked, with the database's time. Null: nothing was changed. */
export async function changeCalendar(
  db: Database,
  calendarId: string,
  decide: (calendar: CalendarRow, now: Date) => CalendarChange | null,
): Promise<CalendarRow | null> {
  return db.transaction().execute(async (tx) => {
    const calendar = await lockCalendar(tx, calendarId)
    const change = calendar && decide(calendar, await nowOf(tx))
    if (calendar === undefined || !change) return null
    return writeCalendar(tx, calendarId, change)
  })
}

/** Writes a change of a locked calendar. */
export async function writeCalendar(tx: Tx, calendarId: string, change: CalendarChange): Promise<CalendarRow> {
  const row = await tx
    .updateTable('calendars')
    .set(change.patch)
    .where('id', '=', calendarId)
    .returningAll()
    .executeTakeFirstOrThrow()
  await insertMessages(tx, change.messages)
  return row
}

/**
 * Keeps only the row of a disconnected calendar, so that its bots and messages still have a calendar: no secret, no
 * event. Its channels stay until they are stopped.
 */
export async function removeCalendar(tx: Tx, calendarId: string, now: Date): Promise<void> {
  for (const table of ['calendar_intents', 'calendar_series_intents', 'calendar_events', 'calendar_series'] as const)
    await tx.deleteFrom(table).where('calendar_id', '=', calendarId).execute()
  await tx
    .updateTable('calendars')
    .set({
      credentials: null,
      access_token: null,
      access_token_until: null,
      cursor: null,
      sync_lease_owner: null,
      sync_lease_until: null,
      refresh_lease_owner: null,
      refresh_lease_until: null,
      updated_at: now,
      deleted_at: now,
    })
    .where('id', '=', calendarId)
    .execute()
}
