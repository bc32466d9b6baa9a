import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../store/database.ts'
import {
  foldLedger,
  removeAuditEntries,
  removeDeliveries,
  removeHistories,
  removeMessages,
  removeNews,
  removeRequests,
} from '../../store/old-rows.ts'

/** Days. */
export interface KeptDays {
  deliveries: number
  histories: number
  ledger: number
  auditLog: number
}

/** Between two batches, so that the work of others comes first. */
const PAUSE_MS = 20

/** Removes rows that are kept no longer. Resolves with how many of each kind; when `signal` aborts, with those so far. */
export async function removeOldRows(
  db: Database,
  keep: KeptDays,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {}
  for (const [name, batch, days] of [
    ['deliveries', removeDeliveries, keep.deliveries],
    ['messages', removeMessages, keep.deliveries],
    ['event_inbox', removeNews, 0],
    ['histories', removeHistories, keep.histories],
    ['ledger', foldLedger, keep.ledger],
    ['request_log', removeRequests, 1],
    ['audit_log', removeAuditEntries, keep.auditLog],
  ] as const) {
    removed[name] = 0
    for (let count = -1; count !== 0 && !signal.aborted; await sleep(PAUSE_MS)) {
      count = await batch(db, days)
      removed[name] += count
    }
  }
  return removed
}
