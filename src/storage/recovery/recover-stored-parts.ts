/** Completes an upload of which the server has parts, and makes of it what its bot would have made. */
import { CompleteMultipartUploadCommand } from '@aws-sdk/client-s3'
import { type Crc, CutCrc, continueCrc, EMPTY_CRC, joinCrc } from '../crc32.ts'
import { StorageError } from '../error.ts'
import { padHead } from '../moov-reserve.ts'
import { composeObject, headOf, moveObject } from '../s3/copy.ts'
import { asListed, listParts } from '../s3/listing.ts'
import { readObject } from '../s3/object.ts'
import { PartSender } from '../s3/part-sender.ts'
import { removeObject } from '../s3/recovery-object.ts'
import type { S3Session } from '../s3/session.ts'
import type { RecoveredFile } from './recovered.ts'
import { fileOf, outgoing, type Work } from './recovery-work.ts'

/** Parts can only be completed under the key for which they were begun. Null if that has happened already. */
export async function completeStored(work: Work): Promise<RecoveredFile | null> {
  const { session, abandoned, options, existing } = work
  const { start, uploadId, stored, local } = abandoned
  const { key, partBytes } = start.s3!
  const { signal } = options
  const bodyBytes = [...stored.values(), ...local.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  if (existing?.bytes === start.room + bodyBytes) {
    // Killed between the completion and the note of it.
    const isForgotten = uploadId === null || (await isUploadGone(session, key, uploadId, signal))
    if (isForgotten) return null
  }
  if (uploadId === null)
    throw new StorageError('missing', `The journal of ${start.name} names no upload, though parts were stored`)
  const kept = `${key}.kept`
  if (existing !== null) await moveObject(session, key, kept, signal)
  try {
    const recoveryHead = Buffer.from(start.recoveryHead, 'base64')
    await completeWithFragments(work, uploadId, padHead(recoveryHead, start.room), partBytes)
    const head = await headOf(session, key, signal)
    if (head?.bytes !== start.room + bodyBytes) {
      const place = `s3://${session.bucket}/${key}`
      throw new StorageError('corrupted', `${place} holds ${head?.bytes} bytes instead of ${start.room + bodyBytes}`)
    }
    return await indexObject(work)
  } finally {
    // Only where the recovered one has left the name to it.
    if (existing !== null && (await headOf(session, key, signal)) === null) await moveObject(session, kept, key, signal)
  }
}

async function completeWithFragments(
  { session, abandoned, options }: Work,
  uploadId: string,
  head: Uint8Array,
  partBytes: number,
): Promise<void> {
  const { start, stored, local } = abandoned
  const { key } = start.s3!
  const parts = new Map(stored)
  const sender = new PartSender(session, { key, contentType: start.contentType }, async () => {})
  sender.resume(uploadId)
  const send = (number: number, body: Buffer) =>
    sender.add(outgoing(start, number, body, (part) => void parts.set(number, asListed(part))))
  for (let from = 0; from < head.length; from += partBytes)
    send(from / partBytes + 1, Buffer.from(head.subarray(from, from + partBytes)))
  for (const [number, part] of local) send(number, await part.read())
  await sender.drain(options.signal)
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
async function indexObject(work: Work): Promise<RecoveredFile> {
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
  const whole = await readCrc(session, finalKey, options.signal)
  return fileOf(session, abandoned.start, finalKey, whole, null)
}

async function composeIndexed({ session, abandoned, options, finalKey }: Work, signal: AbortSignal) {
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
  const whole =
    body === null ? await readCrc(session, finalKey, options.signal) : joinCrc(continueCrc(EMPTY_CRC, head.bytes), body)
  return fileOf(session, start, finalKey, whole, index)
}

async function isUploadGone(session: S3Session, key: string, uploadId: string, signal: AbortSignal): Promise<boolean> {
  return listParts(session, key, uploadId, signal).then(
    () => false,
    (error: unknown) => error instanceof StorageError && error.serverCode === 'NoSuchUpload',
  )
}

function readCrc(session: S3Session, key: string, signal: AbortSignal): Promise<Crc> {
  return readObject(session, { step: 'verify', key, signal }, async (chunks) => {
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
