import { createHash, type Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { StorageError } from '../error.ts'
import { abortUpload, createUpload } from './multipart.ts'
import type { S3Session } from './session.ts'

const MIB = 1024 * 1024
/** S3's limit of parts in one upload. */
const MAX_PARTS = 10_000

/** Size and checksums of a local file after one reading, to compare with those of the stored one. */
export interface Digests {
  bytes: number
  /** Hex. */
  sha256: string
  /** As S3 makes it of plain bytes: MD5 in hex, or the MD5 of the parts' MD5 with their number. */
  etag: string
  /** As S3 makes it: base64, for parts that of the parts' SHA-256 with their number. Null if it is not asked for. */
  checksum: string | null
}

/** The server's answer when it accepted the file. */
export interface Receipt {
  etag: string | undefined
  checksum: string | undefined
}

export interface Upload {
  key: string
  contentType: string
  source: FileHandle
  /** For messages. */
  sourcePath: string
  bytes: number
  signal: AbortSignal
}

/** The size of every part but the last: fixed, and larger only if the number of parts would pass S3's limit. */
export function partSize(bytes: number, wanted: number): number {
  return bytes <= wanted * MAX_PARTS ? wanted : Math.ceil(bytes / MAX_PARTS / MIB) * MIB
}

async function readExactly(upload: Upload, buffer: Buffer, position: number): Promise<void> {
  for (let done = 0; done < buffer.length; ) {
    const { bytesRead } = await upload.source.read(buffer, done, buffer.length - done, position + done)
    if (bytesRead === 0) {
      throw new StorageError('corrupted', `${upload.sourcePath} became shorter while it was stored`)
    }
    done += bytesRead
  }
}

/** Feeds hashes a MiB at a time: whole parts would hold up the control link and the recorder for tens of milliseconds. */
async function feed(data: Uint8Array, hashes: Hash[]): Promise<void> {
  for (let start = 0; start < data.length; start += MIB) {
    const slice = data.subarray(start, start + MIB)
    for (const hash of hashes) hash.update(slice)
    await nextTurn()
  }
}

function digest(algorithm: 'md5' | 'sha256', data: Uint8Array): Buffer {
  return createHash(algorithm).update(data).digest()
}

/** The header by which the server refuses a body that was damaged on its way. Every server supports Content-MD5. */
export function integrity(md5: Buffer, sha256: Buffer | null): { ContentMD5: string } | { ChecksumSHA256: string } {
  return sha256 === null ? { ContentMD5: md5.toString('base64') } : { ChecksumSHA256: sha256.toString('base64') }
}

/** One request for the whole file. */
export async function putWhole(session: S3Session, upload: Upload): Promise<{ digests: Digests; receipt: Receipt }> {
  const body = Buffer.alloc(upload.bytes)
  await readExactly(upload, body, 0)
  const hashes = [createHash('md5'), createHash('sha256')] as const
  await feed(body, [...hashes])
  const [md5, sha256] = [hashes[0].digest(), hashes[1].digest()]
  const digests = {
    bytes: body.length,
    sha256: sha256.toString('hex'),
    etag: md5.toString('hex'),
    checksum: session.withChecksums ? sha256.toString('base64') : null,
  }
  const { key, signal } = upload
  const answer = await session.send({ step: 'store', key, signal }, PutObjectCommand, {
    Body: body,
    ContentLength: body.length,
    ContentType: upload.contentType,
    ...integrity(md5, session.withChecksums ? sha256 : null),
  })
  return { digests, receipt: { etag: answer.ETag, checksum: answer.ChecksumSHA256 } }
}

interface Progress {
  parts: CompletedPart[]
  md5s: Buffer[]
  sha256s: Buffer[]
  whole: Hash
}

/** Reads the file once from start to end; a few parts are on their way while the next one is read. */
async function sendParts(session: S3Session, upload: Upload, uploadId: string, partBytes: number): Promise<Progress> {
  const progress: Progress = { parts: [], md5s: [], sha256s: [], whole: createHash('sha256') }
  const count = Math.ceil(upload.bytes / partBytes)
  const failure = new AbortController()
  const signal = AbortSignal.any([upload.signal, failure.signal])
  const buffers: Buffer[] = Array.from({ length: Math.min(session.tuning.partsInFlight, count) }, () =>
    Buffer.alloc(partBytes),
  )
  const onTheirWay = new Set<Promise<void>>()

  async function read(part: Buffer, start: number): Promise<{ md5: Buffer; sha256: Buffer | null }> {
    await readExactly(upload, part, start)
    const [md5, sha256] = [createHash('md5'), session.withChecksums ? createHash('sha256') : null]
    await feed(part, [progress.whole, md5, ...(sha256 === null ? [] : [sha256])])
    const digests = { md5: md5.digest(), sha256: sha256?.digest() ?? null }
    progress.md5s.push(digests.md5)
    if (digests.sha256 !== null) progress.sha256s.push(digests.sha256)
    return digests
  }

  async function send(
    partNumber: number,
    part: Buffer,
    digests: { md5: Buffer; sha256: Buffer | null },
  ): Promise<void> {
    const circumstances = { step: `store part ${partNumber} of`, key: upload.key, signal }
    const answer = await session.send(circumstances, UploadPartCommand, {
      UploadId: uploadId,
      PartNumber: partNumber,
      Body: part,
      ContentLength: part.length,
      ...integrity(digests.md5, digests.sha256),
    })
    // Only what the server has understood may be named when the upload is completed.
    const echoed = answer.ChecksumSHA256 === undefined ? {} : { ChecksumSHA256: answer.ChecksumSHA256 }
    progress.parts[partNumber - 1] = { PartNumber: partNumber, ETag: answer.ETag, ...echoed }
  }

  try {
    for (let index = 0; index < count; index++) {
      signal.throwIfAborted()
      while (buffers.length === 0) {
        await Promise.race(onTheirWay)
        signal.throwIfAborted()
      }
      const buffer = buffers.pop()!
      const start = index * partBytes
      const part = buffer.subarray(0, Math.min(partBytes, upload.bytes - start))
      const digests = await read(part, start)
      const sending: Promise<void> = send(index + 1, part, digests)
        .then(
          () => void buffers.push(buffer),
          (error: unknown) => failure.abort(error),
        )
        .finally(() => onTheirWay.delete(sending))
      onTheirWay.add(sending)
    }
  } catch (error) {
    failure.abort(error)
  } finally {
    // After success or failure, no part may still be on its way when the upload is completed or aborted.
    await Promise.all(onTheirWay)
  }
  signal.throwIfAborted()
  return progress
}

function digestsOf(progress: Progress, bytes: number): Digests {
  const count = progress.parts.length
  return {
    bytes,
    sha256: progress.whole.digest('hex'),
    etag: `${digest('md5', Buffer.concat(progress.md5s)).toString('hex')}-${count}`,
    checksum:
      progress.sha256s.length === 0
        ? null
        : `${digest('sha256', Buffer.concat(progress.sha256s)).toString('base64')}-${count}`,
  }
}

/**
 * Part by part. `isStored` decides when the server no longer knows the upload at its completion: it may have completed
 * it and lost the answer. A permanent failure aborts the upload.
 */
export async function putParts(
  session: S3Session,
  upload: Upload,
  isStored: (digests: Digests) => Promise<boolean>,
): Promise<{ digests: Digests; receipt: Receipt }> {
  const { key, signal } = upload
  const uploadId = await createUpload(session, { key, contentType: upload.contentType, signal })
  try {
    const progress = await sendParts(session, upload, uploadId, partSize(upload.bytes, session.tuning.partBytes))
    const digests = digestsOf(progress, upload.bytes)
    try {
      const whole = { UploadId: uploadId, MultipartUpload: { Parts: progress.parts } }
      const answer = await session.send({ step: 'complete', key, signal }, CompleteMultipartUploadCommand, whole)
      return { digests, receipt: { etag: answer.ETag, checksum: answer.ChecksumSHA256 } }
    } catch (error) {
      const isForgotten = error instanceof StorageError && error.serverCode === 'NoSuchUpload'
      if (isForgotten && (await isStored(digests)))
        return { digests, receipt: { etag: undefined, checksum: undefined } }
      throw error
    }
  } catch (error) {
    const isGone = (await abortUpload(session, key, uploadId)) === null
    if (signal.aborted) throw signal.reason
    if (isGone || !(error instanceof StorageError)) throw error
    throw new StorageError(
      error.trouble,
      `${error.message} Its unfinished upload could not be aborted; a lifecycle rule of the bucket removes it.`,
      { cause: error, serverCode: error.serverCode },
    )
  }
}
