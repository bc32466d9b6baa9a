/** `poster.jpg`: what players and lists show of a recording until it plays. */
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { POSTER } from '@standin/wire/file-names.ts'
import type { TakePicture } from '../../packages/core/ports.ts'
import type { Storage } from '../../packages/core/recording.ts'
import type { DiarizationSegment } from './timeline.ts'

/** The name and the frame of an active speaker appear some moments after the first word. Seconds. */
const INTO_TURN = 1
/** Of the stored video: its index, and the first minutes at least. */
const READ_BYTES = 32 * 1024 * 1024
const DEADLINE_MS = 15_000

type Turn = Pick<DiarizationSegment, 'start_time' | 'end_time'>

/** The position of the poster, in seconds: the first speaker instead of a black picture. */
export function posterAt(turns: readonly Turn[], seconds: number): number {
  const [first] = turns.toSorted((one, other) => one.start_time - other.start_time)
  if (!first) return seconds / 2
  const into = Math.min(INTO_TURN, (first.end_time - first.start_time) / 2)
  return Math.max(0, Math.min(first.start_time + into, seconds))
}

interface PosterParts {
  workFolder: string
  takePicture: TakePicture
  /** Absent: the video is in the folder. */
  storage?: Pick<Storage, 'fetch'>
}

/**
 * Makes the poster of `video.mp4` in the folder. Rejects if it cannot, as where nobody spoke within what is read of a long
 * video; nothing depends on it.
 */
export async function makePoster({ workFolder, takePicture, storage }: PosterParts, at: number): Promise<void> {
  const inWork = (name: string) => join(workFolder, name)
  const signal = AbortSignal.timeout(DEADLINE_MS)
  const [read, made] = [inWork('.poster.mp4'), inWork('.poster.jpg')]
  try {
    await storage?.fetch('video.mp4', read, signal, READ_BYTES)
    await takePicture(storage === undefined ? inWork('video.mp4') : read, { at, target: made }, signal)
    await rename(made, inWork(POSTER))
  } finally {
    await Promise.all([read, made].map((path) => rm(path, { force: true })))
  }
}
