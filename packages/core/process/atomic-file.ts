/** Small files that appear under their name only when they are complete. */
import { randomUUID } from 'node:crypto'
import * as files from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The file system functions in use, so that tests can simulate a full disk. */
export type FileDisk = Pick<typeof files, 'writeFile' | 'rename' | 'rm'>

/**
 * Writes a temporary file and renames it, so that a full disk or a kill leaves the earlier file or none, never half of
 * one. A link at the path is replaced and not followed. Rejects with the error of the file system.
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
