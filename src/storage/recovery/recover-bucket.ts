/** Finds recordings whose bots were lost with their machines, and finishes them from the objects in the bucket. */
import { toError } from '@standin/wire/text/error-text.ts'
import { z } from 'zod'
import { type GrowthStart, growthStartSchema } from '../growth-journal.ts'
import { recordingFolder } from '../names.ts'
import { headOf } from '../s3/copy.ts'
import { type ListedUpload, listParts, listUploads } from '../s3/listing.ts'
import { readSmallObject } from '../s3/object.ts'
import { recoveryKey } from '../s3/recovery-object.ts'
import { type S3Config, S3Session, type S3Tuning } from '../s3/session.ts'
import { readTails } from '../s3/tail-objects.ts'
import { recoverUpload } from './recover-upload.ts'
import type { GrownFormat, Recovered, RecoveredFile } from './recovered.ts'
import type { AbandonedUpload } from './recovery-work.ts'

/** An unfinished recording, as a control plane sees it. */
export interface Abandoned {
  bot_id: string
  name: string
  key: string
  upload_id: string
  /** UTC, ISO 8601. */
  started_at: string
  /** When its bot last said that it lives. */
  last_seen_at: string
  /** Of the recording, in the bucket so far. */
  bytes: number
}

export interface BucketRecovery {
  format: GrownFormat
  /** Of all bots where absent. */
  botId?: string
  /** Milliseconds without a sign of life after which a bot is taken for dead. */
  olderThanMs: number
  tuning?: Partial<S3Tuning>
  signal: AbortSignal
}

const MAX_NOTE_BYTES = 4 * 1024 * 1024

/** The note of a bot about its upload. Not trusted: any writer of the bucket could have written it. */
const noteSchema = growthStartSchema.extend({
  uploadId: z.string(),
  // Where it is read from is where the file goes.
  s3: growthStartSchema.shape.s3.unwrap().pick({ key: true, checksums: true, partBytes: true }),
})

interface Found {
  listed: ListedUpload
  start: GrowthStart
  abandoned: Abandoned
  parts: Awaited<ReturnType<typeof listParts>>
}

/** Those whose bots have given no sign of life for long enough, oldest first. Changes nothing. */
export async function listAbandoned(config: S3Config, options: Omit<BucketRecovery, 'format'>): Promise<Abandoned[]> {
  const session = new S3Session(config, options.tuning)
  try {
    return (await find(session, options)).map(({ abandoned }) => abandoned)
  } finally {
    session.client.destroy()
  }
}

/** Finishes them. Recordings that cannot be finished are listed in `problems` and stay as they are. */
export async function recoverBucket(config: S3Config, options: BucketRecovery): Promise<Recovered> {
  const session = new S3Session(config, options.tuning)
  const recovered: Recovered = { files: [], problems: [] }
  try {
    for (const found of await find(session, options)) {
      try {
        options.signal.throwIfAborted()
        const file = await finish(session, found, options)
        if (file !== null) recovered.files.push(file)
      } catch (thrown) {
        recovered.problems.push({ name: found.listed.key, error: toError(thrown) })
      }
    }
    return recovered
  } finally {
    session.client.destroy()
  }
}

async function finish(
  session: S3Session,
  { listed, start, parts }: Found,
  options: BucketRecovery,
): Promise<RecoveredFile | null> {
  const { key, uploadId } = listed
  const { partBytes } = start.s3!
  const first = start.room / partBytes + 1
  const stored: typeof parts = new Map()
  // Parts after a gap cannot be joined to the parts before it, unless the tails fill the gap.
  for (let number = first; parts.get(number)?.bytes === partBytes; number++) stored.set(number, parts.get(number)!)
  const tail = await readTails(session, recoveryKey(key, uploadId), stored.size * partBytes, options.signal)
  const local: AbandonedUpload['local'] = new Map()
  for (let from = 0, number = first + stored.size; from < tail.length; from += partBytes, number++) {
    const part = tail.subarray(from, from + partBytes)
    local.set(number, { bytes: part.length, read: async () => part })
  }
  return recoverUpload(session, { start, uploadId, stored, local }, options)
}

async function find(session: S3Session, options: Omit<BucketRecovery, 'format'>): Promise<Found[]> {
  const { botId, olderThanMs, signal } = options
  const parts = [session.prefix, botId === undefined ? '' : recordingFolder(botId)].filter((part) => part !== '')
  const prefix = parts.map((part) => `${part}/`).join('')
  const found: Found[] = []
  for (const listed of await listUploads(session, prefix, signal)) {
    const noteKey = recoveryKey(listed.key, listed.uploadId)
    // Uploads without a note are of other programs, or of files that their bots still have on disk.
    const head = await headOf(session, noteKey, signal)
    if (head === null || Date.now() - head.modifiedAt < olderThanMs) continue
    const start = await readNote(session, noteKey, listed, signal)
    if (start === null) continue
    const stored = await listParts(session, listed.key, listed.uploadId, signal)
    const abandoned: Abandoned = {
      bot_id:
        listed.key
          .slice(0, -start.name.length - 1)
          .split('/')
          .at(-1) ?? '',
      name: start.name,
      key: listed.key,
      upload_id: listed.uploadId,
      started_at: new Date(start.startedAt).toISOString(),
      last_seen_at: new Date(head.modifiedAt).toISOString(),
      bytes: [...stored.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    }
    found.push({ listed, start, abandoned, parts: stored })
  }
  return found.sort((a, b) => a.start.startedAt - b.start.startedAt)
}

/** Null for an object that is no valid note, or is about another upload than the one beside it. */
async function readNote(
  session: S3Session,
  noteKey: string,
  { key, uploadId }: ListedUpload,
  signal: AbortSignal,
): Promise<GrowthStart | null> {
  const bytes = await readSmallObject(session, { step: 'read', key: noteKey, signal }, MAX_NOTE_BYTES)
  let parsed: ReturnType<typeof noteSchema.safeParse>
  try {
    parsed = noteSchema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch {
    return null
  }
  if (!parsed.success) return null
  const { uploadId: noted, s3, ...start } = parsed.data
  const fits = noted === uploadId && s3.key === key && key.endsWith(`/${start.name}`) && start.room % s3.partBytes === 0
  return fits ? { ...start, s3: { bucket: session.bucket, ...s3 } } : null
}
