import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it; one that exists stays as it is. Node's own `recursive` never ends where a folder refuses with
 * ENOENT, as /proc does. Rejects with the error of the system.
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const above = dirname(path)
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || (await stat(above).catch(() => null)) !== null) throw error
    await makeFolder(above, mode)
    await mkdir(path, { mode })
  }
}
