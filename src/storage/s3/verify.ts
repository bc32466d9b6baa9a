import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { HeadObjectCommand } from '@aws-sdk/client-s3'
import { StorageError } from '../error.ts'
import type { Digests, Receipt } from './finished-file.ts'
import { readObject } from './object.ts'
import type { S3Session } from './session.ts'

/** The size and checksums that the server itself reports of a stored file. */
type WholeDigests = Pick<Digests, 'bytes' | 'etag' | 'checksum'>

/** The value of a header, without the quotes that S3 puts around it. */
function bare(value: string | undefined): string | undefined {
  return value?.replace(/^(W\/)?"|"$/g, '')
}

/** The server's own words prove the bytes: both digests are made of every byte, and so of the size too. */
function isProof(receipt: Receipt, digests: WholeDigests): boolean {
  return bare(receipt.checksum) === digests.checksum || bare(receipt.etag) === digests.etag
}

/**
 * Verifies that the object at the key is the file that was sent. The size has to agree, and one of: the server's SHA-256,
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
  if (await serverProves(session, key, digests, receipt, signal)) return
  const sha256 = await readObject(session, { step: 'read back', key, signal }, async (chunks) => {
    const hash = createHash('sha256')
    for await (const chunk of chunks) hash.update(chunk)
    return hash.digest('hex')
  })
  if (sha256 !== digests.sha256) throw corrupted(session, key, `its SHA-256 is ${sha256} instead of ${digests.sha256}`)
}

/**
 * The same for a file that was stored while it grew. With `arePartsTrusted` the size is enough where the server gives no
 * digest of the whole: it has checked each part against its MD5, and no download of hours of recording is worth more.
 */
export async function verifyGrown(
  session: S3Session,
  key: string,
  grown: WholeDigests & { crc32: number; arePartsTrusted: boolean },
  receipt: Receipt,
  signal: AbortSignal,
): Promise<void> {
  if ((await serverProves(session, key, grown, receipt, signal)) || grown.arePartsTrusted) return
  const found = await readObject(session, { step: 'read back', key, signal }, async (chunks) => {
    let crc = 0
    for await (const chunk of chunks) crc = crc32(chunk, crc)
    return crc
  })
  if (found !== grown.crc32)
    throw corrupted(session, key, `its CRC-32 is ${found.toString(16)} instead of ${grown.crc32.toString(16)}`)
}

/** Whether the server's own words prove the whole. Rejects if they prove the opposite. */
async function serverProves(
  session: S3Session,
  key: string,
  digests: WholeDigests,
  receipt: Receipt,
  signal: AbortSignal,
): Promise<boolean> {
  const head = await session
    .send({ step: 'verify', key, signal }, HeadObjectCommand, {
      ChecksumMode: session.withChecksums ? 'ENABLED' : undefined,
    })
    .catch((error: unknown) => {
      // A bot that may only write relies on the receipt.
      const mayOnlyWrite = error instanceof StorageError && error.trouble === 'access' && isProof(receipt, digests)
      if (mayOnlyWrite) return null
      throw error
    })
  if (head === null) return true
  if (head.ContentLength !== digests.bytes) {
    throw new StorageError(
      'corrupted',
      `s3://${session.bucket}/${key} holds ${head.ContentLength ?? 'an unknown number of'} bytes instead of ${digests.bytes}. Store it again.`,
    )
  }
  const checksum = bare(head.ChecksumSHA256)
  if (checksum !== undefined && digests.checksum !== null && checksum !== digests.checksum)
    throw corrupted(session, key, `its SHA-256 is ${checksum} instead of ${digests.checksum}`)
  return isProof({ etag: head.ETag, checksum: head.ChecksumSHA256 }, digests)
}

function corrupted(session: S3Session, key: string, how: string): StorageError {
  return new StorageError(
    'corrupted',
    `s3://${session.bucket}/${key} is not what was sent: ${how}. Store it again; if that does not help, the server loses bytes.`,
  )
}
