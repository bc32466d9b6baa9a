/** Finds a file of a page in the page's origin private file system, whose files have other names on the disk. */
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders of a profile that hold such files: of pages, and of pages inside of pages. */
const PLACES = ['Default/File System', 'Default/WebStorage']

/** Path of the file of exactly `bytes` bytes that begins with `mark`; null if there is none. Links are not followed. */
export async function findStoredFile(profile: string, mark: Uint8Array, bytes: number): Promise<string | null> {
  for (const place of PLACES) {
    const entries = await readdir(join(profile, place), { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isFile() && (await begins(path, mark, bytes))) return path
    }
  }
  return null
}

async function begins(path: string, mark: Uint8Array, bytes: number): Promise<boolean> {
  try {
    if ((await stat(path)).size !== bytes) return false
    await using file = await open(path)
    const start = Buffer.alloc(mark.length)
    await file.read(start, 0, start.length, 0)
    return start.equals(mark)
  } catch {
    // The browser removed it meanwhile.
    return false
  }
}
