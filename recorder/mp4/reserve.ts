import type { Track } from './fragment-reader.ts'
import { GrowingMovie } from './growing-movie.ts'

/** Bytes that an index takes for each sample, key picture and chunk; a chunk also if it is unlike the one before. */
const SAMPLE_BYTES = 4
const KEY_BYTES = 4
const CHUNK_BYTES = 8 + 12
/** Half a second is the length of a fragment; every pause and every key picture may make one shorter. */
const CHUNKS_PER_SECOND = 2.5
const KEYS_PER_SECOND = 1
const SLACK_BYTES = 4096

/** How much room to leave for the head of a file of so many seconds. */
export function reserveBytes(
  tracks: readonly Track[],
  seconds: number,
  samplesPerSecond: (kind: Track['kind']) => number,
): number {
  const perSecond = tracks.map(
    ({ kind }) =>
      samplesPerSecond(kind) * SAMPLE_BYTES +
      CHUNKS_PER_SECOND * CHUNK_BYTES +
      (kind === 'video' ? KEYS_PER_SECOND * KEY_BYTES : 0),
  )
  const empty = new GrowingMovie(tracks).recoveryHead().length
  return empty + SLACK_BYTES + Math.ceil(seconds * perSecond.reduce((sum, bytes) => sum + bytes, 0))
}
