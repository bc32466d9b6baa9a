/** Small files that appear under their name only when they are complete. */
import { randomUUID } from 'node:crypto'
import * as files from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What is used of the file system, so that tests can have a disk that becomes full. */
export type FileDisk = Pick<typeof files, 'writeFile' | 'rename' | 'rm'>

/**
 * Writes a file beside its place and renames it, so that a full disk or a kill leaves the earlier file or none, never half
 * of one. A link that lies at the place is replaced and not followed. Rejects with what the file system says.
 */
export async function writeWholeFile(
  path: string,
  content: string | Uint8Array,
  disk: FileDisk = files,
): Promise<void> {
  const beside = join(dirname(path), `.standin-${randomUUID()}.partial`)
  try {
    await disk.writeFile(beside, content, { flag: 'wx', mode: 0o600 })
    await disk.rename(beside, path)
  } catch (error) {
    await disk.rm(beside, { force: true }).catch(() => {
      // The reason why the file could not be written matters; a partial file that stays is only untidy.
    })
    throw error
  }
}
