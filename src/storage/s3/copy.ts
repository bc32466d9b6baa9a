/** Copies within a bucket, made by the server itself. */
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  HeadObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { StorageError } from '../error.ts'
import { hasNoCredentials } from './errors.ts'
import { abortUpload, createUpload } from './multipart.ts'
import { removeObject } from './recovery-object.ts'
import type { S3Session } from './session.ts'

/** S3's limit for one copy. */
const MAX_BYTES = 5 * 1024 ** 3

/** The object at a key; null if there is none. */
export async function headOf(
  session: S3Session,
  key: string,
  signal: AbortSignal,
): Promise<{ bytes: number; modifiedAt: number } | null> {
  try {
    const circumstances = { step: 'look at', key, signal, isHopeless: hasNoCredentials }
    const head = await session.send(circumstances, HeadObjectCommand, {})
    return { bytes: head.ContentLength ?? 0, modifiedAt: head.LastModified?.getTime() ?? 0 }
  } catch (error) {
    if (error instanceof StorageError && error.trouble === 'missing') return null
    throw error
  }
}

/** The object is under `to` for certain before it goes from `from`. */
export async function moveObject(session: S3Session, from: string, to: string, signal: AbortSignal): Promise<void> {
  const source = await headOf(session, from, signal)
  if (source === null) throw new StorageError('missing', `s3://${session.bucket}/${from} is not there`)
  if (source.bytes <= MAX_BYTES)
    await session.send({ step: 'copy', key: from, signal }, CopyObjectCommand, {
      Key: to,
      CopySource: copySource(session, from),
    })
  else {
    const whole: [number, number] = [0, source.bytes]
    await composeObject(session, { key: to, contentType: 'video/mp4', head: null, from, range: whole }, signal)
  }
  const copy = await headOf(session, to, signal)
  if (copy?.bytes !== source.bytes)
    throw new StorageError('corrupted', `s3://${session.bucket}/${to} holds ${copy?.bytes} of ${source.bytes} bytes`)
  await removeObject(session, from)
}

/**
 * Makes an object of new bytes in front, which fill whole parts, and a range of an existing one behind them. It may have
 * the key of the existing one, which it replaces at once.
 */
export async function composeObject(
  session: S3Session,
  object: {
    key: string
    contentType: string
    head: { bytes: Uint8Array; partBytes: number } | null
    from: string
    /** First byte, and the one behind the last. */
    range: [number, number]
  },
  signal: AbortSignal,
): Promise<void> {
  const { key, contentType, head, from, range } = object
  const UploadId = await createUpload(session, { key, contentType, signal, withChecksums: false })
  const parts: { PartNumber: number; ETag: string | undefined }[] = []
  const target = () => ({ UploadId, PartNumber: parts.length + 1 })
  try {
    for (let start = 0; head !== null && start < head.bytes.length; start += head.partBytes) {
      const Body = head.bytes.subarray(start, start + head.partBytes)
      const part = { ...target(), Body, ContentLength: Body.length }
      const answer = await session.send({ step: 'store', key, signal }, UploadPartCommand, part)
      parts.push({ PartNumber: parts.length + 1, ETag: answer.ETag })
    }
    for (let start = range[0]; start < range[1]; start += MAX_BYTES) {
      const last = Math.min(range[1], start + MAX_BYTES) - 1
      const source = { CopySource: copySource(session, from), CopySourceRange: `bytes=${start}-${last}` }
      const answer = await session.send({ step: 'copy', key, signal }, UploadPartCopyCommand, {
        ...target(),
        ...source,
      })
      parts.push({ PartNumber: parts.length + 1, ETag: answer.CopyPartResult?.ETag })
    }
    const whole = { UploadId, MultipartUpload: { Parts: parts } }
    await session.send({ step: 'complete', key, signal }, CompleteMultipartUploadCommand, whole)
  } catch (error) {
    await abortUpload(session, key, UploadId)
    throw error
  }
}

function copySource(session: S3Session, key: string): string {
  return [session.bucket, ...key.split('/')].map(encodeURIComponent).join('/')
}
