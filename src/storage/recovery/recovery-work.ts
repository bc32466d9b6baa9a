/** The input and the shared steps of the recovery of an upload. */
import { crcHex } from '../crc32.ts'
import type { GrowthStart } from '../growth-journal.ts'
import type { ListedPart } from '../s3/listing.ts'
import type { S3Session } from '../s3/session.ts'
import type { GrownFormat, RecoveredFile } from './recovered.ts'

/** The rest of a growing file. Parts of the body are numbered from `room / partBytes + 1` on. */
export interface AbandonedUpload {
  start: GrowthStart
  uploadId: string | null
  /** Parts that the server has. */
  stored: Map<number, ListedPart>
  /** Parts on this machine, without the bytes after the last whole piece. */
  local: Map<number, { bytes: number; read(): Promise<Buffer> }>
}

export interface UploadRecovery {
  format: GrownFormat
  /** A bot of the same id is about to begin: what is finished here must not have the names that it will use. */
  asEarlier?: boolean
  /** Making the index again reads the whole object. When it takes longer than this, the file plays by its fragments. */
  indexLimitMs?: number
  /**
   * A bot waits for the recovery, which this ends, unless the upload is completed: then the file has the name of that bot's
   * own, and is brought to its place first. It is not read once more for its checksum.
   */
  limit?: AbortSignal
  signal: AbortSignal
}

/** One upload that is being finished. */
export interface Work {
  session: S3Session
  abandoned: AbandonedUpload
  options: UploadRecovery
  /** `limit` and `signal`: for what comes before the completion. */
  limited: AbortSignal
  earlierKey: string
  /** Where the finished file goes. */
  finalKey: string
  /** The object that exists under the name of the growing file, and is never replaced. */
  existing: { bytes: number } | null
}

export function fileOf(
  session: S3Session,
  start: GrowthStart,
  key: string,
  { bytes, value }: { bytes: number; value?: number },
  index: { seconds: number } | null,
): RecoveredFile {
  const original = start.s3!.key
  const folder = original.slice(0, original.length - start.name.length)
  return {
    name: key.slice(folder.length),
    location: `s3://${session.bucket}/${key}`,
    bytes,
    sha256: null,
    ...(value !== undefined && { crc32: crcHex({ bytes, value }) }),
    botId: folder.split('/').at(-2) ?? null,
    seconds: index?.seconds ?? null,
    index: index === null ? 'fragments' : 'whole',
    startedAt: start.startedAt,
  }
}
