/** The Xauthority file that a display server and its clients share: who cannot read it cannot connect. See Xau(3). */
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'

const METHOD = 'MIT-MAGIC-COOKIE-1'
const COOKIE_BYTES = 16
/** The entry is for every address. The display number is left empty, which is every number: the server has yet to find one. */
const FAMILY_WILD = 0xffff

/** Writes a fresh cookie, readable by this user only. */
export async function writeXAuthority(path: string): Promise<void> {
  // The mode counts only for a file that is made.
  await rm(path, { force: true })
  await writeFile(path, xAuthority(randomBytes(COOKIE_BYTES)), { mode: 0o600, flag: 'wx' })
}

/** One entry: the family, then address, display number, method and cookie, each behind its length. Big-endian. */
export function xAuthority(cookie: Uint8Array): Buffer {
  const family = Buffer.alloc(2)
  family.writeUInt16BE(FAMILY_WILD)
  return Buffer.concat([family, ...['', '', METHOD, cookie].flatMap(counted)])
}

function counted(field: string | Uint8Array): Buffer[] {
  const bytes = Buffer.from(field)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return [length, bytes]
}
