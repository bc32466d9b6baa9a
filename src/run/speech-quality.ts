/** How well the speakers of a recording are known. Pure. */
import { milliseconds } from '@standin/wire/time/written-time.ts'
import type { DiarizationSegment } from './timeline.ts'

/** Below this confidence the signals of a turn contradicted each other, or could not tell two people apart. */
const DOUBTFUL_BELOW = 0.55
/**
 * Pauses up to this length count as audible (the recorder detects a silence after 2 s), so no speaker is missing in
 * them.
 */
const HEARD_PAUSE_SECONDS = 2.5
/** Name of an unknown speaker. */
export const UNNAMED = 'Unknown'

/** Seconds of the recording. */
export interface Stretch {
  start: number
  end: number
}

export interface SpeechQuality {
  /** Audible time without a known speaker, and turns of `Unknown`. Music and noise count as audible. */
  speech_without_name_seconds: number
  /** Where the first of it begins, seconds of the recording; null if everything has a name. */
  first_unnamed_at: number | null
  /** Turns whose signals contradicted each other. */
  doubtful_seconds: number
  first_doubtful_at: number | null
}

/** `audible` are the stretches in which the recording is not silent. */
export function speechQuality(segments: readonly DiarizationSegment[], audible: readonly Stretch[]): SpeechQuality {
  const turns = segments.map((segment) => ({ ...segment, start: segment.start_time, end: segment.end_time }))
  const named = turns.filter(({ speaker }) => speaker !== UNNAMED)
  const heardOfNobody = without(audible, turns).filter(({ start, end }) => end - start > HEARD_PAUSE_SECONDS)
  const unnamed = [
    ...heardOfNobody,
    ...without(
      turns.filter(({ speaker }) => speaker === UNNAMED),
      named,
    ),
  ]
  const doubtful = joined(turns.filter(({ confidence }) => confidence < DOUBTFUL_BELOW))
  return {
    speech_without_name_seconds: length(joined(unnamed)),
    first_unnamed_at: first(unnamed),
    doubtful_seconds: length(doubtful),
    first_doubtful_at: first(doubtful),
  }
}

/** In order, none touching another. */
function joined(stretches: readonly Stretch[]): Stretch[] {
  const made: Stretch[] = []
  for (const { start, end } of [...stretches].sort((one, other) => one.start - other.start)) {
    const last = made.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else made.push({ start, end })
  }
  return made
}

/** The parts of `stretches` outside of `others`. */
function without(stretches: readonly Stretch[], others: readonly Stretch[]): Stretch[] {
  const holes = joined(others)
  return joined(stretches).flatMap((stretch) => {
    const left: Stretch[] = []
    let from = stretch.start
    for (const { start, end } of holes) {
      if (end <= from || start >= stretch.end) continue
      if (start > from) left.push({ start: from, end: start })
      from = Math.max(from, end)
    }
    return from < stretch.end ? [...left, { start: from, end: stretch.end }] : left
  })
}

function length(stretches: readonly Stretch[]): number {
  return milliseconds(stretches.reduce((sum, { start, end }) => sum + end - start, 0))
}

function first(stretches: readonly Stretch[]): number | null {
  const starts = stretches.map(({ start }) => start)
  return starts.length === 0 ? null : milliseconds(Math.min(...starts))
}
