/** Completes an upload of which the server has parts, and makes of it what its bot would have made. */
import { CompleteMultipartUploadCommand } from '@aws-sdk/client-s3'
import { type Crc, continueCrc, EMPTY_CRC } from './crc32.ts'
import { StorageError } from './error.ts'
import { padHead } from './head-room.ts'
import { PartSender } from './part-sender.ts'
import type { RecoveredFile } from './recovery.ts'
import { fileOf, outgoing, type Work } from './recovery-work.ts'
import { composeObject, headOf, moveObject } from './s3-copy.ts'
import { asListed, listParts } from './s3-listing.ts'
import { readObject } from './s3-object.ts'
import { removeObject } from './s3-recovery-object.ts'
import type { S3Session } from './s3-session.ts'

/** Parts can only be completed under the key for which they were begun. Null where that has happened already. */
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
  const target = { Bucket: session.bucket, Key: key, UploadId: uploadId, MultipartUpload: { Parts } }
  await sender.request({ step: 'complete', signal: options.signal }, (send) =>
    session.client.send(new CompleteMultipartUploadCommand(target), send),
  )
}

/** Now that it can be read, the file gets its whole index, and loses the unfinished piece at its end. */
async function indexObject({ session, abandoned, options, finalKey }: Work): Promise<RecoveredFile> {
  const { start } = abandoned
  const { key, partBytes } = start.s3!
  const { room, contentType } = start
  const limits = options.indexLimitMs === undefined ? [] : [AbortSignal.timeout(options.indexLimitMs)]
  const signal = AbortSignal.any([options.signal, ...limits])
  try {
    const recoveryHead = Buffer.from(start.recoveryHead, 'base64')
    const index = await readObject(session, { step: 'index', key, signal }, (chunks) =>
      options.format.indexBody(recoveryHead, behind(chunks, room)),
    )
    const bytes = index.makeHead(room)
    const range: [number, number] = [room, room + index.wholeBytes]
    await composeObject(session, { key: finalKey, contentType, head: { bytes, partBytes }, from: key, range }, signal)
    if (finalKey !== key) await removeObject(session, key)
    const whole = await readCrc(session, finalKey, signal)
    if (whole.bytes !== range[1]) {
      const place = `s3://${session.bucket}/${finalKey}`
      throw new StorageError('corrupted', `${place} holds ${whole.bytes} bytes instead of ${range[1]}`)
    }
    return fileOf(session, start, finalKey, whole, index)
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    const place = (await headOf(session, key, options.signal)) === null ? finalKey : key
    if (place !== finalKey) await moveObject(session, key, finalKey, options.signal)
    if (error instanceof StorageError && error.trouble === 'corrupted') throw error
    return fileOf(session, start, finalKey, await readCrc(session, finalKey, options.signal), null)
  }
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
