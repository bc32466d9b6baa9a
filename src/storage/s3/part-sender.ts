import { createHash } from 'node:crypto'
import { UploadPartCommand } from '@aws-sdk/client-s3'
import { toError } from '@standin/wire/text/error-text.ts'
import { type Crc, continueCrc, EMPTY_CRC } from '../crc32.ts'
import { StorageError } from '../error.ts'
import type { StoredPart } from '../growth-journal.ts'
import { isCredentialTrouble, s3CodeOf } from './errors.ts'
import { integrity } from './finished-file.ts'
import { createUpload } from './multipart.ts'
import type { Circumstances, S3Session } from './session.ts'

/** A part that is ready to go. */
export interface OutgoingPart {
  number: number
  bytes: number
  crc: Crc
  md5: Buffer
  sha256: Buffer | null
  read(): Promise<Buffer>
  /** After the server has it. */
  onStored(part: StoredPart): Promise<void>
}

/** A part that is in memory. S3 wants a SHA-256 with all parts of an upload, or with none. */
export function partOf(
  number: number,
  body: Buffer,
  withSha256: boolean,
  onStored: (part: StoredPart) => void,
): OutgoingPart {
  return {
    number,
    bytes: body.length,
    crc: continueCrc(EMPTY_CRC, body),
    md5: createHash('md5').update(body).digest(),
    sha256: withSha256 ? createHash('sha256').update(body).digest() : null,
    read: async () => body,
    onStored: async (part) => onStored(part),
  }
}

/**
 * Brings parts of one upload to the server, a few at a time, in the order in which they are given. While the meeting runs
 * nothing is given up but an upload that the server has forgotten: what cannot be sent waits in the spool.
 */
export class PartSender {
  readonly #session: S3Session
  readonly #upload: { key: string; contentType: string }
  readonly #onUpload: (uploadId: string) => Promise<void>
  readonly #stop = new AbortController()
  readonly #waiting: OutgoingPart[] = []
  readonly #sending = new Set<Promise<void>>()
  #hurry = new AbortController()
  #creating: Promise<string> | null = null
  #failure: Error | null = null
  /** UTC milliseconds from which on only passing trouble is borne; null while the meeting runs. */
  #impatientFrom: number | null = null
  #latestTrouble: Error | null = null
  #etags: { right: number; other: number } = { right: 0, other: 0 }

  constructor(
    session: S3Session,
    upload: { key: string; contentType: string },
    onUpload: (uploadId: string) => Promise<void>,
  ) {
    this.#session = session
    this.#upload = upload
    this.#onUpload = onUpload
  }

  /** Continues an upload that exists. */
  resume(uploadId: string): void {
    this.#creating = Promise.resolve(uploadId)
  }

  /** The upload's id, once the server has given one; asked for again and again until then. */
  uploadId(): Promise<string> {
    this.#creating ??= this.#create().catch((error: unknown) => {
      this.#creating = null
      throw error
    })
    return this.#creating
  }

  /** The id if it is known without waiting for the network. */
  async knownUploadId(): Promise<string | null> {
    const unknown = Symbol()
    const id = await Promise.race([this.#creating ?? unknown, Promise.resolve(unknown)]).catch(() => unknown)
    return typeof id === 'string' ? id : null
  }

  add(part: OutgoingPart): void {
    this.#waiting.push(part)
    this.#pump()
  }

  /** The error that made the upload impossible; null while it may still succeed. */
  get failure(): Error | null {
    return this.#failure
  }

  /** The latest error of the server or the network, while parts wait. */
  get latestTrouble(): Error | null {
    return this.#latestTrouble
  }

  /**
   * Whether the server's ETags of parts were MD5 digests of what was sent: `unknown` if none was, as on servers that
   * encrypt, and `some` where a part must have been damaged there.
   */
  get etags(): 'digests' | 'unknown' | 'some' {
    if (this.#etags.other === 0) return 'digests'
    return this.#etags.right === 0 ? 'unknown' : 'some'
  }

  /** The meeting is over: from now on only short temporary errors are retried, and waiting retries start at once. */
  hurry(): void {
    this.#impatientFrom = this.#session.tuning.clock.now() + this.#session.tuning.patience.totalMs
    this.#hurry.abort()
    this.#hurry = new AbortController()
  }

  /** Resolves when the server has all parts. Rejects with what cannot pass; may be tried again. */
  async drain(signal: AbortSignal): Promise<void> {
    this.hurry()
    this.#failure = null
    const stopped = new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    stopped.catch(() => {})
    this.#pump()
    while (this.#sending.size > 0) {
      await Promise.race([Promise.all(this.#sending), stopped])
      if (this.#failure !== null) throw this.#failure
    }
  }

  /** The patience that the moment asks for, for one request of this upload. */
  circumstances(step: string, signal: AbortSignal): Circumstances {
    const { tuning } = this.#session
    return {
      step,
      key: this.#upload.key,
      signal,
      patience: { ...tuning.patience, totalMs: Number.POSITIVE_INFINITY },
      hurry: this.#hurry.signal,
      isPassing: (error) => this.#mayPass(error),
      onRetry: (error) => {
        this.#latestTrouble = error
      },
    }
  }

  /** Resolves when nothing is on its way any more. Repeatable, never rejects. */
  async stop(): Promise<void> {
    this.#stop.abort(new StorageError('other', `Storing ${this.#upload.key} was stopped`))
    await Promise.allSettled([...this.#sending, this.#creating ?? Promise.resolve()])
  }

  #mayPass(error: unknown): boolean {
    if (s3CodeOf(error) === 'NoSuchUpload') return false
    if (this.#impatientFrom === null) return true
    return isCredentialTrouble(error) && this.#session.tuning.clock.now() < this.#impatientFrom
  }

  async #create(): Promise<string> {
    const { step: _, ...circumstances } = this.circumstances('store', this.#stop.signal)
    const id = await createUpload(this.#session, { ...circumstances, ...this.#upload })
    await this.#onUpload(id)
    return id
  }

  #pump(): void {
    const { partsInFlight } = this.#session.tuning
    while (this.#waiting.length > 0 && this.#sending.size < partsInFlight && this.#failure === null) {
      if (this.#stop.signal.aborted) return
      const part = this.#waiting.shift()!
      const sending: Promise<void> = this.#send(part)
        .catch((error: unknown) => {
          this.#waiting.unshift(part)
          this.#failure ??= toError(error)
        })
        .finally(() => {
          this.#sending.delete(sending)
          this.#pump()
        })
      this.#sending.add(sending)
    }
  }

  async #send(part: OutgoingPart): Promise<void> {
    const uploadId = await this.uploadId()
    const body = await part.read()
    const md5 = part.md5.toString('hex')
    const circumstances = this.circumstances(`store part ${part.number} of`, this.#stop.signal)
    const answer = await this.#session.request(circumstances, async (options) => {
      const taken = await this.#session.client.send(
        new UploadPartCommand({
          Bucket: this.#session.bucket,
          Key: this.#upload.key,
          UploadId: uploadId,
          PartNumber: part.number,
          Body: body,
          ContentLength: body.length,
          ...integrity(part.md5, part.sha256),
        }),
        options,
      )
      // On a server whose ETags are known to be digests, another one means that it keeps something else.
      if (taken.ETag?.replaceAll('"', '') !== md5 && this.#etags.right > 0)
        throw Object.assign(new Error('The ETag of the part is not its MD5'), { name: 'BadDigest' })
      return taken
    })
    this.#latestTrouble = null
    const etag = answer.ETag ?? ''
    if (etag.replaceAll('"', '') === md5) this.#etags.right++
    else this.#etags.other++
    // Only a checksum that the server has understood may be named when the upload is completed.
    const sha256 = answer.ChecksumSHA256 === undefined ? null : (part.sha256?.toString('hex') ?? null)
    await part.onStored({ number: part.number, bytes: part.bytes, etag, md5, sha256, crc32: part.crc.value })
  }
}
