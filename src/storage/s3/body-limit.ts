import { request as overHttp } from 'node:http'
import { request as overTls } from 'node:https'
import { UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { StorageError } from '../error.ts'
import type { S3Session } from './session.ts'

/** A server that says nothing before it has the body is not waited for. Milliseconds. */
const ANSWER_MS = 1_500
const MIB = 1024 * 1024

/**
 * Rejects if the server, or a proxy before it, refuses bodies of a part's size with 413. It only announces such a body
 * and waits for leave to send it (`Expect: 100-continue`, RFC 9110 section 10.1.1), so it sends no byte of it. Servers
 * that answer something else, or nothing in time, are taken to accept it: the recording's own requests tell.
 */
export async function refuseSmallBodyLimit(
  session: S3Session,
  key: string,
  uploadId: string,
  signal: AbortSignal,
): Promise<void> {
  const bytes = session.tuning.partBytes
  const part = new UploadPartCommand({ Bucket: session.bucket, Key: key, UploadId: uploadId, PartNumber: 1 })
  const address = await getSignedUrl(session.client, part, { expiresIn: 60 })
  if ((await statusOf(address, bytes, session, signal)) !== 413) return
  throw new StorageError(
    'invalid',
    `The server of ${new URL(address).host}, or a proxy before it, refuses bodies of ${Math.ceil(bytes / MIB)} MiB ` +
      '(413 Request Entity Too Large), so it would refuse the recording. Raise its limit (nginx: client_max_body_size).',
  )
}

/** The status that the server answers before it reads the body; null if it wants the body, or says nothing in time. */
function statusOf(address: string, bytes: number, { tuning }: S3Session, signal: AbortSignal): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>()
  const send = address.startsWith('https:') ? overTls : overHttp
  const request = send(address, {
    method: 'PUT',
    agent: false,
    headers: { 'content-length': bytes, expect: '100-continue' },
    lookup: tuning.lookup,
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
  })
  request.on('continue', () => resolve(null))
  request.on('response', ({ statusCode }) => resolve(statusCode ?? null))
  request.on('error', () => resolve(null))
  request.flushHeaders()
  return promise.finally(() => request.destroy())
}
