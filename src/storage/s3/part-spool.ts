/** The body of a growing file as parts of one size, each a file on this machine until the server has it. */
import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { type Crc, continueCrc, EMPTY_CRC } from '../crc32.ts'
import { StorageError } from '../error.ts'
import { OWN_FILE, READ_NO_LINK, writeAll } from '../folder/file-writing.ts'
import type { Spool } from '../spool.ts'

/** One part while it is here. */
export interface SpooledPart {
  number: number
  path: string
  bytes: number
  crc: Crc
  /** Running digests, so that sending costs no further look at the bytes. */
  md5: Hash
  sha256: Hash | null
}

export function partPath(folder: string, number: number): string {
  return path.join(folder, `part-${String(number).padStart(5, '0')}`)
}

export class PartSpool {
  readonly #folder: string
  readonly #spool: Spool
  readonly #partBytes: number
  readonly #withSha256: boolean
  #filling: SpooledPart | null = null
  #handle: FileHandle | null = null
  readonly #firstNumber: number
  #nextNumber: number

  constructor(options: {
    folder: string
    spool: Spool
    partBytes: number
    firstNumber: number
    withSha256: boolean
  }) {
    this.#folder = options.folder
    this.#spool = options.spool
    this.#partBytes = options.partBytes
    this.#withSha256 = options.withSha256
    this.#firstNumber = options.firstNumber
    this.#nextNumber = options.firstNumber
  }

  /**
   * Keeps one piece. Parts that it filled go to `onFull`, once `whenKept` has resolved. After a rejection the spool holds
   * what it held before, and takes nothing more.
   */
  async append(bytes: Uint8Array, whenKept: () => Promise<void>, onFull: (part: SpooledPart) => void): Promise<void> {
    if (!this.#spool.reserve(bytes.length)) {
      const limit = Math.round(this.#spool.limitBytes / 1024 / 1024)
      throw new StorageError(
        'full',
        `The server has not taken enough of the recording for too long: the spool of ${limit} MiB on this machine is full ` +
          '(storage.spool_limit_mb).',
      )
    }
    const before = this.#filling
    const written: { part: SpooledPart; piece: Uint8Array }[] = []
    const filled: FileHandle[] = []
    try {
      for (let done = 0; done < bytes.length; ) {
        const part = this.#filling ?? (await this.#beginPart())
        const piece = bytes.subarray(done, done + this.#partBytes - part.bytes)
        await writeAll(this.#handle!, piece, part.bytes)
        written.push({ part, piece })
        done += piece.length
        if (part.bytes + piece.length < this.#partBytes) break
        filled.push(this.#handle!)
        this.#filling = null
        this.#handle = null
      }
      await whenKept()
    } catch (error) {
      this.#filling = before
      throw error
    } finally {
      for (const handle of filled) await handle.close()
    }
    for (const { part, piece } of written) {
      part.bytes += piece.length
      part.crc = continueCrc(part.crc, piece)
      part.md5.update(piece)
      part.sha256?.update(piece)
    }
    for (const { part } of written) if (part.bytes === this.#partBytes) onFull(part)
  }

  /** The part that is not full; null if nothing is left over. */
  unfinished(): SpooledPart | null {
    return this.#filling !== null && this.#filling.bytes > 0 ? this.#filling : null
  }

  /** Exactly what was appended to it: a failed append may have left more in the file. */
  async read(part: SpooledPart): Promise<Buffer> {
    const content = await readFile(part.path, { flag: READ_NO_LINK })
    if (content.length < part.bytes)
      throw new StorageError('corrupted', `${part.path} became shorter: ${content.length} of ${part.bytes} bytes`)
    return content.subarray(0, part.bytes)
  }

  /** A stretch of the body, offsets in bytes; null if one of its parts is not here any more. */
  async readRange(from: number, to: number): Promise<Buffer | null> {
    const content = Buffer.alloc(to - from)
    for (let done = 0; done < content.length; ) {
      const index = Math.floor((from + done) / this.#partBytes)
      const start = from + done - index * this.#partBytes
      const wanted = Math.min(content.length - done, this.#partBytes - start)
      const handle = await open(partPath(this.#folder, this.#firstNumber + index), READ_NO_LINK).catch(() => null)
      if (handle === null) return null
      try {
        const { bytesRead } = await handle.read(content, done, wanted, start)
        if (bytesRead < wanted) return null
      } finally {
        await handle.close()
      }
      done += wanted
    }
    return content
  }

  async remove(part: SpooledPart): Promise<void> {
    await rm(part.path, { force: true })
    this.#spool.giveBack(part.bytes)
  }

  /** Closes files; what is in them stays. */
  async close(): Promise<void> {
    await this.#handle?.close().catch(() => {})
    this.#handle = null
  }

  async #beginPart(): Promise<SpooledPart> {
    const number = this.#nextNumber
    const file = partPath(this.#folder, number)
    this.#handle = await open(file, 'wx', OWN_FILE)
    this.#nextNumber = number + 1
    this.#filling = {
      number,
      path: file,
      bytes: 0,
      crc: EMPTY_CRC,
      md5: createHash('md5'),
      sha256: this.#withSha256 ? createHash('sha256') : null,
    }
    return this.#filling
  }
}
