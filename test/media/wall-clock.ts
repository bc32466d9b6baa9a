import type { RecordedSpan } from '../../src/ports.ts'
import { CLOCK_CYCLE_MS } from './probe.ts'

/** The UTC instant, in milliseconds, of a second of the joined recording. */
export function wallClockAt(spans: readonly RecordedSpan[], seconds: number): number {
  let passed = 0
  for (const [index, span] of spans.entries()) {
    const length = ((span.endedAt ?? Number.POSITIVE_INFINITY) - span.startedAt) / 1000
    // Half a millisecond, because instants of spans are whole milliseconds and frames are not.
    if (seconds < passed + length - 0.0005 || index === spans.length - 1) {
      return span.startedAt + (seconds - passed) * 1000
    }
    passed += length
  }
  throw new Error('There are no spans')
}

/** By how much a picture that shows a certain time of its clock is older than the instant it stands for. */
export function pictureAgeMs(instant: number, shownMs: number): number {
  const age = (instant - shownMs) % CLOCK_CYCLE_MS
  return age > CLOCK_CYCLE_MS / 2 ? age - CLOCK_CYCLE_MS : age
}
