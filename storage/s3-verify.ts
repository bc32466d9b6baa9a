import { createHash } from 'node:crypto'
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import { StorageError } from './error.ts'
import type { S3Session } from './s3-session.ts'
import type { Digests, Receipt } from './s3-upload.ts'

/** What a header says, without the quotes that S3 puts around it. */
function bare(value: string | undefined): string | undefined {
  return value?.replace(/^(W\/)?"|"$/g, '')
}

/** The server's own words prove the bytes: both digests are made of every byte, and so of the size too. */
function isProof(receipt: Receipt, digests: Digests): boolean {
  return bare(receipt.checksum) === digests.checksum || bare(receipt.etag) === digests.etag
}

/**
 * Makes certain that what lies under the key is what was sent. The size has to agree, and one of: the server's SHA-256,
 * its ETag where it is an MD5 (not so with encryption by KMS and on some servers), or else the stored bytes themselves,
 * read back. Rejects otherwise.
 */
export async function verifyStored(
  session: S3Session,
  key: string,
  digests: Digests,
  receipt: Receipt,
  signal: AbortSignal,
): Promise<void> {
  const place = `s3://${session.bucket}/${key}`
  const head = await session
    .request({ step: 'verify', key, signal }, (options) =>
      session.client.send(
        new HeadObjectCommand({
          Bucket: session.bucket,
          Key: key,
          ...(session.withChecksums ? { ChecksumMode: 'ENABLED' as const } : {}),
        }),
        options,
      ),
    )
    .catch((error: unknown) => {
      // A bot that may only write is told by the receipt.
      const mayOnlyWrite = error instanceof StorageError && error.trouble === 'access' && isProof(receipt, digests)
      if (mayOnlyWrite) return null
      throw error
    })
  if (head === null) return
  if (head.ContentLength !== digests.bytes) {
    throw new StorageError(
      'corrupted',
      `${place} holds ${head.ContentLength ?? 'an unknown number of'} bytes instead of ${digests.bytes}. Store it again.`,
    )
  }
  const checksum = bare(head.ChecksumSHA256)
  if (checksum !== undefined && digests.checksum !== null && checksum !== digests.checksum)
    throw corrupted(place, checksum, digests.checksum)
  if (isProof({ etag: head.ETag, checksum: head.ChecksumSHA256 }, digests)) return
  const sha256 = await readBack(session, key, signal)
  if (sha256 !== digests.sha256) throw corrupted(place, sha256, digests.sha256)
}

function corrupted(place: string, found: string, expected: string): StorageError {
  return new StorageError(
    'corrupted',
    `${place} is not what was sent: its SHA-256 is ${found} instead of ${expected}. Store it again; if that does not help, the server loses bytes.`,
  )
}

async function readBack(session: S3Session, key: string, signal: AbortSignal): Promise<string> {
  return session.request({ step: 'read back', key, signal }, async (options) => {
    const answer = await session.client.send(new GetObjectCommand({ Bucket: session.bucket, Key: key }), options)
    const hash = createHash('sha256')
    let bytes = 0
    const body = answer.Body as AsyncIterable<Uint8Array> & { destroy(): void }
    const onAbort = () => body.destroy()
    options.abortSignal.addEventListener('abort', onAbort, { once: true })
    try {
      for await (const chunk of body) {
        hash.update(chunk)
        bytes += chunk.length
      }
    } finally {
      options.abortSignal.removeEventListener('abort', onAbort)
    }
    if (bytes !== answer.ContentLength) {
      throw Object.assign(new Error(`The answer ended after ${bytes} bytes`), { code: 'ECONNRESET' })
    }
    return hash.digest('hex')
  })
}
