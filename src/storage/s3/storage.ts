import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { userWorkFolder } from '../../../packages/core/process/mkdirs.ts'
import type { GrowingFile, GrowingStart, Storage, StoredFile } from '../../../packages/core/recording.ts'
import { StorageError } from '../error.ts'
import { explainFolderError } from '../folder/errors.ts'
import { READ_NO_LINK } from '../folder/file-writing.ts'
import { objectKey, recordingFolder } from '../names.ts'
import { Spool } from '../spool.ts'
import { refuseSmallBodyLimit } from './body-limit.ts'
import { hasNoCredentials } from './errors.ts'
import { type Digests, putParts, putWhole, type Upload } from './finished-file.ts'
import { S3GrowingFile } from './growing-file.ts'
import { abortUpload, createUpload } from './multipart.ts'
import { readObject } from './object.ts'
import { type S3Config, S3Session, type S3Tuning } from './session.ts'
import { verifyStored } from './verify.ts'

/** Never becomes an object: its upload is begun and aborted. */
const PROBE_NAME = '.standin-write-test'
const MIB = 1024 * 1024
const SPOOL_LIMIT_MIB = 2048

/**
 * A recording under `s3://bucket/prefix/<bot id>/`. Small files go up in one request, larger ones in parts of a fixed
 * size; memory is bounded by a few parts for files of any size.
 */
export class S3Storage implements Storage {
  readonly #config: S3Config
  readonly #session: S3Session
  readonly #botId: string
  readonly #spool: Spool

  /** `workFolder` holds what is on its way to the server. */
  constructor(config: S3Config, recording: { botId: string; workFolder?: string }, tuning: Partial<S3Tuning> = {}) {
    this.#config = config
    this.#session = new S3Session(config, tuning)
    this.#botId = recordingFolder(recording.botId)
    const workFolder = recording.workFolder ?? path.join(userWorkFolder(), this.#botId)
    this.#spool = new Spool(workFolder, (config.spool_limit_mb ?? SPOOL_LIMIT_MIB) * MIB)
    // A prefix that leaves no room for names is found here and not after the meeting.
    this.#key(PROBE_NAME)
  }

  location(): string {
    const { bucket, prefix } = this.#session
    return `s3://${[bucket, prefix, this.#botId].filter((part) => part !== '').join('/')}/`
  }

  /** Begins an upload, announces a part and aborts it: that needs the same rights as a recording, and leaves nothing. */
  async prepare(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const key = this.#key(PROBE_NAME)
    const uploadId = await createUpload(this.#session, {
      key,
      contentType: 'application/octet-stream',
      signal,
      patience: this.#session.tuning.preparePatience,
      isHopeless: hasNoCredentials,
    })
    const refusal = await refuseSmallBodyLimit(this.#session, key, uploadId, signal).catch((error: unknown) => error)
    const obstacle = await abortUpload(this.#session, key, uploadId)
    if (refusal !== undefined) throw refusal
    signal.throwIfAborted()
    // Failed uploads would stay there.
    if (obstacle !== null) throw obstacle
  }

  async store(file: { name: string; path: string; contentType: string }, signal: AbortSignal): Promise<StoredFile> {
    const key = this.#key(file.name)
    const location = `s3://${this.#session.bucket}/${key}`
    signal.throwIfAborted()
    const source = await open(file.path, READ_NO_LINK).catch((error: unknown) => {
      throw explainFolderError(error, `store ${file.name}`, file.path)
    })
    try {
      const stats = await source.stat()
      if (!stats.isFile()) throw new StorageError('invalid', `Cannot store ${file.name}: ${file.path} is not a file.`)
      const { contentType } = file
      const upload = { key, contentType, source, sourcePath: file.path, bytes: stats.size, signal }
      const digests = await this.#put(upload)
      const { size } = await source.stat()
      if (size !== digests.bytes) {
        throw new StorageError('corrupted', `${file.path} changed while it was stored; it had ${digests.bytes} bytes.`)
      }
      return { name: file.name, location, bytes: digests.bytes, sha256: digests.sha256 }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw explainFolderError(error, `read ${file.name}`, file.path)
    } finally {
      await source.close()
    }
  }

  async grow(file: GrowingStart, signal: AbortSignal): Promise<GrowingFile> {
    const key = this.#key(file.name)
    signal.throwIfAborted()
    const place = { session: this.#session, config: this.#config, spool: this.#spool, key, location: this.location() }
    return S3GrowingFile.begin(file, place)
  }

  async fetch(name: string, local: string, signal: AbortSignal, mostBytes?: number): Promise<void> {
    const key = this.#key(name)
    const partial = `${local}.partial`
    try {
      const write = (chunks: AsyncIterable<Uint8Array>) => pipeline(chunks, createWriteStream(partial, { mode: 0o600 }))
      await readObject(this.#session, { step: 'read', key, signal }, write, mostBytes)
      await rename(partial, local)
    } catch (error) {
      await rm(partial, { force: true })
      if (signal.aborted) throw signal.reason
      throw explainFolderError(error, `read ${name}`, local)
    }
  }

  async #put(upload: Upload): Promise<Digests> {
    const session = this.#session
    const { key, signal } = upload
    const verify = (digests: Digests, receipt = {}) =>
      verifyStored(session, key, digests, { etag: undefined, checksum: undefined, ...receipt }, signal)
    const isStored = (digests: Digests) =>
      verify(digests).then(
        () => true,
        () => false,
      )
    if (upload.bytes <= session.tuning.partBytes) {
      const { digests, receipt } = await putWhole(session, upload)
      await verify(digests, receipt)
      return digests
    }
    const { digests, receipt } = await this.#putPartsAgain(upload, isStored)
    await verify(digests, receipt)
    return digests
  }

  /** A server that came back without its memory of the upload gets the file from the start, once. */
  async #putPartsAgain(upload: Upload, isStored: (digests: Digests) => Promise<boolean>): ReturnType<typeof putParts> {
    try {
      return await putParts(this.#session, upload, isStored)
    } catch (error) {
      if (!(error instanceof StorageError) || error.serverCode !== 'NoSuchUpload') throw error
      return putParts(this.#session, upload, isStored)
    }
  }

  #key(name: string): string {
    return objectKey(this.#session.prefix, this.#botId, name)
  }
}
