import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { systemCode } from './errors.ts'
import type { Disk } from './storage.ts'

/** Of files in a recording's folder: a link that was planted there is an error (ELOOP). */
export const READ_NO_LINK = constants.O_RDONLY | constants.O_NOFOLLOW
export const CHANGE_NO_LINK = constants.O_RDWR | constants.O_NOFOLLOW
export const APPEND_NO_LINK = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW
/** New files of a recording are for our user alone. */
export const OWN_FILE = 0o600

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
