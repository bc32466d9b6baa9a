/** Judges what is left of a recording of the tone-and-flash source, whose pictures show the time at which they were painted. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CLOCK_CYCLE_MS, measure, pictureClockAfterSeek } from '../../test/media/probe.ts'

const run = promisify(execFile)
/** A picture is captured every 40 ms, of a clock that a busy machine paints late. */
const SAME_MOMENT_MS = 250
/** All that comes after a longer hole than this is counted as lost. */
const MAX_STEP_MS = 2_500

export interface Verdict {
  plays: boolean
  seeks: boolean
  seconds: number
  /** Seconds from the last picture until the intended end. */
  lostSeconds: number
  /** Seconds of the longest gap in the middle. */
  holeSeconds: number
  complaint: string | null
}

/** `until` is the UTC instant in milliseconds up to which the recording should go. */
export async function judge(path: string, until: number): Promise<Verdict> {
  try {
    const { stderr } = await run('ffmpeg', ['-v', 'error', '-i', path, '-f', 'null', '-'])
    const { video, durationSeconds, audio } = await measure(path)
    const clock = readable(video?.clock ?? [])
    const last = clock.at(-1)
    if (last === undefined) throw new Error('there is no picture')
    let seeks = true
    for (const share of [0.25, 0.5, 0.9]) {
      const at = clock[Math.floor(clock.length * share)]!
      const shown = await pictureClockAfterSeek(path, at.seconds)
      if (Math.abs(apart(shown, at.shownMs)) > SAME_MOMENT_MS) seeks = false
    }
    const steps = clock.slice(1).map(({ shownMs }, index) => apart(shownMs, clock[index]!.shownMs))
    const soundMissing = Math.abs(audio.seconds - durationSeconds)
    return {
      plays: stderr === '' && soundMissing < 0.2,
      seeks,
      seconds: durationSeconds,
      lostSeconds: apart(until % CLOCK_CYCLE_MS, last.shownMs) / 1000,
      holeSeconds: Math.max(...steps) / 1000,
      complaint: stderr.split('\n')[0] || (soundMissing < 0.2 ? null : `sound and picture differ by ${soundMissing} s`),
    }
  } catch (error) {
    const complaint = error instanceof Error ? error.message.split('\n')[0]! : String(error)
    return { plays: false, seeks: false, seconds: 0, lostSeconds: Number.NaN, holeSeconds: Number.NaN, complaint }
  }
}

/**
 * Leaves out black pictures, as before the clock is painted first, and half-painted ones, as when the display crashes:
 * they show a random time, and the pictures after them continue from the one before.
 */
function readable<Picture extends { shownMs: number }>(pictures: readonly Picture[]): Picture[] {
  const read: Picture[] = []
  for (const picture of pictures) {
    const before = read.at(-1)
    const step = before ? apart(picture.shownMs, before.shownMs) : 0
    if (picture.shownMs > 0 && step >= 0 && step <= MAX_STEP_MS) read.push(picture)
  }
  return read
}

/** Milliseconds from the second to the first, on a clock that wraps around. */
function apart(later: number, earlier: number): number {
  const difference = (later - earlier) % CLOCK_CYCLE_MS
  return difference > CLOCK_CYCLE_MS / 2
    ? difference - CLOCK_CYCLE_MS
    : difference < -CLOCK_CYCLE_MS / 2
      ? difference + CLOCK_CYCLE_MS
      : difference
}
