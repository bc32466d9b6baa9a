/** The recording's own time: seconds since its first frame, pauses removed. Pure. */
import type { Gap } from '@standin/wire/events.ts'
import type { RecordedSpan } from '../../packages/core/recording.ts'

/** Seconds at a UTC instant (milliseconds); null before the recording, in a pause and after the end. */
export function offsetAt(spans: readonly RecordedSpan[], at: number): number | null {
  let recordedMs = 0
  for (const span of spans) {
    const end = span.endedAt ?? Number.POSITIVE_INFINITY
    if (at < span.startedAt) return null
    if (at <= end) return (recordedMs + at - span.startedAt) / 1000
    recordedMs += end - span.startedAt
  }
  return null
}

/** The recorded parts of a stretch of UTC time, as offsets in seconds; empty if it was not recorded. */
export function recordedParts(
  spans: readonly RecordedSpan[],
  from: number,
  to: number,
): { start: number; end: number; startedAt: number }[] {
  const parts: { start: number; end: number; startedAt: number }[] = []
  let recordedMs = 0
  for (const span of spans) {
    const spanEnd = span.endedAt ?? Number.POSITIVE_INFINITY
    const start = Math.max(from, span.startedAt)
    const end = Math.min(to, spanEnd)
    if (end > start) {
      const base = recordedMs - span.startedAt
      parts.push({ start: (base + start) / 1000, end: (base + end) / 1000, startedAt: start })
    }
    recordedMs += spanEnd - span.startedAt
  }
  return parts
}

/** The number of pauses that a command asked for. A gap at the beginning or the end is between no two spans. */
export function pausesOf(spans: readonly RecordedSpan[], gaps: readonly Gap[]): number {
  const [first, last] = [spans[0]?.startedAt ?? 0, spans.at(-1)?.startedAt ?? 0]
  const cuts = gaps.filter(({ reason }) => reason !== 'sound_lost')
  const between = cuts.map(({ started_at }) => Date.parse(started_at)).filter((at) => at >= first && at < last)
  return Math.max(0, spans.length - 1 - between.length)
}

/** Milliseconds recorded until `now`. */
export function recordedMs(spans: readonly RecordedSpan[], now: number): number {
  return spans.reduce((sum, span) => sum + Math.max(0, (span.endedAt ?? now) - span.startedAt), 0)
}
