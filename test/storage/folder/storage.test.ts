import * as files from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Disk, FolderStorage } from '../../../storage/folder/storage.ts'
import { openStorage } from '../../../storage/index.ts'
import { storageContract } from '../contract.ts'
import { growthContract } from '../growth-contract.ts'
import { type GrowingPlace, localFile, never, rejectionOf, temporaryFolder, video } from '../place.ts'

const STEP = 1024 * 1024

/** The real file system, whose opened files can be tampered with. */
function diskWith(onOpen: (handle: files.FileHandle, file: string, flags: unknown) => void): Disk {
  return {
    ...files,
    open: async (file, flags, mode) => {
      const handle = await files.open(file, flags, mode)
      onOpen(handle, String(file), flags)
      return handle
    },
  }
}

/** A disk whose temporary files answer each write with this error once `bytes` were written. */
function failingDisk(code: string, bytes = 0): Disk {
  return diskWith((handle, _file, flags) => {
    if (flags !== 'wx') return
    const write = handle.write.bind(handle) as (...args: unknown[]) => Promise<{ bytesWritten: number }>
    let written = 0
    const failing = async (...args: unknown[]) => {
      if (written >= bytes) throw Object.assign(new Error(`${code}: write`), { code })
      const answer = await write(...args)
      written += answer.bytesWritten
      return answer
    }
    Object.assign(handle, { write: failing })
  })
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
  const disk = diskWith((handle, file, flags) => {
    if (flags === 'wx' && onMiddle !== null) {
      const write = handle.write.bind(handle) as (...args: unknown[]) => Promise<unknown>
      const watched = async (...args: unknown[]) => {
        const answer = await write(...args)
        onMiddle?.()
        onMiddle = null
        return answer
      }
      Object.assign(handle, { write: watched })
    }
    if (flags === 'r' && damaged !== null && path.basename(file).endsWith('.partial')) {
      // The copy is opened for reading back: a bit of what the disk holds has flipped.
      const read = handle.read.bind(handle) as (buffer: Buffer, ...args: unknown[]) => Promise<{ bytesRead: number }>
      const flipped = async (buffer: Buffer, ...args: unknown[]) => {
        const answer = await read(buffer, ...args)
        if (answer.bytesRead > 0) buffer[0]! ^= 1
        return answer
      }
      Object.assign(handle, { read: flipped })
      damaged = null
    }
  })
  return {
    stepBytes: STEP,
    longBytes: 33 * STEP,
    workFolder: (botId) => path.join(root, botId),
    addressOf: (botId, name) => path.join(root, botId, name),
    open: (botId) => new FolderStorage({ path: root }, { botId }, disk),
    read: (botId, name) => files.readFile(path.join(root, botId, name)).catch(() => null),
    leftovers: async (botId) => (await listAll(path.join(root, botId))).filter((file) => /\.standin-|spool/.test(file)),
    inTheMiddle: (callback) => {
      onMiddle = callback
    },
    damageNext: (_botId, name) => {
      damaged = name
    },
  }
}

let root = ''
let place: GrowingPlace
beforeAll(async () => {
  root = await files.mkdtemp(path.join(tmpdir(), 'standin-folder-'))
  place = folderPlace(root)
})
afterAll(() => files.rm(root, { recursive: true, force: true }))
storageContract('a folder', () => place)
growthContract('a folder', () => place)

describe('the folder storage', () => {
  test('makes the folder and those above it', async () => {
    const folder = path.join(await temporaryFolder(), 'not', 'there yet')
    const storage = await openStorage({ type: 'folder', path: folder }, { botId: 'bot' })
    await storage.prepare(never)
    expect((await files.stat(path.join(folder, 'bot'))).isDirectory()).toBe(true)
    expect(await listAll(folder)).toEqual([])
    expect(storage.location()).toBe(path.join(folder, 'bot'))
  })

  test('gives an absolute location for a relative path', async () => {
    const storage = await openStorage({ type: 'folder', path: 'recordings' }, { botId: 'bot' })
    expect(storage.location()).toBe(path.resolve('recordings', 'bot'))
  })

  test('gives a file inside the target a second name instead of copying it', async () => {
    const root = await temporaryFolder()
    const storage = await openStorage({ type: 'folder', path: root }, { botId: 'bot' })
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
    const root = await temporaryFolder()
    const disk: Disk = {
      ...files,
      link: async () => {
        throw Object.assign(new Error('EPERM: link'), { code: 'EPERM' })
      },
    }
    const storage = new FolderStorage({ path: root }, { botId: 'bot' }, disk)
    await storage.prepare(never)
    const local = await localFile(5000, path.join(root, 'bot'), 'raw.bin')
    const stored = await storage.store({ name: 'video.mp4', path: local.path, ...video }, never)
    expect((await files.stat(stored.location)).ino).not.toBe((await files.stat(local.path)).ino)
    expect(await files.readFile(stored.location)).toEqual(local.content)
  })

  test('what is stored is for our user alone, and a link is not stored', async () => {
    const root = await temporaryFolder()
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
    const root = await temporaryFolder()
    const storage = await openStorage({ type: 'folder', path: root }, { botId: 'bot' })
    await storage.prepare(never)
    const local = await localFile(5000, path.join(root, 'bot'), 'video.mp4')
    const stored = await storage.store({ name: 'video.mp4', path: local.path, ...video }, never)
    expect(stored).toEqual({ name: 'video.mp4', location: local.path, bytes: 5000, sha256: local.sha256 })
    expect(await listAll(root)).toEqual(['bot/video.mp4'])
  })

  test('a file that grows while it is stored is not taken for whole', async () => {
    const root = await temporaryFolder()
    const local = await localFile(2 * STEP)
    const disk = diskWith((handle, _file, flags) => {
      if (flags !== 'wx') return
      const write = handle.write.bind(handle) as (...args: unknown[]) => Promise<unknown>
      const growing = async (...args: unknown[]) => {
        await files.appendFile(local.path, 'more')
        return write(...args)
      }
      Object.assign(handle, { write: growing })
    })
    const storage = new FolderStorage({ path: root }, { botId: 'bot' }, disk)
    const error = await rejectionOf(storage.store({ name: 'a', path: local.path, ...video }, never))
    expect(error.message).toContain(`${local.path} changed while it was stored`)
    expect(await listAll(root)).toEqual([])
  })

  test.for([
    ['ENOSPC', 'full', 'no room left'],
    ['EDQUOT', 'full', 'no room left'],
    ['EIO', 'other', 'the file system answered EIO'],
    ['EROFS', 'access', 'cannot be written'],
  ] as const)(
    'a disk that answers %s in the middle is reported, and the older file stays',
    async ([code, trouble, words]) => {
      const root = await temporaryFolder()
      const older = await localFile(100)
      await (await openStorage({ type: 'folder', path: root }, { botId: 'bot' })).store(
        { name: 'video.mp4', path: older.path, ...video },
        never,
      )
      const local = await localFile(3 * STEP)
      const storage = new FolderStorage({ path: root }, { botId: 'bot' }, failingDisk(code, STEP))
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
    const root = await temporaryFolder()
    const storage = new FolderStorage({ path: root }, { botId: 'bot' }, failingDisk('ENOSPC'))
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
    const root = await temporaryFolder()
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
