/** When calendars are synced, and by whom. One process holds the lease of a sync; pushes are hints that make it due. */
import { sql } from 'kysely'
import type { Database, Tx } from '../database.ts'
import { type Claim, RowLease } from '../row-lease.ts'
import type { CalendarRow } from '../rows/index.ts'

export const syncLease = new RowLease('calendars', 'sync_lease')
const started = (claim: Claim) => sql`${syncLease.acquired(claim)}, sync_started_at = now()`

/** Takes calendars whose sync is due, those that wait longest first. `sync_started_at` is the time of the claim. */
export async function claimDueSyncs(db: Database, claim: Claim, limit: number): Promise<CalendarRow[]> {
  const { rows } = await sql<CalendarRow>`
    with chosen as (
      select id from calendars
      where deleted_at is null and sync_due_at <= now() and ${syncLease.isFree}
      order by sync_due_at limit ${limit} for no key update skip locked
    )
    update calendars set ${started(claim)} from chosen where calendars.id = chosen.id returning calendars.*`.execute(db)
  return rows
}

/** Takes one calendar, due or not. Null if another sync of it is under way, or it is not connected. */
export async function claimSync(db: Database, calendarId: string, claim: Claim): Promise<CalendarRow | null> {
  const { rows } = await sql<CalendarRow>`
    update calendars set ${started(claim)}
    where id = ${calendarId} and deleted_at is null and ${syncLease.isFree} returning *`.execute(db)
  return rows[0] ?? null
}

/** The calendar for the rest of the transaction, if the lease is still held and the cursor is the one that was read. */
export function lockForSync(
  tx: Tx,
  calendarId: string,
  owner: string,
  cursor: string | null,
): Promise<CalendarRow | undefined> {
  return tx
    .selectFrom('calendars')
    .selectAll()
    .where('id', '=', calendarId)
    .where('deleted_at', 'is', null)
    .where('sync_lease_owner', '=', owner)
    .where('cursor', 'is not distinct from', cursor)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** A push: a sync in so many seconds, or once more after the one that is under way. */
export async function hintSync(db: Database, calendarId: string, seconds: number): Promise<void> {
  await db
    .updateTable('calendars')
    .set({
      hinted_at: sql<Date>`clock_timestamp()`,
      sync_due_at: sql<Date>`least(sync_due_at, now() + make_interval(secs => ${seconds}))`,
    })
    .where('id', '=', calendarId)
    .where('deleted_at', 'is', null)
    .execute()
}

/** A full sync now, or once more after the sync that is under way. The database's time. */
export async function askForFullSync(db: Database, calendarId: string): Promise<Date | null> {
  const row = await db
    .updateTable('calendars')
    .set({ full_due_at: sql<Date>`clock_timestamp()`, sync_due_at: sql<Date>`now()` })
    .where('id', '=', calendarId)
    .where('deleted_at', 'is', null)
    .returning('full_due_at')
    .executeTakeFirst()
  return row?.full_due_at ?? null
}

export interface CalendarGauges {
  byStatus: { status: string; count: number }[]
  /** Seconds that the sync that waits longest is past its time; 0 without any. */
  latestSyncSeconds: number
  /**
   * Seconds since the sync of the calendar that was synced longest ago; 0 without any. Calendars that a person has to
   * reconnect are left out.
   */
  oldestSyncSeconds: number
  /** Connected calendars whose changes are polled only. */
  withoutPush: number
}

export async function readCalendarGauges(db: Database): Promise<CalendarGauges> {
  const { rows } = await sql<{ status: string; count: number; late: number; age: number; polled: number }>`
    select status, count(*) as count,
      coalesce(extract(epoch from now() - min(sync_due_at)), 0)::float8 as late,
      coalesce(extract(epoch from now() - min(coalesce(synced_at, created_at)) filter (where status in ('active', 'error'))), 0)::float8
        as age,
      count(*) filter (where push_state <> 'on') as polled
    from calendars where deleted_at is null group by status`.execute(db)
  return {
    byStatus: rows.map(({ status, count }) => ({ status, count })),
    latestSyncSeconds: Math.max(0, ...rows.map(({ late }) => late)),
    oldestSyncSeconds: Math.max(0, ...rows.map(({ age }) => age)),
    withoutPush: rows.reduce((sum, { polled }) => sum + polled, 0),
  }
}
