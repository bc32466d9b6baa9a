import { rename, rm, stat } from 'node:fs/promises'
import { PRIMING_PACKETS, SAMPLES_PER_PACKET } from './adts.ts'
import { cutToWhole, readFragments } from './mp4-boxes.ts'
import { SAMPLE_RATE } from './settings.ts'

/** One recorded span on disk, whole to its last fragment. */
export interface Segment {
  path: string
  bytes: number
  /** Media time: pictures where there are any, samples of sound otherwise. */
  seconds: number
  /** What a kill left unfinished at the end and was cut off. */
  cutBytes: number
}

/** A file of which nothing plays: the encoder ended before its first fragment was whole. */
export interface UnfitSegment {
  path: string
  reason: string
  /** Where it is kept, if it holds anything at all. */
  keptAs: string | null
}

/** `0001.mp4`; sorts in order for longer than a recording can have pauses. */
export function segmentName(index: number): string {
  return `${String(index + 1).padStart(4, '0')}.mp4`
}

/** Measures a segment and cuts off its unfinished end. `framesPerSecond` is null where only sound is recorded. */
export async function inspectSegment(path: string, framesPerSecond: number | null): Promise<Segment | UnfitSegment> {
  let reason = 'it holds no complete fragment'
  try {
    const file = await readFragments(path)
    const seconds =
      framesPerSecond === null
        ? (Math.max(0, file.samples.audio - PRIMING_PACKETS) * SAMPLES_PER_PACKET) / SAMPLE_RATE
        : file.samples.video / framesPerSecond
    if (seconds > 0) {
      await cutToWhole(path, file)
      return { path, bytes: file.wholeBytes, seconds, cutBytes: file.bytes - file.wholeBytes }
    }
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error)
  }
  return { path, reason, keptAs: await putAside(path) }
}

export function isUnfit(segment: Segment | UnfitSegment): segment is UnfitSegment {
  return 'reason' in segment
}

async function putAside(path: string): Promise<string | null> {
  try {
    if ((await stat(path)).size === 0) {
      await rm(path)
      return null
    }
    await rename(path, `${path}.unfit`)
    return `${path}.unfit`
  } catch {
    // It was never made, or cannot be moved: it stays what and where it is.
    return null
  }
}
