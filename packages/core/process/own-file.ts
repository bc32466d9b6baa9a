/** Files in folders that other users may write into, such as the one for temporary files. */
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'

/** A folder of our user, and no link to one. */
export async function isOwnFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null)
  return found?.isDirectory() === true && found.uid === process.geteuid?.()
}

/**
 * The text of a regular file of our user. Rejects for any other entry at the path: a FIFO would be waited for without end, and
 * a link leads to any file of the machine.
 */
export async function readOwnFile(path: string, maxBytes: number): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const found = await file.stat()
  if (!found.isFile() || found.uid !== process.geteuid?.()) throw new Error(`${path} is no file of our own`)
  if (found.size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`)
  return file.readFile('utf8')
}
