/** The file of a backup. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Entry, readArchive, writeArchive } from '@standin/control-plane/store/backup/archive.ts'
import { describe, expect, test } from 'vitest'
import { entries, flipped, write } from './backup-file.ts'

describe('the file', () => {
  const read = async (file: Buffer) => {
    const found: Entry[] = []
    for await (const entry of readArchive(Readable.from([file]))) found.push(entry)
    return found
  }
  test('cut at any place is refused', async () => {
    const file = await write()
    for (let bytes = 0; bytes < file.length; bytes++)
      await expect(read(file.subarray(0, bytes)), `${bytes} bytes`).rejects.toThrow('was cut off')
  })

  test('with any byte changed is refused, or gives what was written', async () => {
    const file = await write()
    for (let at = 0; at < file.length; at++) {
      const found = await read(flipped(file, at)).catch((error: Error) => error.message)
      if (typeof found === 'string') expect(found).toMatch(/^The backup is (?:damaged|not complete)/)
      else expect(found).toEqual(entries)
    }
  })

  test('with an entry left out or exchanged is refused', async () => {
    const other = await buffer(writeArchive(Readable.from(entries.toReversed())))
    expect(await read(other)).toEqual(entries.toReversed())
    const plain = gunzipSync(await write())
    const without = Buffer.concat([plain.subarray(0, 1024), plain.subarray(1024 + 512 + 1024)])
    await expect(read(gzipSync(without))).rejects.toThrow('an entry is missing')
  })
})
