/** Finishes an upload whose bot is dead: from what the server has, and from what its spool held on this machine. */

import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { type Crc, continueCrc, EMPTY_CRC, joinCrc } from '../crc32.ts'
import { StorageError } from '../error.ts'
import { READ_NO_LINK } from '../folder/file-writing.ts'
import type { Growth } from '../growth-journal.ts'
import { padHead } from '../moov-reserve.ts'
import { CompleteUpload } from '../s3/complete-upload.ts'
import { asListed, listParts, listUploads } from '../s3/listing.ts'
import { abortUpload } from '../s3/multipart.ts'
import { PartSender, partOf } from '../s3/part-sender.ts'
import { partPath } from '../s3/part-spool.ts'
import { recoveryKey, removeObject } from '../s3/recovery-object.ts'
import { type S3Config, S3Session, type S3Tuning } from '../s3/session.ts'
import { removeTails } from '../s3/tail-objects.ts'
import { completeStored, putBack } from './recover-stored-parts.ts'
import { earlierName, type RecoveredFile } from './recovered.ts'
import { type AbandonedUpload, fileOf, type UploadRecovery, type Work } from './recovery-work.ts'

/** Recovers an upload from its journal and spool. Null if nothing was recorded or the file is complete already. */
export async function recoverSpooledUpload(
  folder: string,
  growth: Growth,
  options: UploadRecovery & {
    credentials?: Pick<S3Config, 'access_key_id' | 'secret_access_key' | 'session_token'>
    endpoint?: string | null
    tuning?: Partial<S3Tuning>
  },
): Promise<RecoveredFile | null> {
  const { partBytes, key: _, ...place } = growth.start.s3!
  if (options.endpoint !== undefined && (place.endpoint ?? null) !== options.endpoint)
    throw new StorageError('access', 'The recording was for another S3 endpoint than that of this job')
  const session = new S3Session({ type: 's3', ...place, ...options.credentials }, { ...options.tuning, partBytes })
  try {
    return await recoverUpload(session, await abandonedOf(folder, growth), options)
  } finally {
    session.client.destroy()
  }
}

async function abandonedOf(folder: string, growth: Growth): Promise<AbandonedUpload> {
  const { start, wholeBytes, uploadId } = growth
  const { partBytes } = start.s3!
  const noted = new Map(growth.parts.map((part) => [part.number, asListed(part)]))
  const stored: AbandonedUpload['stored'] = new Map()
  const local: AbandonedUpload['local'] = new Map()
  const present = new Set(await readdir(folder))
  const first = start.room / partBytes + 1
  // What comes after a gap cannot be joined to what is before it.
  for (let left = wholeBytes, number = first; left > 0; left -= partBytes, number++) {
    const there = noted.get(number)
    if (there !== undefined) {
      stored.set(number, there)
      continue
    }
    const file = partPath(folder, number)
    if (!present.has(path.basename(file))) break
    const bytes = Math.min(left, partBytes, (await stat(file)).size)
    local.set(number, { bytes, read: async () => (await readFile(file, { flag: READ_NO_LINK })).subarray(0, bytes) })
    if (bytes < Math.min(left, partBytes)) break
  }
  // The server has parts: it is not an upload of which nothing was stored.
  if (stored.size === 0 && local.size === 0 && noted.size > 0)
    throw new StorageError('corrupted', `The journal of ${start.name} lacks its first part`)
  return { start, uploadId, stored, local }
}

export async function recoverUpload(
  session: S3Session,
  abandoned: AbandonedUpload,
  options: UploadRecovery,
): Promise<RecoveredFile | null> {
  const { start, uploadId } = abandoned
  const { key } = start.s3!
  const { signal, limit = signal } = options
  const limited = AbortSignal.any([signal, limit])
  limited.throwIfAborted()
  const existing = await putBack(session, key, limited)
  const earlierKey = `${key.slice(0, key.length - start.name.length)}${earlierName(start.name, start.startedAt)}`
  const finalKey = existing !== null || options.asEarlier === true ? earlierKey : key
  const work: Work = { session, abandoned, options, limited, earlierKey, finalKey, existing }
  const file = abandoned.stored.size === 0 ? await storeLocal(work) : await completeStored(work)
  if (uploadId !== null) await removeNote(session, recoveryKey(key, uploadId), signal)
  else await abortEmpty(session, key, signal)
  return file
}

async function removeNote(session: S3Session, noteKey: string, signal: AbortSignal): Promise<void> {
  await removeTails(session, noteKey, signal)
  await removeObject(session, noteKey)
}

/** The bot crashed after the start of its upload, before it noted it. Best effort: listing needs a separate permission. */
async function abortEmpty(session: S3Session, key: string, signal: AbortSignal): Promise<void> {
  try {
    for (const { key: found, uploadId } of await listUploads(session, key, signal)) {
      if (found !== key || (await listParts(session, key, uploadId, signal)).size > 0) continue
      await abortUpload(session, key, uploadId)
      await removeNote(session, recoveryKey(key, uploadId), signal)
    }
  } catch {
    // The lifecycle rule of docs/storage.md removes it.
  }
}

/** The server has no part: all bytes are here, so the file is uploaded as if it had just been recorded. */
async function storeLocal({
  session,
  abandoned,
  options,
  limited: signal,
  finalKey,
}: Work): Promise<RecoveredFile | null> {
  const { start, uploadId, local } = abandoned
  const { partBytes, key } = start.s3!
  let file: RecoveredFile | null = null
  if (local.size > 0) {
    const recoveryHead = Buffer.from(start.recoveryHead, 'base64')
    const index = await options.format.indexBody(recoveryHead, readLocal(local)).catch(() => null)
    const bodyBytes = index?.wholeBytes ?? [...local.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    const makeHead = index?.makeHead ?? ((room: number | null) => (room ? padHead(recoveryHead, room) : recoveryHead))
    const sender = new PartSender(session, { key: finalKey, contentType: start.contentType }, async () => {})
    const upload = new CompleteUpload(session, { key: finalKey, contentType: start.contentType, partBytes }, sender)
    let whole: Crc
    if (bodyBytes <= partBytes) {
      const body = (await [...local.values()][0]!.read()).subarray(0, bodyBytes)
      const content = Buffer.concat([makeHead(null), body])
      whole = continueCrc(EMPTY_CRC, content)
      await upload.putWhole(content, signal)
    } else {
      const head = makeHead(start.room)
      whole = continueCrc(EMPTY_CRC, head)
      let left = bodyBytes
      for (const [number, part] of local) {
        const body = (await part.read()).subarray(0, left)
        left -= body.length
        if (body.length === 0) break
        whole = joinCrc(whole, continueCrc(EMPTY_CRC, body))
        sender.add(partOf(number, body, session.withChecksums, (stored) => upload.note(stored)))
      }
      await upload.complete(head, whole, signal)
    }
    await sender.stop()
    file = fileOf(session, start, finalKey, whole, index)
  }
  if (uploadId !== null) await abortUpload(session, key, uploadId)
  return file
}

async function* readLocal(local: AbandonedUpload['local']): AsyncGenerator<Buffer> {
  for (const part of local.values()) yield await part.read()
}
