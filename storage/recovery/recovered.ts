/** What recovery gives back, and what it has to be told of the format of what grew. */
import type { StoredFile } from '../../src/ports.ts'
import type { S3Config } from '../s3/session.ts'

/** Whoever makes the growing files knows this; storage knows bytes only. */
export interface GrownFormat {
  /** Makes the head again from a body as it was left. Rejects where nothing in it plays. */
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
  /** Of media; null where the file could not be looked through. */
  seconds: number | null
  /** `fragments`: it plays by the heads of its fragments, since its index could not be made again. */
  index: 'whole' | 'fragments'
  /** UTC milliseconds at which it began to grow. */
  startedAt: number
}

export interface Recovered {
  files: RecoveredFile[]
  /** What could not be finished and still waits where it was. */
  problems: { name: string; error: Error }[]
  /** Where they went in S3, without keys; absent for a folder. What lies beside them on this machine belongs there too. */
  bucket?: S3Config
}

/** `earlier-2026-11-21T20-15-00.000Z/video.mp4`: where a file of an earlier life goes so as not to replace a newer one. */
export function earlierName(name: string, startedAt: number): string {
  return `earlier-${new Date(startedAt).toISOString().replaceAll(':', '-')}/${name}`
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
