/** The end of an upload that went while its file grew: the parts that were kept for last, and the completion. */
import { createHash } from 'node:crypto'
import { CompleteMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { type Crc, continueCrc, EMPTY_CRC } from '../crc32.ts'
import { StorageError } from '../error.ts'
import type { StoredPart } from '../growth-journal.ts'
import { integrity, type Receipt } from './finished-file.ts'
import { type PartSender, partOf } from './part-sender.ts'
import type { S3Session } from './session.ts'
import { verifyGrown } from './verify.ts'

export class CompleteUpload {
  readonly #session: S3Session
  readonly #file: { key: string; contentType: string; partBytes: number }
  readonly #sender: PartSender
  readonly #stored = new Map<number, StoredPart>()

  constructor(session: S3Session, file: { key: string; contentType: string; partBytes: number }, sender: PartSender) {
    this.#session = session
    this.#file = file
    this.#sender = sender
  }

  /** The server has this part. */
  note(part: StoredPart): void {
    this.#stored.set(part.number, part)
  }

  /** Resolves when head and body are one verified object. May be tried again after it rejected. */
  async complete(head: Uint8Array, whole: Crc, signal: AbortSignal): Promise<void> {
    const { partBytes } = this.#file
    for (let number = 1; (number - 1) * partBytes < head.length; number++) {
      const body = Buffer.from(head.subarray((number - 1) * partBytes, number * partBytes))
      this.#sender.add(partOf(number, body, this.#session.withChecksums, (part) => this.note(part)))
    }
    await this.#sender.drain(signal)
    const parts = [...this.#stored.values()].sort((a, b) => a.number - b.number)
    const expected = { ...whole, ...wholeDigests(parts) }
    const receipt = await this.#complete(parts, expected, signal)
    await this.#verify(expected, receipt, signal)
  }

  /** Everything in one request. */
  async putWhole(content: Buffer, signal: AbortSignal): Promise<void> {
    const md5 = createHash('md5').update(content).digest()
    const sha256 = this.#session.withChecksums ? createHash('sha256').update(content).digest() : null
    this.#sender.hurry()
    const answer = await this.#session.send(this.#sender.circumstances('store', signal), PutObjectCommand, {
      Body: content,
      ContentLength: content.length,
      ContentType: this.#file.contentType,
      ...integrity(md5, sha256),
    })
    const digests = { etag: md5.toString('hex'), checksum: sha256?.toString('base64') ?? null }
    const receipt = { etag: answer.ETag, checksum: answer.ChecksumSHA256 }
    await this.#verify({ ...continueCrc(EMPTY_CRC, content), ...digests }, receipt, signal, false)
  }

  async #complete(parts: readonly StoredPart[], expected: Expected, signal: AbortSignal): Promise<Receipt> {
    const whole = { UploadId: await this.#sender.uploadId(), MultipartUpload: { Parts: parts.map(named) } }
    const circumstances = this.#sender.circumstances('complete', signal)
    try {
      const answer = await this.#session.send(circumstances, CompleteMultipartUploadCommand, whole)
      return { etag: answer.ETag, checksum: answer.ChecksumSHA256 }
    } catch (error) {
      // It may have been completed before, by a request whose answer was lost.
      const isForgotten = error instanceof StorageError && error.serverCode === 'NoSuchUpload'
      const unknown = { etag: undefined, checksum: undefined }
      if (!isForgotten) throw error
      await this.#verify(expected, unknown, signal).catch(() => {
        throw error
      })
      return unknown
    }
  }

  #verify(expected: Expected, receipt: Receipt, signal: AbortSignal, arePartsTrusted?: boolean): Promise<void> {
    const { bytes, value: crc32, etag, checksum } = expected
    const trusted = arePartsTrusted ?? this.#sender.etags === 'unknown'
    const grown = { bytes, etag, checksum, crc32, arePartsTrusted: trusted }
    return verifyGrown(this.#session, this.#file.key, grown, receipt, signal)
  }
}

type Expected = Crc & { etag: string; checksum: string | null }

function named({ number, etag, sha256 }: StoredPart): { PartNumber: number; ETag: string; ChecksumSHA256?: string } {
  const checksum = sha256 === null ? {} : { ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64') }
  return { PartNumber: number, ETag: etag, ...checksum }
}

/** As S3 makes them of an object in parts: the digest of the parts' digests, with their number. */
function wholeDigests(parts: readonly StoredPart[]): { etag: string; checksum: string | null } {
  const joined = (algorithm: 'md5' | 'sha256', digests: string[]) =>
    createHash(algorithm)
      .update(Buffer.from(digests.join(''), 'hex'))
      .digest()
  const sha256s = parts.flatMap(({ sha256 }) => (sha256 === null ? [] : [sha256]))
  return {
    etag: `${joined(
      'md5',
      parts.map(({ md5 }) => md5),
    ).toString('hex')}-${parts.length}`,
    checksum:
      sha256s.length === parts.length ? `${joined('sha256', sha256s).toString('base64')}-${parts.length}` : null,
  }
}
