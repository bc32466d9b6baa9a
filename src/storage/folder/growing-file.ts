import { Buffer } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { mkdirs } from '../../../packages/core/process/mkdirs.ts'
import type { GrowingFile, GrowingStart, StoredFile } from '../../../packages/core/recording.ts'
import { type Crc, continueCrc, crcHex, EMPTY_CRC, joinCrc } from '../crc32.ts'
import { StorageError } from '../error.ts'
import { type Growth, GrowthJournal } from '../growth-journal.ts'
import { checkedHead, leastRoom, padHead } from '../moov-reserve.ts'
import type { Spool } from '../spool.ts'
import { explainFolderError, systemCode } from './errors.ts'
import { CHANGE_NO_LINK, OWN_FILE, syncFolder, writeAll } from './file-writing.ts'
import type { Disk } from './storage.ts'

/** Bodies up to this size are copied behind a head of exact size, so that short recordings carry no empty room. */
const COMPACT_BYTES = 32 * 1024 * 1024
const COPY_BYTES = 1024 * 1024
/** A power cut costs at most this much more than a killed process does. */
const SYNC_EVERY_MS = 2_000

export const GROWING_NAME = 'growing'

interface Parts {
  disk: Disk
  spool: Spool
  /** The file's own folder in the spool. */
  folder: string
  name: string
  /** Where it belongs. */
  target: string
  room: number
  handle: FileHandle
  journal: GrowthJournal
}

/**
 * Grows beside its place, on the same file system, and is renamed into it. With the recovery head in front it plays at
 * any moment.
 */
export class GrowingFolderFile implements GrowingFile {
  readonly #parts: Parts
  #appended: Promise<void> = Promise.resolve()
  #body: Crc = EMPTY_CRC
  #syncing: Promise<void> = Promise.resolve()
  #syncedAt = 0
  #stored: StoredFile | null = null
  #isClosed = false

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  static async begin(
    { name, contentType, headBytes, recoveryHead }: GrowingStart,
    place: { disk: Disk; spool: Spool; target: string },
  ): Promise<GrowingFolderFile> {
    const { disk, spool, target } = place
    const room = leastRoom(headBytes, recoveryHead)
    const opened: { close(): Promise<void> }[] = []
    let folder: string | null = null
    try {
      folder = await spool.open(name)
      const encoded = Buffer.from(recoveryHead).toString('base64')
      const start = { name, contentType, room, recoveryHead: encoded, startedAt: Date.now() }
      const journal = await GrowthJournal.begin(folder, start)
      opened.push(journal)
      const handle = await disk.open(path.join(folder, GROWING_NAME), 'wx+', OWN_FILE)
      opened.push(handle)
      // Written out and not left as a hole: the head must find its room on a disk that is full by then.
      await writeAll(handle, padHead(recoveryHead, room), 0)
      return new GrowingFolderFile({ disk, spool, folder, name, target, room, handle, journal })
    } catch (error) {
      for (const each of opened) await each.close().catch(() => {})
      if (folder !== null) {
        await disk.rm(folder, { recursive: true, force: true }).catch(() => {})
        await spool.close()
      }
      throw explainFolderError(error, `store ${name}`, target)
    }
  }

  /**
   * Continues a file that a crashed process left in the spool, to finish it: `bytes` of its body are whole, and have the checksum
   * `body` if that is known already.
   */
  static async goOn(
    growth: Growth,
    place: { disk: Disk; spool: Spool; folder: string; target: string; bytes: number; body: Crc | null },
  ): Promise<GrowingFolderFile> {
    const { disk, spool, folder, target, bytes } = place
    const { name, room } = growth.start
    const handle = await disk.open(path.join(folder, GROWING_NAME), CHANGE_NO_LINK)
    const journal = await GrowthJournal.goOn(folder)
    const file = new GrowingFolderFile({ disk, spool, folder, name, target, room, handle, journal })
    if (place.body !== null) file.#body = place.body
    else for await (const chunk of readBody(handle, room, room + bytes)) file.#body = continueCrc(file.#body, chunk)
    return file
  }

  append(bytes: Uint8Array): Promise<void> {
    const appended = this.#appended.then(() => this.#write(bytes))
    this.#appended = appended
    // The next append fails with this error too, so a caller that did not wait gets it.
    appended.catch(() => {})
    return appended
  }

  storedBytes(): number {
    return this.#body.bytes
  }

  async finish(makeHead: (room: number | null) => Uint8Array, signal: AbortSignal): Promise<StoredFile> {
    if (this.#stored !== null) return this.#stored
    const { name, target } = this.#parts
    try {
      if (this.#isClosed) throw new StorageError('invalid', `${name} was closed before it was finished`)
      await this.#appended.catch(() => {
        // The caller of that append got the error; the bytes before it are finished.
      })
      signal.throwIfAborted()
      const whole = (await this.#finishCompact(makeHead, signal)) ?? (await this.#finishInPlace(makeHead, signal))
      await this.#parts.journal.write({ done: true }).catch(() => {
        // On a full disk: recovery would find the file once more, and store it beside this one.
      })
      this.#stored = { name, location: target, bytes: whole.bytes, sha256: null, crc32: crcHex(whole) }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw explainFolderError(error, `store ${name}`, target)
    }
    await this.#letGo(true)
    return this.#stored
  }

  async close(): Promise<void> {
    await this.#appended.catch(() => {})
    await this.#letGo(false)
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { handle, journal, room, target, name } = this.#parts
    try {
      if (this.#isClosed) throw new StorageError('invalid', `${name} grows no longer`)
      await writeAll(handle, bytes, room + this.#body.bytes)
      await journal.write({ to: this.#body.bytes + bytes.length })
      this.#body = continueCrc(this.#body, bytes)
    } catch (error) {
      throw explainFolderError(error, `store more of ${name}`, target)
    }
    this.#syncNowAndThen()
  }

  #syncNowAndThen(): void {
    const now = performance.now()
    if (now - this.#syncedAt < SYNC_EVERY_MS) return
    this.#syncedAt = Number.POSITIVE_INFINITY
    this.#syncing = this.#parts.handle
      .datasync()
      .catch(() => {
        // A disk that cannot keep what it took says so again when the file is finished.
      })
      .then(() => {
        this.#syncedAt = performance.now()
      })
  }

  /** Null if the body is too large for it, or the disk has no room for a copy. */
  async #finishCompact(makeHead: (room: null) => Uint8Array, signal: AbortSignal): Promise<Crc | null> {
    if (this.#body.bytes > COMPACT_BYTES) return null
    const { disk, folder, handle, room } = this.#parts
    const compact = path.join(folder, 'compact')
    const head = makeHead(null)
    await disk.rm(compact, { force: true })
    const copy = await disk.open(compact, 'wx', OWN_FILE)
    try {
      await writeAll(copy, head, 0)
      let body: Crc = EMPTY_CRC
      for await (const chunk of readBody(handle, room, room + this.#body.bytes)) {
        signal.throwIfAborted()
        await writeAll(copy, chunk, head.length + body.bytes)
        body = continueCrc(body, chunk)
      }
      this.#checkBody(body)
      await copy.sync()
      const whole = joinCrc(continueCrc(EMPTY_CRC, head), body)
      await this.#place(compact, whole.bytes)
      return whole
    } catch (error) {
      if (!['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '')) throw error
      await disk.rm(compact, { force: true })
      return null
    } finally {
      await copy.close()
    }
  }

  /** Nothing is written but the head, however long the recording is. */
  async #finishInPlace(makeHead: (room: number) => Uint8Array, signal: AbortSignal): Promise<Crc> {
    const { folder, handle, room } = this.#parts
    const head = checkedHead(makeHead(room), room)
    await writeAll(handle, head, 0)
    // Removes bytes that a failed append left after the last whole piece.
    await handle.truncate(room + this.#body.bytes)
    await handle.sync()
    const found = Buffer.alloc(room)
    await handle.read(found, 0, room, 0)
    signal.throwIfAborted()
    if (!found.equals(head))
      throw new StorageError('corrupted', 'The head on the disk differs from the one that was written')
    const whole = joinCrc(continueCrc(EMPTY_CRC, head), this.#body)
    await this.#place(path.join(folder, GROWING_NAME), whole.bytes)
    return whole
  }

  #checkBody(found: Crc): void {
    if (found.bytes === this.#body.bytes && found.value === this.#body.value) return
    throw new StorageError(
      'corrupted',
      `The file ${this.#parts.name} on the disk differs from the recording: ${found.bytes} of ${this.#body.bytes} bytes, ` +
        `CRC-32 ${crcHex(found)} instead of ${crcHex(this.#body)}. The disk may be failing.`,
    )
  }

  async #place(from: string, bytes: number): Promise<void> {
    const { disk, target } = this.#parts
    const { size } = await disk.stat(from)
    if (size !== bytes) throw new StorageError('corrupted', `${from} has ${size} of ${bytes} bytes`)
    await mkdirs(path.dirname(target), disk)
    await disk.rename(from, target)
    await syncFolder(disk, path.dirname(target))
  }

  /** Never rejects. */
  async #letGo(isFinished: boolean): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const { disk, folder, handle, journal, spool } = this.#parts
    await this.#syncing
    for (const each of [handle, journal]) await each.close().catch(() => {})
    if (isFinished) {
      await disk.rm(folder, { recursive: true, force: true }).catch(() => {
        // The file is at its place; recovery finds that and removes the rest.
      })
    }
    await spool.close()
  }
}

/** The bytes from one place in the file to another, or to its end, in separate chunks. */
export async function* readBody(handle: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  for (let position = from; position < to; ) {
    const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, to - position))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}
