/**
 * One sync of a calendar: every page is fetched outside of any transaction. Then one transaction stores the difference,
 * its effects on bots, the messages and the cursor, if lease and cursor are still those of the beginning.
 */
import { randomUUID } from 'node:crypto'
import { whileHeld } from '@standin/base/lease.ts'
import { meetingsIn } from '@standin/wire/meeting-links/index.ts'
import type { Meters } from '../meters.ts'
import type { CalendarRow } from '../rows/index.ts'
import { changeCalendar, writeCalendar } from '../store/calendars/calendars.ts'
import {
  markRemoved,
  readReportedEvents,
  readStoredEvents,
  upsertEvents,
  upsertSeries,
} from '../store/calendars/events.ts'
import { addMissingIntents } from '../store/calendars/intents.ts'
import { lockForSync, syncLease } from '../store/calendars/syncs.ts'
import { nowOf } from '../store/clock.ts'
import type { Database, Tx } from '../store/database.ts'
import type { Claim } from '../store/row-lease.ts'
import { type FollowTools, followEvents } from './bots-of-events.ts'
import { type Difference, difference } from './difference.ts'
import { messagesOfSync } from './messages.ts'
import {
  type CalendarPlatform,
  type CalendarProvider,
  type Changes,
  type ProviderEvent,
  ProviderProblem,
  type Window,
} from './ports.ts'
import { lastingStatus, problemText, statusChange } from './status.ts'
import { followSeries } from './successions.ts'
import { afterFailure, afterSync } from './sync-times.ts'
import type { Tokens } from './tokens.ts'

const WINDOW_DAYS = 30
const LEASE_SECONDS = 60
/** Failures in a row after which a connection that may recover gets the status `error`. */
const FAILURES_UNTIL_ERROR = 5

export interface SyncTools extends FollowTools {
  database: Database
  providers: Readonly<Record<CalendarPlatform, CalendarProvider>>
  tokens: Tokens
  meters?: Meters
  hasZoomApp?: boolean
}

export type SyncOutcome =
  | { outcome: 'stored'; changed: number; isFull: boolean }
  /** Another process took the calendar over, or it was disconnected: nothing was written. */
  | { outcome: 'lost' }
  | { outcome: 'failed'; problem: unknown }

export const newClaim = (): Claim => ({ owner: randomUUID(), leaseSeconds: LEASE_SECONDS })

/** `calendar` as it was claimed. Never rejects for an error of the provider; rejects if the database is down. */
export async function syncCalendar(tools: SyncTools, calendar: CalendarRow, claim: Claim): Promise<SyncOutcome> {
  const keep = () => syncLease.renew(tools.database, calendar.id, claim)
  const fields = { team: calendar.team_id, calendar: calendar.id }
  const window = windowOf(calendar)
  try {
    const lease = { seconds: claim.leaseSeconds, keep, log: tools.log, fields }
    const read = await whileHeld(lease, () => fetchChanges(tools, calendar, window))
    const changes = withSelf(read, calendar.account_email)
    const outcome = await store(tools, calendar, claim, window, changes)
    // Other credentials may have come meanwhile: their sync does not have to wait for the end of this lease.
    if (outcome.outcome === 'lost') {
      tools.meters?.count('lease_losses', { work: 'calendar_sync', how: 'overtaken' })
      await syncLease.release(tools.database, calendar.id, claim.owner)
    }
    return outcome
  } catch (problem) {
    await storeFailure(tools, calendar, claim, problem)
    return { outcome: 'failed', problem }
  }
}

/** Google marks the owner among the attendees, Microsoft does not. */
function withSelf(changes: Changes, account: string): Changes {
  const own = account.toLowerCase()
  const marked = (event: ProviderEvent): ProviderEvent => ({
    ...event,
    attendees: event.attendees.map((person) =>
      person.email.toLowerCase() === own ? { ...person, isSelf: true } : person,
    ),
  })
  return { ...changes, events: changes.events.map(marked) }
}

/** From the database's time at the claim on. */
function windowOf({ sync_started_at: startedAt }: CalendarRow): Window {
  const start = startedAt ?? new Date()
  return { start, end: new Date(start.getTime() + WINDOW_DAYS * 86_400_000) }
}

async function fetchChanges(tools: SyncTools, calendar: CalendarRow, window: Window): Promise<Changes> {
  const provider = tools.providers[calendar.platform as CalendarPlatform]
  const read = (cursor: string | null) =>
    tools.tokens.withToken(calendar.id, (token) =>
      provider.changes(token, calendar.raw_calendar_id, { cursor, window }),
    )
  const cursor = isFullDue(calendar) ? null : calendar.cursor
  try {
    return await read(cursor)
  } catch (problem) {
    const isGone = problem instanceof ProviderProblem && problem.kind === 'cursor_gone'
    if (!isGone || cursor === null) throw problem
    tools.log.info(
      { team: calendar.team_id, calendar: calendar.id },
      'The cursor of a calendar is dead: everything is read',
    )
    return read(null)
  }
}

function isFullDue({ full_due_at: dueAt, sync_started_at: startedAt }: CalendarRow): boolean {
  return startedAt === null || dueAt <= startedAt
}

async function store(
  tools: SyncTools,
  read: CalendarRow,
  claim: Claim,
  window: Window,
  changes: Changes,
): Promise<SyncOutcome> {
  return tools.database.transaction().execute(async (tx) => {
    const calendar = await lockForSync(tx, read.id, claim.owner, read.cursor)
    if (calendar === undefined) return { outcome: 'lost' }
    const change = await storeDifference(tx, tools, calendar, window, changes)
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
        cursor_window_end: changes.isFull ? window.end : calendar.cursor_window_end,
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
    return { outcome: 'stored', changed: change.news.size, isFull: changes.isFull }
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
  { jitsiHosts }: SyncTools,
  calendar: CalendarRow,
  window: Window,
  changes: Changes,
): Promise<Difference> {
  const named = [...changes.removedIds, ...changes.events.map(({ providerId }) => providerId)]
  const stored = await readStoredEvents(tx, calendar.id, window.start, named)
  const change = difference(stored, changes, window, (url) => meetingsIn(url, { jitsiHosts })[0] ?? null)
  const seriesIds = await upsertSeries(tx, calendar.id, change.series)
  const writes = change.writes.map((write) => ({ ...write, series_id: seriesIds.get(write.series_id)! }))
  await upsertEvents(tx, calendar.id, writes)
  await markRemoved(tx, change.removed)
  return change
}

async function storeFailure(
  { database, log }: SyncTools,
  read: CalendarRow,
  claim: Claim,
  problem: unknown,
): Promise<void> {
  const text = problemText(problem)
  const fields = {
    team: read.team_id,
    calendar: read.id,
    error: problem instanceof ProviderProblem ? problem.kind : String(problem),
  }
  log.warn(fields, 'A calendar could not be synced')
  await changeCalendar(database, read.id, (calendar, now) => {
    if (calendar.sync_lease_owner !== claim.owner) return null
    const failures = calendar.sync_failures + 1
    const status = lastingStatus(problem) ?? (failures >= FAILURES_UNTIL_ERROR ? 'error' : null)
    // The refused token may have set its own status by now.
    const keeps = status === null || (lastingStatus(problem) === null && calendar.status !== 'active')
    const change = keeps ? { patch: {}, messages: [] } : statusChange(calendar, status, text, now)
    return {
      patch: {
        ...change.patch,
        sync_due_at: afterFailure(problem, failures, now),
        sync_failures: failures,
        sync_status: 'failed',
        sync_error: text,
        sync_lease_owner: null,
        sync_lease_until: null,
      },
      messages: change.messages,
    }
  })
}
