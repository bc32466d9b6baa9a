/** A smaller difference from the driver's clock is the delay of a call. Milliseconds. */
const MAX_DELAY_MS = 1_000

let shiftMs = 0
/** How far the driver's clock is ahead of the document's own, by the call that was delayed least. */
let aheadMs = Number.NEGATIVE_INFINITY
let calls = 0

const ownTime = () => performance.timeOrigin + performance.now()

/**
 * UTC milliseconds as the driver counts them. They pass evenly, even if the machine's clock is set: a document keeps the
 * clock of its start, and the driver the clock of the bot's start.
 */
export function pageNow(): number {
  return Math.round(ownTime() + shiftMs)
}

/**
 * Follows the driver, which says its time (UTC milliseconds) at each poll. One call may have waited for a frozen page,
 * so the second decides.
 */
export function followDriver(now: number): void {
  aheadMs = Math.max(aheadMs, now - ownTime())
  calls += 1
  shiftMs = calls > 1 && Math.abs(aheadMs) > MAX_DELAY_MS ? aheadMs : 0
}

/** When this document began, by the same clock. */
export function documentStart(): number {
  return Math.round(performance.timeOrigin + shiftMs)
}
