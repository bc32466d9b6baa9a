/** Which calendar an event or a series belongs to. */
import type { Database, Tx } from '../database.ts'

export function eventOf(
  db: Database | Tx,
  eventId: string,
): Promise<{ id: string; calendar_id: string; series_id: string } | undefined> {
  return db
    .selectFrom('calendar_events')
    .select(['id', 'calendar_id', 'series_id'])
    .where('id', '=', eventId)
    .executeTakeFirst()
}

export function seriesOfCalendar(db: Database | Tx, seriesId: string): Promise<{ calendar_id: string } | undefined> {
  return db.selectFrom('calendar_series').select('calendar_id').where('id', '=', seriesId).executeTakeFirst()
}
