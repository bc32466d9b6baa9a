/**
 * One transaction stores the difference, its effects on bots, the messages and the cursor, if lease and cursor are still
 * those of the beginning.
 */
import { meetingsIn } from '@standin/wire/meeting-links/index.ts'
import { writeCalendar } from '../store/calendars/calendars.ts'
import {
  markRemoved,
  readReportedEvents,
  readStoredEvents,
  upsertEvents,
  upsertSeries,
} from '../store/calendars/events.ts'
import { addMissingIntents } from '../store/calendars/intents.ts'
import { lockForSync } from '../store/calendars/syncs.ts'
import { nowOf } from '../store/clock.ts'
import type { Database, Tx } from '../store/database.ts'
import type { Claim } from '../store/row-lease.ts'
import type { CalendarRow } from '../store/rows/index.ts'
import { type FollowTools, followEvents } from './bots-of-events.ts'
import { type Difference, difference } from './difference.ts'
import type { FetchedChanges } from './fetch-changes.ts'
import { messagesOfSync } from './messages.ts'
import type { Changes } from './ports.ts'
import { statusChange } from './status.ts'
import { followSeries } from './successions.ts'
import { afterSync } from './sync-times.ts'

export interface StoreTools extends FollowTools {
  database: Database
}

/** Null if the lease was lost, or the cursor is another one: nothing is written. `read`: the calendar as it was claimed. */
export async function storeChanges(
  tools: StoreTools,
  read: CalendarRow,
  claim: Claim,
  changes: FetchedChanges,
): Promise<{ changed: number } | null> {
  return tools.database.transaction().execute(async (tx) => {
    const calendar = await lockForSync(tx, read.id, claim.owner, read.cursor)
    if (calendar === undefined) return null
    const change = await storeDifference(tx, tools, calendar, changes)
    if (changes.unreadable.length > 0)
      tools.log.warn(
        { team: calendar.team_id, calendar: calendar.id, events: changes.unreadable.length },
        'Events of a calendar could not be read',
      )
    const continuing = await followSeries(tx, tools.seals, calendar.id, change)
    const followed = [...change.news.keys(), ...continuing, ...(await addMissingIntents(tx, calendar.id))]
    await followEvents(tx, tools, calendar, { eventIds: followed, isEvery: changes.isFull })
    const now = await nowOf(tx)
    const isFirst = calendar.full_synced_at === null
    const sync = {
      number: calendar.syncs + 1,
      now,
      isFirst,
      events: await readReportedEvents(tx, [...change.news.keys()]),
      news: change.news,
    }
    const active = statusChange(calendar, 'active', null, now)
    await writeCalendar(tx, calendar.id, {
      patch: {
        ...active.patch,
        ...afterSync(calendar, read, changes.isFull, now),
        syncs: sync.number,
        cursor: changes.cursor,
        cursor_window_end: changes.isFull ? changes.window.end : calendar.cursor_window_end,
        sync_lease_owner: null,
        sync_lease_until: null,
        sync_failures: 0,
        sync_status: changes.unreadable.length === 0 ? 'success' : 'partial',
        sync_error: unreadableText(changes),
        synced_at: now,
        ...(changes.isFull && { full_synced_at: now }),
      },
      messages: [...active.messages, ...messagesOfSync(calendar, sync)],
    })
    return { changed: change.news.size }
  })
}

/** Null if every event could be read. */
function unreadableText({ unreadable }: Changes): string | null {
  const [first] = unreadable
  if (first === undefined) return null
  const count = unreadable.length === 1 ? 'One event' : `${unreadable.length} events`
  return `${count} of the provider could not be read; the first: ${first.providerId?.slice(0, 100) ?? 'without an id'}: ${first.problem}`
}

async function storeDifference(
  tx: Tx,
  { jitsiHosts }: StoreTools,
  calendar: CalendarRow,
  changes: FetchedChanges,
): Promise<Difference> {
  const { window } = changes
  const named = [...changes.removedIds, ...changes.events.map(({ providerId }) => providerId)]
  const stored = await readStoredEvents(tx, calendar.id, window.start, named)
  const change = difference(stored, changes, window, (url) => meetingsIn(url, { jitsiHosts })[0] ?? null)
  const seriesIds = await upsertSeries(tx, calendar.id, change.series)
  const writes = change.writes.map((write) => ({ ...write, series_id: seriesIds.get(write.series_id)! }))
  await upsertEvents(tx, calendar.id, writes)
  await markRemoved(tx, change.removed)
  return change
}
