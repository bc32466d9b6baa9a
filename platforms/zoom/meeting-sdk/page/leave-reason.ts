/**
 * Keeps why the bot left for the next document, because the SDK opens another page within a second
 * (docs/platform-notes/zoom.md#leaving-reasons).
 */
import type { SdkFactsStore } from './facts.ts'

const KEY = 'left'

export function keepLeaveReason({ facts }: Pick<SdkFactsStore, 'facts'>): void {
  sessionStorage.setItem(KEY, JSON.stringify(facts.left))
}

export function restoreLeaveReason(store: Pick<SdkFactsStore, 'tookUserLeave'>): void {
  try {
    const kept = sessionStorage.getItem(KEY)
    if (kept !== null) store.tookUserLeave(JSON.parse(kept))
  } catch {
    // Another page's storage, or none.
  }
}

export function forgetLeaveReason(): void {
  sessionStorage.removeItem(KEY)
}
