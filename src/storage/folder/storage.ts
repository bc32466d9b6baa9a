import { createHash, randomUUID } from 'node:crypto'
import { constants, createWriteStream, type Stats } from 'node:fs'
import * as files from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { mkdirs } from '../../../packages/core/process/mkdirs.ts'
import type { GrowingFile, GrowingStart, Storage, StoredFile } from '../../../packages/core/recording.ts'
import { StorageError } from '../error.ts'
import { nameParts, recordingFolder } from '../names.ts'
import { Spool } from '../spool.ts'
import { explainFolderError, systemCode } from './errors.ts'
import { OWN_FILE, READ_NO_LINK, syncFolder, writeAll } from './file-writing.ts'
import { GrowingFolderFile } from './growing-file.ts'

const CHUNK_BYTES = 1024 * 1024

/** The calls of the file system that are used here, so that tests can have a disk that is full or loses data. */
export type Disk = Pick<typeof files, 'copyFile' | 'link' | 'mkdir' | 'open' | 'realpath' | 'rename' | 'rm' | 'stat'>

interface Contents {
  bytes: number
  sha256: string
}

/**
 * Reads a file to its end, or one byte beyond `expectedBytes`: a file that grows as fast as it is copied has no end.
 * Each chunk also goes to `onChunk`.
 */
async function readContents(
  handle: files.FileHandle,
  expectedBytes: number,
  signal: AbortSignal,
  onChunk: (chunk: Uint8Array) => Promise<void> = async () => {},
): Promise<Contents> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  const hash = createHash('sha256')
  for (let bytes = 0; ; ) {
    signal.throwIfAborted()
    const wanted = Math.min(buffer.length, expectedBytes + 1 - bytes)
    const { bytesRead } = wanted === 0 ? { bytesRead: 0 } : await handle.read(buffer, 0, wanted, bytes)
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
    const chunk = buffer.subarray(0, bytesRead)
    hash.update(chunk)
    await onChunk(chunk)
    bytes += bytesRead
  }
}

/**
 * A recording in `<folder>/<bot id>/`. A file appears under its name only whole and checked: it is written under a
 * temporary name beside it, synced, read back, and renamed.
 */
export class FolderStorage implements Storage {
  readonly #folder: string
  readonly #disk: Disk
  readonly #spool: Spool

  constructor(config: { path: string }, recording: { botId: string }, disk: Disk = files) {
    if (config.path === '' || config.path.includes('\0')) {
      throw new StorageError('invalid', 'The storage folder needs a path')
    }
    this.#folder = path.join(path.resolve(config.path), recordingFolder(recording.botId))
    this.#disk = disk
    this.#spool = new Spool(this.#folder)
  }

  location(): string {
    return this.#folder
  }

  async prepare(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const temporary = this.#temporaryIn(this.#folder)
    try {
      await mkdirs(this.#folder, this.#disk)
      const handle = await this.#disk.open(temporary, 'wx', OWN_FILE)
      try {
        // A full disk often still takes empty files.
        await writeAll(handle, Buffer.alloc(4096))
        await handle.sync()
      } finally {
        await handle.close()
      }
    } catch (error) {
      throw explainFolderError(error, 'store recordings', this.#folder)
    } finally {
      await this.#disk.rm(temporary, { force: true }).catch(() => {
        // The same cause has already failed the write, and that error is reported.
      })
    }
  }

  async store(file: { name: string; path: string; contentType: string }, signal: AbortSignal): Promise<StoredFile> {
    const target = path.join(this.#folder, ...nameParts(file.name))
    const action = `store ${file.name}`
    signal.throwIfAborted()
    const source = await this.#disk.open(file.path, READ_NO_LINK).catch((error: unknown) => {
      throw explainFolderError(error, action, file.path)
    })
    try {
      const stats = await source.stat()
      if (!stats.isFile()) throw new StorageError('invalid', `Cannot ${action}: ${file.path} is not a file.`)
      await mkdirs(path.dirname(target), this.#disk)
      const contents = await this.#place(source, stats, file.path, target, signal)
      return { name: file.name, location: target, ...contents }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw explainFolderError(error, action, target)
    } finally {
      await source.close()
    }
  }

  async grow(file: GrowingStart, signal: AbortSignal): Promise<GrowingFile> {
    const target = path.join(this.#folder, ...nameParts(file.name))
    signal.throwIfAborted()
    return GrowingFolderFile.begin(file, { disk: this.#disk, spool: this.#spool, target })
  }

  async fetch(name: string, local: string, signal: AbortSignal, mostBytes?: number): Promise<void> {
    const stored = path.join(this.#folder, ...nameParts(name))
    signal.throwIfAborted()
    try {
      if (await this.#isAlreadyThere(local, stored)) return
      if (mostBytes === undefined) await this.#disk.copyFile(stored, local, constants.COPYFILE_FICLONE)
      else await this.#copyBeginning(stored, local, mostBytes, signal)
    } catch (error) {
      throw explainFolderError(error, `read ${name}`, stored)
    }
  }

  async #copyBeginning(stored: string, local: string, bytes: number, signal: AbortSignal): Promise<void> {
    const source = await this.#disk.open(stored, READ_NO_LINK)
    const beginning = source.createReadStream({ end: bytes - 1 })
    await pipeline(beginning, createWriteStream(local, { mode: 0o600 }), { signal })
  }

  #temporaryIn(folder: string): string {
    return path.join(folder, `.standin-${randomUUID()}.partial`)
  }

  async #place(
    source: files.FileHandle,
    stats: Stats,
    sourcePath: string,
    target: string,
    signal: AbortSignal,
  ): Promise<Contents> {
    if (await this.#isAlreadyThere(sourcePath, target)) {
      await source.sync()
      return this.#checked(await readContents(source, stats.size, signal), stats.size, sourcePath)
    }
    const temporary = this.#temporaryIn(path.dirname(target))
    try {
      const isLinked = (await this.#isInside(sourcePath)) && (await this.#link(sourcePath, temporary))
      const contents = isLinked
        ? await this.#syncLinked(source, stats.size, signal)
        : await this.#copy(source, stats.size, temporary, signal)
      this.#checked(contents, stats.size, sourcePath)
      if (!isLinked) await this.#readBack(temporary, contents, target, signal)
      signal.throwIfAborted()
      await this.#disk.rename(temporary, target)
      await syncFolder(this.#disk, path.dirname(target))
      const stored = await this.#disk.stat(target)
      return this.#checked(contents, stored.size, target)
    } finally {
      // Renaming one link of a file over another link of it does nothing, so the temporary name may still be there.
      await this.#disk.rm(temporary, { force: true }).catch(() => {
        // Whether the file is stored was decided before; a temporary name that stays is only untidy.
      })
    }
  }

  /** Whether the recorder wrote the file straight to where it belongs. */
  async #isAlreadyThere(sourcePath: string, target: string): Promise<boolean> {
    const [from, to] = await Promise.all(
      [sourcePath, target].map((each) =>
        this.#disk.realpath(each).catch((error: unknown) => {
          if (systemCode(error) === 'ENOENT') return null
          throw error
        }),
      ),
    )
    return from !== null && from === to
  }

  async #isInside(sourcePath: string): Promise<boolean> {
    const [folder, from] = await Promise.all([this.#disk.realpath(this.#folder), this.#disk.realpath(sourcePath)])
    return from.startsWith(folder + path.sep)
  }

  /** A second name for the same bytes; false if the file system has none, and the bytes are copied instead. */
  async #link(sourcePath: string, temporary: string): Promise<boolean> {
    try {
      await this.#disk.link(await this.#disk.realpath(sourcePath), temporary)
      return true
    } catch (error) {
      if (['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(systemCode(error) ?? ''))
        return false
      throw error
    }
  }

  async #syncLinked(source: files.FileHandle, bytes: number, signal: AbortSignal): Promise<Contents> {
    await source.sync()
    return readContents(source, bytes, signal)
  }

  async #copy(source: files.FileHandle, bytes: number, temporary: string, signal: AbortSignal): Promise<Contents> {
    const copy = await this.#disk.open(temporary, 'wx', OWN_FILE)
    try {
      const contents = await readContents(source, bytes, signal, (chunk) => writeAll(copy, chunk))
      await copy.sync()
      return contents
    } finally {
      await copy.close()
    }
  }

  async #readBack(temporary: string, expected: Contents, target: string, signal: AbortSignal): Promise<void> {
    const handle = await this.#disk.open(temporary, 'r')
    try {
      const found = await readContents(handle, expected.bytes, signal)
      if (found.bytes === expected.bytes && found.sha256 === expected.sha256) return
      throw new StorageError(
        'corrupted',
        `The copy at ${target} differs from the recording: ` +
          `${found.bytes} of ${expected.bytes} bytes, SHA-256 ${found.sha256} instead of ${expected.sha256}. ` +
          'The disk may be failing.',
      )
    } finally {
      await handle.close()
    }
  }

  #checked(contents: Contents, expectedBytes: number, place: string): Contents {
    if (contents.bytes === expectedBytes) return contents
    throw new StorageError(
      'corrupted',
      `${place} changed while it was stored: ${contents.bytes} of ${expectedBytes} bytes`,
    )
  }
}
