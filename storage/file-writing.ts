import type { FileHandle } from 'node:fs/promises'
import type { Disk } from './folder.ts'
import { systemCode } from './folder-errors.ts'

/** Writes all of it at a place in the file, or where the file ends so far. */
export async function writeAll(handle: FileHandle, data: Uint8Array, position: number | null = null): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const at = position === null ? null : position + done
    const { bytesWritten } = await handle.write(data, done, data.length - done, at)
    done += bytesWritten
  }
}

/** A rename survives a power cut only once its folder is synced; some file systems cannot, and need not. */
export async function syncFolder(disk: Pick<Disk, 'open'>, folder: string): Promise<void> {
  const handle = await disk.open(folder, 'r')
  try {
    await handle.sync()
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EBADF'].includes(systemCode(error) ?? '')) throw error
  } finally {
    await handle.close()
  }
}
