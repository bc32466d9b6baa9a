/** The result of recovery, and the facts that it needs about the format of growing files. */
import type { StoredFile } from '../../../packages/core/recording.ts'
import type { S3Config } from '../s3/session.ts'

/** Given by the recorder, which makes the growing files; storage knows bytes only. */
export interface GrownFormat {
  /** Makes the head again from a body as it was left. Rejects if nothing in it plays. */
  indexBody(
    recoveryHead: Uint8Array,
    body: AsyncIterable<Uint8Array>,
  ): Promise<{
    /** The body is to be cut off there. */
    wholeBytes: number
    seconds: number
    /** Exactly `room` bytes, or as short as it can be. */
    makeHead(room: number | null): Uint8Array
  }>
}

export interface RecoveredFile extends StoredFile {
  botId: string | null
  /** Of media; null if the file could not be looked through. */
  seconds: number | null
  /** `fragments`: it plays by the heads of its fragments, since its index could not be made again. */
  index: 'whole' | 'fragments'
  /** UTC milliseconds at which it began to grow. */
  startedAt: number
}

export interface Recovered {
  files: RecoveredFile[]
  /** Files that could not be finished; they stay where they were. */
  problems: { name: string; error: Error }[]
  /** Where they are in S3, without keys; absent for a folder. Files beside them on this machine belong there too. */
  bucket?: S3Config
}

/** `earlier-2026-11-21T20-15-00.000Z/video.mp4`: where a file of an earlier life goes so as not to replace a newer one. */
export function earlierName(name: string, startedAt: number): string {
  return `earlier-${new Date(startedAt).toISOString().replaceAll(':', '-')}/${name}`
}
