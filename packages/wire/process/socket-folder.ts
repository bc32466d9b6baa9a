import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'

/** Bytes of a socket's path with its final zero, on Linux (sun_path in unix(7)). */
const SOCKET_PATH_LIMIT = 108

/** Letters that every program takes in an argument without quotes. */
const PLAIN = /^[\w./-]+$/

/** Whether a socket of this path can exist; `isPlain`: and a program reads the path from an unquoted argument. */
export function fitsSocket(path: string, { isPlain = false }: { isPlain?: boolean } = {}): boolean {
  return Buffer.byteLength(path) < SOCKET_PATH_LIMIT && (!isPlain || PLAIN.test(path))
}

/**
 * The folder of temporary files if sockets fit below it, else the first of the system's that does: TMPDIR may be long
 * or hold blanks. `tail` is what follows it in the longest socket path. Throws a sentence if no folder fits.
 */
export function socketParent(tail: string, options: { isPlain?: boolean } = {}): string {
  const folders = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']
  const folder = folders.find((place) => fitsSocket(`${place}/${tail}`, options) && isWritable(place))
  if (folder !== undefined) return folder
  const condition = options.isPlain ? ' and has only letters, digits, ".", "_" and "-"' : ''
  throw new Error(
    `No temporary folder fits a socket: set TMPDIR to one that has fewer than ${SOCKET_PATH_LIMIT - tail.length} bytes${condition}.`,
  )
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
