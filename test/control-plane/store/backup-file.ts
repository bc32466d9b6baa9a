/** The file of a small backup. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type Entry, writeArchive } from '@standin/control-plane/store/backup/archive.ts'

export const entries: Entry[] = [
  { name: 'backup.json', content: Buffer.from('{}') },
  { name: 'bots/1', content: Buffer.alloc(700, 'row\n') },
  { name: 'bots/2', content: Buffer.alloc(0) },
]
export const write = () => buffer(writeArchive(Readable.from(entries)))

/** A copy with one bit changed. */
export function flipped(file: Buffer, at: number): Buffer {
  const changed = Buffer.from(file)
  changed[at]! ^= 0x10
  return changed
}
