import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** What is used of the file system, so that tests can have a disk that misbehaves. */
export interface FolderMaker {
  mkdir(path: string): Promise<unknown>
  stat(path: string): Promise<unknown>
}

/**
 * Makes a folder and all above it, one by one. Node's own recursive way never ends below `/proc`, and says "does not
 * exist" of a read-only disk; here the file system's own answer comes through.
 */
export async function makeFolder(folder: string, disk: FolderMaker = { mkdir, stat }): Promise<void> {
  const missing: string[] = []
  for (let place = folder; !(await exists(disk, place)); place = dirname(place)) missing.unshift(place)
  for (const place of missing) {
    try {
      await disk.mkdir(place)
    } catch (error) {
      // Somebody else made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

async function exists(disk: FolderMaker, place: string): Promise<boolean> {
  try {
    await disk.stat(place)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
