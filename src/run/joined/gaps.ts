/** The gaps between the parts of a recording. Pure. */
import type { Gap } from '@standin/wire/events.ts'
import { milliseconds } from '@standin/wire/time/written-time.ts'
import type { PartFacts } from './part.ts'

/** Seconds; a first part that begins this much later than the recording did is the first one. */
const MIN_SECONDS = 1

/**
 * The gap before each part. `beganAt` (UTC milliseconds): when the recording began, where the first part may be lost; null
 * if that is not known.
 */
export function gapsBetween(parts: readonly PartFacts[], beganAt: number | null): (Gap | null)[] {
  let offset = 0
  return parts.map((part, place) => {
    const before = parts[place - 1]
    const from = before === undefined ? beganAt : before.endedAt
    const to = part.spans[0]!.startedAt
    if (before !== undefined) offset += before.seconds
    const seconds = from === null ? 0 : (to - from) / 1000
    const isWanted = before === undefined ? seconds >= MIN_SECONDS : seconds > 0 && !before.isPausedAtEnd
    if (!isWanted || from === null) return null
    const [started_at, ended_at] = [new Date(from).toISOString(), new Date(to).toISOString()]
    return { started_at, ended_at, offset: milliseconds(offset), seconds: milliseconds(seconds), reason: 'bot_died' }
  })
}

/** All gaps of the whole recording, in order. */
export function allGaps(parts: readonly PartFacts[], before: readonly (Gap | null)[]): Gap[] {
  let base = 0
  return parts.flatMap((part, place) => {
    const own = part.gaps.map((gap) => ({ ...gap, offset: milliseconds(gap.offset + base) }))
    base += part.seconds
    const gap = before[place] ?? null
    return gap === null ? own : [gap, ...own]
  })
}
