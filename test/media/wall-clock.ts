import type { RecordedSpan } from '../../packages/core/recording.ts'
import { CLOCK_CYCLE_MS, type Measurement } from './probe.ts'
import { median } from './statistics.ts'
import { SOURCE, type ToneAndFlash } from './tone-and-flash.ts'

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

/** Age in milliseconds of a picture that shows `shownMs` on its clock at `instant`. */
export function pictureAgeMs(instant: number, shownMs: number): number {
  const age = (instant - shownMs) % CLOCK_CYCLE_MS
  return age > CLOCK_CYCLE_MS / 2 ? age - CLOCK_CYCLE_MS : age
}

/** How the tracks of one span lie to the truth, in milliseconds; positive is late. */
export interface SpanTiming {
  /** Median of how old the pictures are; half a step of their clock is taken off. */
  pictureMs: number
  /** Median of how late the beeps are. */
  soundMs: number
  beeps: number
}

/**
 * Compares what was recorded with what the source knows, span by span. Beeps near the ends of a span are left out,
 * because a pause may cut them in two.
 */
export function spanTimings(
  measured: Measurement,
  spans: readonly RecordedSpan[],
  source: Pick<ToneAndFlash, 'beatNear'>,
): SpanTiming[] {
  const within = (seconds: number, span: RecordedSpan, marginMs: number) => {
    const at = wallClockAt(spans, seconds)
    return at >= span.startedAt + marginMs && at < (span.endedAt ?? 0) - marginMs
  }
  return spans.map((span) => {
    const ages = (measured.video?.clock ?? [])
      .filter(({ seconds }) => within(seconds, span, 0))
      .map(({ seconds, shownMs }) => pictureAgeMs(wallClockAt(spans, seconds), shownMs) - SOURCE.counter.stepMs / 2)
    const late = measured.audio.beeps
      .filter((seconds) => within(seconds, span, 200))
      .map((seconds) => wallClockAt(spans, seconds) - source.beatNear(wallClockAt(spans, seconds)))
    return { pictureMs: median(ages), soundMs: median(late), beeps: late.length }
  })
}
