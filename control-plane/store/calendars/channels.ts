/** Subscriptions to changes of calendars: when they are opened, renewed and stopped. One process at a time does it for a calendar. */
import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Tx } from '../database.ts'
import { PREPARED } from '../prepared.ts'
import { type Claim, RowLease } from '../row-lease.ts'
import type { CalendarPatch, CalendarRow, ChannelRow } from '../rows/index.ts'
import { lockCalendar } from './calendars.ts'
import { syncLease } from './syncs.ts'

const pushLease = new RowLease('calendars', 'push_lease')

/** Takes calendars whose channel is to be opened or renewed. */
export async function claimDuePushes(db: Database, claim: Claim, limit: number): Promise<CalendarRow[]> {
  const { rows } = await sql<CalendarRow>`
    with chosen as (
      select id from calendars where deleted_at is null and push_due_at <= now() and ${pushLease.isFree}
      order by push_due_at limit ${limit} for no key update skip locked
    )
    update calendars set ${pushLease.acquired(claim)} from chosen where calendars.id = chosen.id returning calendars.*`.execute(
    db,
  )
  return rows
}

/** Until the next sync or subscription is due that no process works on, not above zero if one is now; null: there is none. */
export async function secondsToNextDue(db: Database): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    ${PREPARED} select extract(epoch from least(
      (select sync_due_at from calendars where deleted_at is null and ${syncLease.isFree} order by sync_due_at limit 1),
      (select push_due_at from calendars where deleted_at is null and ${pushLease.isFree} order by push_due_at limit 1)
    ) - now())::float8 as seconds`.execute(db)
  return rows[0]!.seconds
}

/** Takes a calendar whose channel is past its half life or gone, even if another attempt is planned; none of `without`. */
export async function claimOldPush(
  db: Database,
  claim: Claim,
  without: readonly string[],
): Promise<CalendarRow | null> {
  const { rows } = await sql<CalendarRow>`
    with chosen as (
      select id from calendars c where deleted_at is null and ${pushLease.isFree} and id <> all(${without}::uuid[])
        and (push_due_at <= now() or not exists (
          select from calendar_channels h where h.calendar_id = c.id and h.stop_due_at is null and h.stopped_at is null
            and h.created_at + (h.expires_at - h.created_at) / 2 > now()))
      order by push_due_at limit 1 for no key update skip locked
    )
    update calendars set ${pushLease.acquired(claim)} from chosen where calendars.id = chosen.id returning calendars.*`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Null if another process has the claim, or the calendar is not connected. */
export async function claimPush(db: Database, calendarId: string, claim: Claim): Promise<CalendarRow | null> {
  const { rows } = await sql<CalendarRow>`
    update calendars set ${pushLease.acquired(claim)}
    where id = ${calendarId} and deleted_at is null and ${pushLease.isFree} returning *`.execute(db)
  return rows[0] ?? null
}

/** The `from` of the channel that is open; of several the newest. */
export const fromOpenChannel = (calendarId: RawBuilder<unknown>) => sql`
  from calendar_channels
  where calendar_id = ${calendarId} and stop_due_at is null and stopped_at is null and expires_at > now()
  order by created_at desc limit 1`

/** Undefined: the calendar is only polled. */
export async function openChannel(db: Database, calendarId: string): Promise<ChannelRow | undefined> {
  const { rows } = await sql<ChannelRow>`select * ${fromOpenChannel(sql`${calendarId}`)}`.execute(db)
  return rows[0]
}

export interface NewChannel {
  /** The id in notifications. */
  providerId: string
  resourceId: string | null
  token: string
  expiresAt: Date
}

/**
 * The channel of the calendar from now on; one with the same name is prolonged, any other one is to be stopped. False
 * if the lease is lost or the calendar is gone.
 */
export async function storeChannel(
  db: Database,
  calendar: Pick<CalendarRow, 'id' | 'platform'>,
  owner: string,
  channel: NewChannel,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const locked = await lockCalendar(tx, calendar.id)
    if (locked === undefined || locked.push_lease_owner !== owner) return false
    const { numUpdatedRows } = await tx
      .updateTable('calendar_channels')
      .set({ expires_at: channel.expiresAt, created_at: sql<Date>`now()` })
      .where('calendar_id', '=', calendar.id)
      .where('provider_id', '=', channel.providerId)
      .executeTakeFirst()
    const isProlonged = numUpdatedRows === 1n
    await tx
      .updateTable('calendar_channels')
      .set({ stop_due_at: sql<Date>`now()` })
      .where('calendar_id', '=', calendar.id)
      .where('provider_id', '<>', channel.providerId)
      .where('stop_due_at', 'is', null)
      .where('stopped_at', 'is', null)
      .execute()
    if (!isProlonged)
      await tx
        .insertInto('calendar_channels')
        .values({
          calendar_id: calendar.id,
          platform: calendar.platform,
          provider_id: channel.providerId,
          resource_id: channel.resourceId,
          token_hash: hashOf(channel.token),
          expires_at: channel.expiresAt,
        })
        .execute()
    await tx
      .updateTable('calendars')
      .set({
        push_state: 'on',
        push_message: null,
        push_due_at: sql<Date>`now() + (${channel.expiresAt}::timestamptz - now()) / 2`,
        push_lease_owner: null,
        push_lease_until: null,
        // Changes from before the channel was open are not notified.
        ...(!isProlonged && {
          sync_due_at: sql<Date>`least(sync_due_at, now())`,
          hinted_at: sql<Date>`clock_timestamp()`,
        }),
      })
      .where('id', '=', calendar.id)
      .execute()
    return true
  })
}

/** No channel was opened: when to try again, and why. */
export async function endPush(
  db: Database,
  calendarId: string,
  owner: string,
  end: { state: 'wanted' | 'off' | null; message: string; nextInSeconds: number },
): Promise<void> {
  const patch: CalendarPatch = end.state === null ? {} : { push_state: end.state }
  await db
    .updateTable('calendars')
    .set({
      ...patch,
      push_message: end.message,
      push_due_at: sql<Date>`now() + make_interval(secs => ${end.nextInSeconds})`,
      push_lease_owner: null,
      push_lease_until: null,
    })
    .where('id', '=', calendarId)
    .where('push_lease_owner', '=', owner)
    .execute()
}

export async function askForPush(db: Database, calendarId: string): Promise<void> {
  await db.updateTable('calendars').set({ push_due_at: sql<Date>`now()` }).where('id', '=', calendarId).execute()
}

/** Calendars that have no channel for this reason try again. */
export async function askForPushOf(db: Database, message: string): Promise<void> {
  await db
    .updateTable('calendars')
    .set({ push_due_at: sql<Date>`now()` })
    .where('push_state', '=', 'off')
    .where('push_message', '=', message)
    .where('deleted_at', 'is', null)
    .execute()
}

export type ChannelToStop = ChannelRow & { is_connected: boolean }

/** Channels to stop now, for as long as they can still deliver. Claimed again after ten minutes. */
export async function takeChannelsToStop(db: Database, limit: number, calendarId?: string): Promise<ChannelToStop[]> {
  const ofOne = calendarId === undefined ? sql`` : sql`and h.calendar_id = ${calendarId}`
  const { rows } = await sql<ChannelToStop>`
    with chosen as (
      select h.id, c.deleted_at is null as is_connected from calendar_channels h join calendars c on c.id = h.calendar_id
      where h.stop_due_at <= now() and h.stopped_at is null ${ofOne}
      order by h.stop_due_at limit ${limit} for no key update of h skip locked
    )
    update calendar_channels set stop_due_at = now() + interval '10 minutes' from chosen
    where calendar_channels.id = chosen.id returning calendar_channels.*, chosen.is_connected`.execute(db)
  return rows
}

export async function channelStopped(db: Database | Tx, channelId: string): Promise<void> {
  await db.updateTable('calendar_channels').set({ stopped_at: sql<Date>`now()` }).where('id', '=', channelId).execute()
}

/** Channels of a calendar that may still deliver, all of them to be stopped. */
export async function endChannels(tx: Tx, calendarId: string): Promise<ChannelRow[]> {
  return tx
    .updateTable('calendar_channels')
    .set({ stop_due_at: sql<Date>`now()` })
    .where('calendar_id', '=', calendarId)
    .where('stopped_at', 'is', null)
    .returningAll()
    .execute()
}

/** The channel that a notification names, also one that is about to be stopped; undefined if the token is not its own. */
export async function channelOf(
  db: Database,
  platform: string,
  providerId: string,
  token: string,
): Promise<ChannelRow | undefined> {
  return db
    .selectFrom('calendar_channels')
    .selectAll()
    .where('platform', '=', platform)
    .where('provider_id', '=', providerId)
    .where('token_hash', '=', hashOf(token))
    .where('stopped_at', 'is', null)
    .executeTakeFirst()
}

const hashOf = (token: string) => createHash('sha256').update(token).digest()
