import * as files from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Disk, FolderStorage } from '../../../../src/storage/folder/storage.ts'
import { openStorage } from '../../../../src/storage/index.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { storageContract } from '../contract.ts'
import { growthContract } from '../growth-contract.ts'
import { type GrowingPlace, localFile, never, rejectionOf, video } from '../place.ts'

const STEP = 1024 * 1024

type Act<T extends unknown[]> = (...args: T) => Promise<unknown>
interface Tampering {
  /** Writes of a temporary file. */
  write?: (write: Act<unknown[]>) => Act<unknown[]>
  /** Reads of a file. */
  read?: (read: Act<[Buffer, ...unknown[]]>, file: string) => Act<[Buffer, ...unknown[]]>
}

/** The real file system, whose opened files can be tampered with. */
function diskWith({ write, read }: Tampering): Disk {
  return {
    ...files,
    open: async (file, flags, mode) => {
      const handle = await files.open(file, flags, mode)
      if (flags === 'wx' && write) Object.assign(handle, { write: write(handle.write.bind(handle) as Act<unknown[]>) })
      if (flags === 'r' && read) Object.assign(handle, { read: read(handle.read.bind(handle) as never, String(file)) })
      return handle
    },
  }
}

/** A disk whose temporary files answer each write with this error once `bytes` were written. */
const failingDisk = (code: string, bytes = 0) =>
  diskWith({
    write(write) {
      let written = 0
      return async (...args) => {
        if (written >= bytes) throw Object.assign(new Error(`${code}: write`), { code })
        const answer = (await write(...args)) as { bytesWritten: number }
        written += answer.bytesWritten
        return answer
      }
    },
  })

/** A storage in a new folder. */
async function inFolder(disk?: Disk) {
  const root = temporaryFolder()
  return { root, storage: new FolderStorage({ path: root }, { botId: 'bot' }, disk) }
}

async function listAll(folder: string): Promise<string[]> {
  const entries = await files.readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
}

function folderPlace(root: string): GrowingPlace {
  let onMiddle: (() => void) | null = null
  let damaged: string | null = null
  const disk = diskWith({
    write:
      (write) =>
      async (...args) => {
        const answer = await write(...args)
        onMiddle?.()
        onMiddle = null
        return answer
      },
    read(read, file) {
      if (damaged === null || !path.basename(file).endsWith('.partial')) return read
      // The copy is opened for reading back: a bit of what the disk holds has flipped.
      damaged = null
      return async (buffer, ...args) => {
        const answer = await read(buffer, ...args)
        if ((answer as { bytesRead: number }).bytesRead > 0) buffer[0]! ^= 1
        return answer
      }
    },
  })
  return {
    stepBytes: STEP,
    longBytes: 33 * STEP,
    workFolder: (botId) => path.join(root, botId),
    addressOf: (botId, name) => path.join(root, botId, name),
    open: (botId) => new FolderStorage({ path: root }, { botId }, disk),
    read: (botId, name) => files.readFile(path.join(root, botId, name)).catch(() => null),
    leftovers: async (botId) => (await listAll(path.join(root, botId))).filter((file) => /\.standin-|spool/.test(file)),
    inTheMiddle(callback) {
      onMiddle = callback
    },
    damageNext(_botId, name) {
      damaged = name
    },
  }
}

const place = folderPlace(temporaryFolder())
storageContract('a folder', () => place)
growthContract('a folder', () => place)

describe('the folder storage', () => {
  test('makes the folder and those above it', async () => {
    const folder = path.join(temporaryFolder(), 'not', 'there yet')
    const storage = await openStorage({ type: 'folder', path: folder }, { botId: 'bot' })
    await storage.prepare(never)
    expect((await files.stat(path.join(folder, 'bot'))).isDirectory()).toBe(true)
    expect(await listAll(folder)).toEqual([])
    expect(storage.location()).toBe(path.join(folder, 'bot'))
    const relative = await openStorage({ type: 'folder', path: 'recordings' }, { botId: 'bot' })
    expect(relative.location()).toBe(path.resolve('recordings', 'bot'))
  })

  test('gives a file inside the target a second name instead of copying it', async () => {
    const { root, storage } = await inFolder()
    await storage.prepare(never)
    const work = path.join(root, 'bot', '.work')
    await files.mkdir(work)
    const local = await localFile(3 * STEP, work)
    for (const round of ['stored', 'stored again']) {
      const stored = await storage.store({ name: 'video.mp4', path: local.path, ...video }, never)
      expect(stored.sha256, round).toBe(local.sha256)
      const [here, there] = await Promise.all([files.stat(local.path), files.stat(stored.location)])
      expect(here.ino, round).toBe(there.ino)
      expect((await listAll(root)).sort(), round).toEqual(['bot/.work/local.bin', 'bot/video.mp4'])
    }
    await files.rm(local.path)
    expect((await files.readFile(path.join(root, 'bot', 'video.mp4'))).equals(local.content)).toBe(true)
  })

  test('copies where the file system has no links', async () => {
    const link = () => Promise.reject(Object.assign(new Error('EPERM: link'), { code: 'EPERM' }))
    const { root, storage } = await inFolder({ ...files, link })
    await storage.prepare(never)
    const local = await localFile(5000, path.join(root, 'bot'), 'raw.bin')
    const stored = await storage.store({ name: 'video.mp4', path: local.path, ...video }, never)
    expect((await files.stat(stored.location)).ino).not.toBe((await files.stat(local.path)).ino)
    expect(await files.readFile(stored.location)).toEqual(local.content)
  })

  test('what is stored is for our user alone, and a link is not stored', async () => {
    const root = temporaryFolder()
    const storage = new FolderStorage({ path: path.join(root, 'out') }, { botId: 'bot' })
    await storage.prepare(never)
    const local = await localFile(5000, root, 'raw.bin')
    const { location } = await storage.store({ name: 'debug/page.html', path: local.path, ...video }, never)
    const modes = [location, path.dirname(location), path.join(root, 'out', 'bot'), path.join(root, 'out')].map(
      async (place) => (await files.stat(place)).mode & 0o777,
    )
    expect(await Promise.all(modes)).toEqual([0o600, 0o700, 0o700, 0o700])
    await files.symlink(local.path, path.join(root, 'link'))
    const error = await rejectionOf(storage.store({ name: 'a', path: path.join(root, 'link'), ...video }, never))
    expect(error).toMatchObject({ trouble: 'invalid', message: expect.stringContaining('is a symbolic link') })
  })

  test('a file that is already stored under its name is checked and stays', async () => {
    const { root, storage } = await inFolder()
    await storage.prepare(never)
    const local = await localFile(5000, path.join(root, 'bot'), 'video.mp4')
    const stored = await storage.store({ name: 'video.mp4', path: local.path, ...video }, never)
    expect(stored).toEqual({ name: 'video.mp4', location: local.path, bytes: 5000, sha256: local.sha256 })
    expect(await listAll(root)).toEqual(['bot/video.mp4'])
  })

  test('a file that grows while it is stored is not taken for whole', async () => {
    const local = await localFile(2 * STEP)
    const write: Tampering['write'] =
      (write) =>
      async (...args) => {
        await files.appendFile(local.path, 'more')
        return write(...args)
      }
    const { root, storage } = await inFolder(diskWith({ write }))
    const error = await rejectionOf(storage.store({ name: 'a', path: local.path, ...video }, never))
    expect(error.message).toContain(`${local.path} changed while it was stored`)
    expect(await listAll(root)).toEqual([])
  })

  test.for([
    ['ENOSPC', 'full', 'no room left'],
    ['EDQUOT', 'full', 'no room left'],
    ['EFBIG', 'full', 'no room left'],
    ['EIO', 'other', 'the file system answered EIO'],
    ['EROFS', 'access', 'cannot be written'],
  ] as const)(
    'a disk that answers %s in the middle is reported, and the older file stays',
    async ([code, trouble, words]) => {
      const older = await localFile(100)
      const { root, storage } = await inFolder(failingDisk(code, STEP))
      await storage.store({ name: 'video.mp4', path: older.path, ...video }, never)
      const local = await localFile(3 * STEP)
      const error = await rejectionOf(storage.store({ name: 'video.mp4', path: local.path, ...video }, never))
      expect(error).toMatchObject({ name: 'StorageError', trouble })
      expect(error.message).toContain(words)
      expect(error.message).toContain(path.join(root, 'bot', 'video.mp4'))
      expect(await listAll(root)).toEqual(['bot/video.mp4'])
      expect(await files.readFile(path.join(root, 'bot', 'video.mp4'))).toEqual(older.content)
      expect((await files.readFile(local.path)).equals(local.content)).toBe(true)
    },
  )

  test('a full disk is found before the meeting', async () => {
    const { root, storage } = await inFolder(failingDisk('ENOSPC'))
    const error = await rejectionOf(storage.prepare(never))
    expect(error).toMatchObject({ trouble: 'full' })
    expect(await listAll(root)).toEqual([])
  })

  test.for([
    ['a file in place of the folder', ''],
    ['a file above the folder', 'deeper'],
  ])('%s is named', async ([, deeper]) => {
    const local = await localFile(10)
    const storage = await openStorage({ type: 'folder', path: path.join(local.path, deeper!) }, { botId: 'bot' })
    for (const attempt of [storage.prepare(never), storage.store({ name: 'a', path: local.path, ...video }, never)]) {
      const error = await rejectionOf(attempt)
      expect(error).toMatchObject({ name: 'StorageError', trouble: 'invalid' })
      expect(error.message).toContain(local.path)
      expect(error.message).toContain('is a file and not a folder')
    }
  })

  test('a place without write permission is named', async () => {
    // The kernel's own file system refuses even root.
    const storage = await openStorage({ type: 'folder', path: '/sys/standin' }, { botId: 'bot' })
    const error = await rejectionOf(storage.prepare(never))
    expect(error).toMatchObject({ name: 'StorageError', trouble: 'access' })
    expect(error.message).toContain('/sys/standin/bot cannot be written')
  })

  test('a folder under the name of the file is reported', async () => {
    const root = temporaryFolder()
    await files.mkdir(path.join(root, 'bot', 'video.mp4'), { recursive: true })
    const local = await localFile(10)
    const storage = await openStorage({ type: 'folder', path: root }, { botId: 'bot' })
    const error = await rejectionOf(storage.store({ name: 'video.mp4', path: local.path, ...video }, never))
    expect(error.message).toContain('is a folder')
    expect(await listAll(root)).toEqual([])
  })

  test.for(['', 'nul\0'])('the path %j is refused', async (folder) => {
    await expect(openStorage({ type: 'folder', path: folder }, { botId: 'bot' })).rejects.toThrow('needs a path')
  })
})
