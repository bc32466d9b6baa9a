import { rm } from 'node:fs/promises'
import type { GrowingFile, GrowingStart, StoredFile } from '../../../packages/core/recording.ts'
import { type Crc, continueCrc, crcHex, EMPTY_CRC, joinCrc } from '../crc32.ts'
import { StorageError } from '../error.ts'
import { explainFolderError } from '../folder/errors.ts'
import { GrowthJournal, type GrowthStart } from '../growth-journal.ts'
import { checkedHead, leastRoom } from '../moov-reserve.ts'
import type { Spool } from '../spool.ts'
import { CompleteUpload } from './complete-upload.ts'
import { abortUpload } from './multipart.ts'
import { type OutgoingPart, PartSender } from './part-sender.ts'
import { PartSpool, type SpooledPart } from './part-spool.ts'
import { RecoveryObject, recoveryKey } from './recovery-object.ts'
import type { S3Config, S3Session } from './session.ts'
import { TailObjects } from './tail-objects.ts'

const MIB = 1024 * 1024
/** S3's rule for all parts but the last. */
const MIN_PART_BYTES = 5 * MIB
const TAIL_SECONDS = 2

/** As small as the head lets them be: head and last part have to go when the meeting is over. */
function partBytesFor(headBytes: number, most: number): number {
  return Math.min(most, Math.max(MIN_PART_BYTES, Math.ceil(headBytes / MIB) * MIB))
}

interface Parts {
  session: S3Session
  spool: Spool
  /** The file's own folder in the spool. */
  folder: string
  start: GrowthStart
  key: string
  journal: GrowthJournal
  /** 0 for none. */
  tailMs: number
}

/**
 * Is uploaded part by part while it grows; the first parts are uploaded last, since they hold the head. Bytes that the
 * server does not have yet are in the spool.
 */
export class S3GrowingFile implements GrowingFile {
  readonly #parts: Parts
  readonly #body: PartSpool
  readonly #sender: PartSender
  readonly #upload: CompleteUpload
  readonly #recovery: RecoveryObject
  #tails: TailObjects | null = null
  #appended: Promise<void> = Promise.resolve()
  #crc: Crc = EMPTY_CRC
  #storedBytes = 0
  /** Bytes that the server has without a gap, and parts that it has behind one. */
  #storedTo = 0
  readonly #storedAhead = new Set<number>()
  /** Whether a part was filled, so that the place of the body after the room is fixed. */
  #isFixed = false
  #isSealed = false
  #stored: StoredFile | null = null
  #isClosed = false

  private constructor(parts: Parts) {
    this.#parts = parts
    const { session, folder, spool, start, key, journal, tailMs } = parts
    const { partBytes } = start.s3!
    this.#body = new PartSpool({
      folder,
      spool,
      partBytes,
      firstNumber: start.room / partBytes + 1,
      withSha256: session.withChecksums,
    })
    this.#recovery = new RecoveryObject(session, start)
    this.#sender = new PartSender(session, { key, contentType: start.contentType }, async (uploadId) => {
      await journal.write({ upload: uploadId }).catch(() => {
        // The disk is full, which the next append tells. The note in the bucket names the upload too.
      })
      this.#recovery.begin(uploadId)
      if (tailMs > 0 && !this.#isSealed) this.#beginTails(recoveryKey(key, uploadId), tailMs)
    })
    this.#upload = new CompleteUpload(session, { key, contentType: start.contentType, partBytes }, this.#sender)
    // Already now, so that recovery also finds the shortest abandoned recording.
    this.#sender.uploadId().catch(() => {
      // Asked for again with the first part.
    })
  }

  static async begin(
    { name, contentType, headBytes, recoveryHead }: GrowingStart,
    place: { session: S3Session; config: S3Config; spool: Spool; key: string; location: string },
  ): Promise<S3GrowingFile> {
    const { session, config, spool, key, location } = place
    const least = leastRoom(headBytes, recoveryHead)
    const partBytes = partBytesFor(least, session.tuning.partBytes)
    const room = Math.ceil(least / partBytes) * partBytes
    const { bucket, endpoint, region, force_path_style, checksums } = config
    const start: GrowthStart = {
      name,
      contentType,
      room,
      recoveryHead: Buffer.from(recoveryHead).toString('base64'),
      startedAt: Date.now(),
      s3: { bucket, key, endpoint, region, force_path_style, checksums, partBytes },
    }
    const tailMs = (config.tail_seconds ?? TAIL_SECONDS) * 1000
    let folder: string | null = null
    try {
      folder = await spool.open(name)
      const journal = await GrowthJournal.begin(folder, start)
      return new S3GrowingFile({ session, spool, folder, start, key, journal, tailMs })
    } catch (error) {
      if (folder !== null) await spool.close()
      throw explainFolderError(error, `keep what is on its way to ${location}`, folder ?? 'the spool')
    }
  }

  append(bytes: Uint8Array): Promise<void> {
    const appended = this.#appended.then(() => this.#write(bytes))
    this.#appended = appended
    // The next append fails with this error too, so a caller that did not wait gets it.
    appended.catch(() => {})
    return appended
  }

  storedBytes(): number {
    return this.#storedBytes
  }

  async finish(makeHead: (room: number | null) => Uint8Array, signal: AbortSignal): Promise<StoredFile> {
    if (this.#stored !== null) return this.#stored
    const { session, start, key } = this.#parts
    if (this.#isClosed) throw new StorageError('invalid', `${start.name} was closed before it was finished`)
    await this.#appended.catch(() => {
      // The caller of that append got the error; the bytes before it are finished.
    })
    signal.throwIfAborted()
    await this.#tails?.stop()
    const whole = this.#isFixed ? await this.#finishParts(makeHead, signal) : await this.#finishSmall(makeHead, signal)
    this.#stored = {
      name: start.name,
      location: `s3://${session.bucket}/${key}`,
      bytes: whole.bytes,
      sha256: null,
      crc32: crcHex(whole),
    }
    await this.#letGo(true)
    return this.#stored
  }

  async close(): Promise<void> {
    await this.#appended.catch(() => {})
    await this.#letGo(false)
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { journal, folder, start } = this.#parts
    if (this.#isClosed || this.#isSealed) throw new StorageError('invalid', `${start.name} grows no longer`)
    // Nothing that is kept from now on could be put behind what the server has lost.
    if (this.#sender.failure !== null) throw this.#sender.failure
    try {
      const to = this.#crc.bytes + bytes.length
      const onFull = (part: SpooledPart) => {
        this.#isFixed = true
        this.#send(part)
      }
      await this.#body.append(bytes, () => journal.write({ to }), onFull)
      this.#crc = continueCrc(this.#crc, bytes)
    } catch (error) {
      const explained = explainFolderError(error, `keep what is on its way to ${start.s3!.key}`, folder)
      const trouble = this.#sender.latestTrouble
      if (!(explained instanceof StorageError) || trouble === null) throw explained
      throw new StorageError(explained.trouble, `${explained.message} ${trouble.message}`, { cause: trouble })
    }
  }

  #send(part: SpooledPart): void {
    const outgoing: OutgoingPart = {
      number: part.number,
      bytes: part.bytes,
      crc: part.crc,
      md5: part.md5.digest(),
      sha256: part.sha256?.digest() ?? null,
      read: () => this.#body.read(part),
      onStored: async (stored) => {
        this.#upload.note(stored)
        this.#noteStored(part)
        try {
          await this.#parts.journal.write({ part: stored })
        } catch {
          // On a full disk: the part stays in the spool, otherwise recovery would not find it.
          return
        }
        await this.#body.remove(part)
      },
    }
    this.#sender.add(outgoing)
  }

  #noteStored({ number, bytes }: SpooledPart): void {
    const { room, s3 } = this.#parts.start
    this.#storedBytes += bytes
    this.#storedAhead.add(number)
    const next = () => (room + this.#storedTo) / s3!.partBytes + 1
    // The last part may be shorter; behind it there is nothing to wait for.
    while (this.#storedAhead.delete(next())) this.#storedTo = Math.min(this.#storedTo + s3!.partBytes, this.#crc.bytes)
  }

  #beginTails(noteKey: string, everyMs: number): void {
    this.#tails = new TailObjects(this.#parts.session, noteKey, {
      end: () => this.#crc.bytes,
      storedTo: () => this.#storedTo,
      read: (from, to) => this.#body.readRange(from, to),
    })
    this.#tails.begin(everyMs)
  }

  async #finishParts(makeHead: (room: number) => Uint8Array, signal: AbortSignal): Promise<Crc> {
    const { room } = this.#parts.start
    if (!this.#isSealed) {
      this.#isSealed = true
      const last = this.#body.unfinished()
      await this.#body.close()
      if (last !== null) this.#send(last)
    }
    const head = checkedHead(makeHead(room), room)
    const whole = joinCrc(continueCrc(EMPTY_CRC, head), this.#crc)
    await this.#upload.complete(head, whole, signal)
    return whole
  }

  /** One request, with a head that is no larger than it has to be. The upload that was begun is aborted. */
  async #finishSmall(makeHead: (room: null) => Uint8Array, signal: AbortSignal): Promise<Crc> {
    const { session, key } = this.#parts
    this.#isSealed = true
    const last = this.#body.unfinished()
    const body = last === null ? Buffer.alloc(0) : await this.#body.read(last)
    const whole = Buffer.concat([makeHead(null), body])
    await this.#upload.putWhole(whole, signal)
    this.#storedBytes = body.length
    await this.#sender.stop()
    const uploadId = await this.#sender.knownUploadId()
    if (uploadId !== null) await abortUpload(session, key, uploadId)
    return continueCrc(EMPTY_CRC, whole)
  }

  /** Never rejects. */
  async #letGo(isFinished: boolean): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const { journal, folder, spool } = this.#parts
    if (isFinished) await journal.write({ done: true }).catch(() => {})
    await this.#sender.stop()
    const beside = [this.#recovery, this.#tails]
    await Promise.all(beside.map((each) => (isFinished ? each?.remove() : each?.stop())))
    await this.#body.close()
    await journal.close().catch(() => {})
    if (isFinished) {
      await rm(folder, { recursive: true, force: true }).catch(() => {
        // Its journal says that nothing here is needed any more.
      })
    }
    await spool.close()
  }
}
