/** The file of the browser's storage that holds the picture, as a worker writes it. */

/** Missing in TypeScript's library for windows. */
export interface FrameFile {
  write(bytes: Uint8Array<ArrayBuffer>, options: { at: number }): number
  truncate(bytes: number): void
}
type FileHandle = FileSystemFileHandle & { createSyncAccessHandle(): Promise<FrameFile> }

const FILE_NAME = 'frames'
/** An earlier document may hold the file for a moment. */
const TRIES = 20
const RETRY_MS = 100

/** Rejects if the browser or the page provides no storage for it. */
export async function openFrameFile(): Promise<FrameFile> {
  const folder = await navigator.storage.getDirectory()
  const handle = (await folder.getFileHandle(FILE_NAME, { create: true })) as FileHandle
  for (let attempt = 1; ; attempt++) {
    try {
      return await handle.createSyncAccessHandle()
    } catch (error) {
      if (attempt >= TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
