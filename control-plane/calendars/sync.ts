/** One sync of a calendar: its changes are fetched and then stored; a failure is stored instead. */
import { randomUUID } from 'node:crypto'
import { whileHeld } from '../platform/lease.ts'
import type { Meters } from '../platform/meters.ts'
import { ProviderError } from '../platform/ports.ts'
import { changeCalendar } from '../store/calendars/calendars.ts'
import { syncLease } from '../store/calendars/syncs.ts'
import type { Claim } from '../store/row-lease.ts'
import type { CalendarRow } from '../store/rows/index.ts'
import { type FetchTools, fetchChanges } from './fetch-changes.ts'
import { lastingStatus, problemText, statusChange } from './status.ts'
import { type StoreTools, storeChanges } from './store-changes.ts'
import { afterFailure } from './sync-times.ts'

const LEASE_SECONDS = 60
/** Failures in a row after which a connection that may recover gets the status `error`. */
const FAILURES_UNTIL_ERROR = 5

export interface SyncTools extends FetchTools, StoreTools {
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
  const { database, log, meters } = tools
  const keep = () => syncLease.renew(database, calendar.id, claim)
  const fields = { team: calendar.team_id, calendar: calendar.id }
  const lease = { seconds: claim.leaseSeconds, keep, log, fields }
  try {
    const changes = await whileHeld(lease, () => fetchChanges(tools, calendar))
    const stored = await storeChanges(tools, calendar, claim, changes)
    if (stored !== null) return { outcome: 'stored', changed: stored.changed, isFull: changes.isFull }
    // Credentials may have been replaced. Release the lease so that their sync starts now.
    meters?.count('lease_losses', { work: 'calendar_sync', how: 'overtaken' })
    await syncLease.release(database, calendar.id, claim.owner)
    return { outcome: 'lost' }
  } catch (problem) {
    await storeFailure(tools, calendar, claim, problem)
    return { outcome: 'failed', problem }
  }
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
    error: problem instanceof ProviderError ? problem.kind : String(problem),
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
