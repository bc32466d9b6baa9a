/** Unpacks a `.tar.gz` that somebody else made: plain files and folders only, inside one folder, bounded in size. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const BLOCK = 512

/** Rejects for a name that leaves the folder and for more than `maxBytes`. Links and devices are left out. */
export async function unpackTar(gzipped: Uint8Array, folder: string, maxBytes: number): Promise<void> {
  const tar = gunzipSync(gzipped, { maxOutputLength: maxBytes })
  let longName: string | null = null
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK)
    if (header.every((byte) => byte === 0)) return
    const size = Number.parseInt(textIn(header, 124, 12), 8) || 0
    const type = String.fromCharCode(header[156] ?? 0)
    const content = tar.subarray(at + BLOCK, at + BLOCK + size)
    if (content.length < size) throw new Error('the archive ends in the middle of a file')
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
    // Long names come as entries of their own, in GNU's form and in that of POSIX.
    if (type === 'L') {
      longName = textIn(content, 0, size)
      continue
    }
    if (type === 'x') {
      longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(Buffer.from(content).toString('utf8'))?.[1] ?? longName
      continue
    }
    const prefix = textIn(header, 345, 155)
    const name: string = longName ?? (prefix === '' ? textIn(header, 0, 100) : `${prefix}/${textIn(header, 0, 100)}`)
    longName = null
    const path = placeIn(folder, name)
    if (type === '5') await mkdir(path, { recursive: true })
    if (type === '0' || type === '\0') {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content, { mode: 0o600 })
    }
  }
}

function textIn(bytes: Uint8Array, from: number, length: number): string {
  const field = Buffer.from(bytes.subarray(from, from + length))
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? field.length : end).trim()
}

function placeIn(folder: string, name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (name.startsWith('/') || parts.includes('..')) throw new Error('the archive names a file outside of its folder')
  return join(folder, ...parts)
}
