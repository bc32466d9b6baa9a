/** Completes an upload of which the server has parts, and makes of it what its bot would have made. */
import { CompleteMultipartUploadCommand } from '@aws-sdk/client-s3'
import { type Crc, CutCrc, continueCrc, EMPTY_CRC, joinCrc } from '../crc32.ts'
import { StorageError } from '../error.ts'
import { padHead } from '../moov-reserve.ts'
import { composeObject, headOf, moveObject } from '../s3/copy.ts'
import { asListed, listParts } from '../s3/listing.ts'
import { readObject } from '../s3/object.ts'
import { PartSender, partOf } from '../s3/part-sender.ts'
import { removeObject } from '../s3/recovery-object.ts'
import type { S3Session } from '../s3/session.ts'
import type { RecoveredFile } from './recovered.ts'
import { fileOf, type Work } from './recovery-work.ts'

/** For the return of a file to its name, which no other limit may prevent. */
const PUT_BACK_MS = 60_000

/**
 * Parts can only be completed under the key for which they were begun; the file goes on from there. Null if all that has
 * happened already. May be repeated wherever it was interrupted, but for a file that was made shorter in its place.
 */
export async function completeStored(work: Work): Promise<RecoveredFile | null> {
  const { session, abandoned, options, existing, earlierKey, limited } = work
  const { start, uploadId, stored, local } = abandoned
  const { key, partBytes } = start.s3!
  const bodyBytes = [...stored.values(), ...local.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  const wholeBytes = start.room + bodyBytes
  const place = `s3://${session.bucket}/${key}`
  try {
    if (uploadId !== null && !(await isUploadGone(session, key, uploadId, limited))) {
      if (existing !== null) await keepAside(session, key, existing.bytes, limited)
      const recoveryHead = Buffer.from(start.recoveryHead, 'base64')
      await completeWithFragments(work, uploadId, padHead(recoveryHead, start.room), partBytes)
      const head = await headOf(session, key, options.signal)
      if (head?.bytes !== wholeBytes)
        throw new StorageError('corrupted', `${place} holds ${head?.bytes} bytes instead of ${wholeBytes}`)
    } else {
      // Killed between the completion and the note of it; with something kept aside, before the file left that name.
      const isAtKey = existing?.bytes === wholeBytes
      const isThere = async (at: string) => (await headOf(session, at, limited)) !== null
      if (!isAtKey && (await isThere(earlierKey))) return null
      if (!isAtKey) throw new StorageError('missing', `${place} is not the recording, and there is no upload of it`)
      if (options.asEarlier !== true && !(await isThere(keptKey(key)))) return null
    }
    return await indexObject(work, wholeBytes)
  } finally {
    if (existing !== null) await putBack(session, key, AbortSignal.timeout(PUT_BACK_MS))
  }
}

const keptKey = (key: string) => `${key}.kept`

/** Makes room for a completion. */
async function keepAside(session: S3Session, key: string, bytes: number, signal: AbortSignal): Promise<void> {
  const kept = await headOf(session, keptKey(key), signal)
  // Of the same length: it was interrupted between its copy and its removal.
  if (kept !== null && kept.bytes !== bytes)
    throw new StorageError('invalid', `s3://${session.bucket}/${keptKey(key)} would be overwritten. Move it away.`)
  await moveObject(session, key, keptKey(key), signal)
}

/** Returns what was kept aside to its name, if that is free. Resolves with what has the name now. */
export async function putBack(session: S3Session, key: string, signal: AbortSignal): Promise<{ bytes: number } | null> {
  const existing = await headOf(session, key, signal)
  const kept = existing === null ? await headOf(session, keptKey(key), signal) : null
  if (kept !== null) await moveObject(session, keptKey(key), key, signal)
  return existing ?? kept
}

async function completeWithFragments(
  { session, abandoned, options, limited }: Work,
  uploadId: string,
  head: Uint8Array,
  partBytes: number,
): Promise<void> {
  const { start, stored, local } = abandoned
  const { key } = start.s3!
  const parts = new Map(stored)
  const sender = new PartSender(session, { key, contentType: start.contentType }, async () => {})
  sender.resume(uploadId)
  // As the parts before them.
  const withSha256 = start.s3!.checksums === 'when_supported'
  const send = (number: number, body: Buffer) =>
    sender.add(partOf(number, body, withSha256, (part) => void parts.set(number, asListed(part))))
  for (let from = 0; from < head.length; from += partBytes)
    send(from / partBytes + 1, Buffer.from(head.subarray(from, from + partBytes)))
  for (const [number, part] of local) send(number, await part.read())
  await sender.drain(limited)
  const Parts = [...parts]
    .sort(([a], [b]) => a - b)
    .map(([PartNumber, { etag: ETag, checksum }]) => ({ PartNumber, ETag, ChecksumSHA256: checksum ?? undefined }))
  const whole = { UploadId: uploadId, MultipartUpload: { Parts } }
  await session.send(sender.circumstances('complete', options.signal), CompleteMultipartUploadCommand, whole)
}

/**
 * Now that it can be read, the file gets its whole index, and loses the unfinished piece at its end. Where that is not to
 * be had in time, it stays as it is.
 */
async function indexObject(work: Work, wholeBytes: number): Promise<RecoveredFile> {
  const { session, abandoned, options, finalKey } = work
  const { key } = abandoned.start.s3!
  const limits = options.indexLimitMs === undefined ? [] : [AbortSignal.timeout(options.indexLimitMs)]
  try {
    return await composeIndexed(work, AbortSignal.any([options.signal, ...limits]))
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    if (error instanceof StorageError && error.trouble === 'corrupted') throw error
  }
  if (finalKey !== key) await moveObject(session, key, finalKey, options.signal)
  return fileOf(session, abandoned.start, finalKey, await checksumOf(work, wholeBytes), null)
}

async function composeIndexed(work: Work, signal: AbortSignal) {
  const { session, abandoned, options, finalKey } = work
  const { start } = abandoned
  const { room, contentType } = start
  const { key, partBytes } = start.s3!
  const recoveryHead = Buffer.from(start.recoveryHead, 'base64')
  const { index, body } = await readObject(session, { step: 'index', key, signal }, async (chunks) => {
    const crc = new CutCrc()
    const read = await options.format.indexBody(recoveryHead, crc.noting(behind(chunks, room)))
    return { index: read, body: crc.upTo(read.wholeBytes) }
  })
  const head = { bytes: index.makeHead(room), partBytes }
  const range: [number, number] = [room, room + index.wholeBytes]
  await composeObject(session, { key: finalKey, contentType, head, from: key, range }, signal)
  const stored = await headOf(session, finalKey, options.signal)
  if (stored?.bytes !== range[1]) {
    const place = `s3://${session.bucket}/${finalKey}`
    throw new StorageError('corrupted', `${place} holds ${stored?.bytes} bytes instead of ${range[1]}`)
  }
  if (finalKey !== key) await removeObject(session, key)
  const whole = body === null ? await checksumOf(work, range[1]) : joinCrc(continueCrc(EMPTY_CRC, head.bytes), body)
  return fileOf(session, start, finalKey, whole, index)
}

async function isUploadGone(session: S3Session, key: string, uploadId: string, signal: AbortSignal): Promise<boolean> {
  return listParts(session, key, uploadId, signal).then(
    () => false,
    (error: unknown) => error instanceof StorageError && error.serverCode === 'NoSuchUpload',
  )
}

async function checksumOf(
  { session, options, finalKey: key }: Work,
  bytes: number,
): Promise<Partial<Crc> & { bytes: number }> {
  if (options.limit !== undefined) return { bytes }
  return readObject(session, { step: 'verify', key, signal: options.signal }, async (chunks) => {
    let crc: Crc = EMPTY_CRC
    for await (const chunk of chunks) crc = continueCrc(crc, chunk)
    return crc
  })
}

/** The chunks without their first bytes. */
async function* behind(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let skipped = 0
  for await (const chunk of chunks) {
    const rest = chunk.subarray(Math.min(chunk.length, bytes - skipped))
    skipped += chunk.length - rest.length
    if (rest.length > 0) yield rest
  }
}
