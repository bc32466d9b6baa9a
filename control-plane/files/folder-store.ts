/** Recordings in a folder of this machine. */
import { randomUUID } from 'node:crypto'
import { constants, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FileStore } from '../platform/ports.ts'
import { checkedParts, folderPrefix, keyParts } from './keys.ts'
import type { ServedFiles } from './serve-file.ts'
import { type LinkSigner, signKeys } from './signed-links.ts'

export function createFolderStore(path: string, links: LinkSigner): FileStore & ServedFiles {
  const root = resolve(path)

  async function openFile(key: string) {
    const parts = keyParts(key)
    if (parts === null) return null
    const target = join(root, ...parts)
    try {
      // A link anywhere on the path could lead to files that are no recordings.
      if ((await realpath(target)) !== join(await realpath(root), ...parts)) return null
      const file = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW)
      const facts = await file.stat()
      if (facts.isFile()) return { file, bytes: facts.size, changedAt: facts.mtime }
      await file.close()
      return null
    } catch (error) {
      if (isAbsent(error)) return null
      throw error
    }
  }

  async function list(prefix: string) {
    const folder = folderPrefix(prefix)
    const start = join(root, ...checkedParts(folder.slice(0, -1)))
    const entries = await readdir(start, { recursive: true, withFileTypes: true }).catch((error) => {
      if (isAbsent(error)) return []
      throw error
    })
    const files = entries.filter((entry) => !entry.isDirectory())
    return Promise.all(
      files.map(async (entry) => {
        const target = join(entry.parentPath, entry.name)
        const bytes = entry.isFile() ? ((await stat(target).catch(() => null))?.size ?? 0) : 0
        return { key: relative(root, target).split(sep).join('/'), bytes }
      }),
    )
  }

  return {
    async open(key) {
      const opened = await openFile(key)
      if (opened === null) return null
      const { file, ...facts } = opened
      return { ...facts, read: async (range) => file.createReadStream(range), close: () => file.close() }
    },
    list,
    bytesOf: async (prefix) => (await list(prefix)).reduce((sum, { bytes }) => sum + bytes, 0),
    jobStorage: (botId, attempt) => ({ type: 'folder', path: join(root, ...checkedParts(`${botId}/${attempt}`)) }),
    sign: signKeys(links),
    async read(key, maxBytes) {
      const opened = await openFile(key)
      if (opened === null) return null
      const { file, bytes } = opened
      try {
        if (bytes > maxBytes) throw new Error(`${key} has ${bytes} bytes, more than ${maxBytes}`)
        return new Uint8Array(await file.readFile())
      } finally {
        await file.close()
      }
    },
    async write(key, bytes) {
      const parts = checkedParts(key)
      const folder = join(root, ...parts.slice(0, -1))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      if ((await realpath(folder)) !== join(await realpath(root), ...parts.slice(0, -1))) {
        throw new Error(`${key} leads through a symbolic link`)
      }
      const target = join(root, ...parts)
      const draft = join(folder, `.${randomUUID()}.part`)
      try {
        await writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: true })
        await rename(draft, target)
      } catch (error) {
        await rm(draft, { force: true }).catch(() => {})
        throw error
      }
    },
    async deletePrefix(prefix) {
      const files = await list(prefix)
      const parts = checkedParts(folderPrefix(prefix).slice(0, -1))
      // A link is removed, its target is not.
      await rm(join(root, ...parts), { recursive: true, force: true })
      return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
    },
    async copy(key, target, signal) {
      const opened = await openFile(checkedParts(key).join('/'))
      if (opened === null) return false
      await pipeline(opened.file.createReadStream(), createWriteStream(target, { mode: 0o600 }), { signal })
      return true
    },
  }
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')
}
