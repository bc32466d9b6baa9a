/** The input and the shared steps of the recovery of an upload. */
import { createHash } from 'node:crypto'
import { type Crc, continueCrc, crcHex, EMPTY_CRC } from '../crc32.ts'
import type { GrowthStart, StoredPart } from '../growth-journal.ts'
import type { ListedPart } from '../s3/listing.ts'
import type { OutgoingPart } from '../s3/part-sender.ts'
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
  /** The finished file must not have the name that a new recording will use. */
  asEarlier?: boolean
  /** Making the index again reads the whole object. When it takes longer than this, the file plays by its fragments. */
  indexLimitMs?: number
  signal: AbortSignal
}

/** One upload that is being finished. */
export interface Work {
  session: S3Session
  abandoned: AbandonedUpload
  options: UploadRecovery
  /** Where the finished file goes. */
  finalKey: string
  /** The object that exists under the name of the growing file, and is never replaced. */
  existing: { bytes: number } | null
}

/** A part that goes as those before it went: S3 wants checksums of all parts of an upload, or of none. */
export function outgoing(
  { s3 }: GrowthStart,
  number: number,
  body: Buffer,
  onStored: (part: StoredPart) => void,
): OutgoingPart {
  const withSha256 = s3?.checksums === 'when_supported'
  return {
    number,
    bytes: body.length,
    crc: continueCrc(EMPTY_CRC, body),
    md5: createHash('md5').update(body).digest(),
    sha256: withSha256 ? createHash('sha256').update(body).digest() : null,
    read: async () => body,
    onStored: async (part) => onStored(part),
  }
}

export function fileOf(
  session: S3Session,
  start: GrowthStart,
  key: string,
  whole: Crc,
  index: { seconds: number } | null,
): RecoveredFile {
  const original = start.s3!.key
  const folder = original.slice(0, original.length - start.name.length)
  return {
    name: key.slice(folder.length),
    location: `s3://${session.bucket}/${key}`,
    bytes: whole.bytes,
    sha256: null,
    crc32: crcHex(whole),
    botId: folder.split('/').at(-2) ?? null,
    seconds: index?.seconds ?? null,
    index: index === null ? 'fragments' : 'whole',
    startedAt: start.startedAt,
  }
}
