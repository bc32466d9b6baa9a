import { readdir, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { PartSpool, partPath, type SpooledPart } from '../../../../src/storage/s3/part-spool.ts'
import { Spool } from '../../../../src/storage/spool.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { rejectionOf } from '../place.ts'

const PART_BYTES = 1000

async function openSpool(): Promise<{ folder: string; parts: PartSpool; full: SpooledPart[]; append: Append }> {
  const folder = temporaryFolder()
  const spool = new Spool(folder, 10_000)
  const parts = new PartSpool({ folder, spool, partBytes: PART_BYTES, firstNumber: 2, withSha256: false })
  const full: SpooledPart[] = []
  const append: Append = (bytes) =>
    parts.append(
      bytes,
      async () => {},
      (part) => full.push(part),
    )
  return { folder, parts, full, append }
}
type Append = (bytes: Buffer) => Promise<void>

test('pieces of any size become parts of one size', async () => {
  const { folder, parts, full, append } = await openSpool()
  const whole = Buffer.from(Array.from({ length: 4500 }, (_, index) => index % 251))
  for (const [from, to] of [
    [0, 1],
    [1, 1000],
    [1000, 3700],
    [3700, 3700],
    [3700, 4500],
  ])
    await append(whole.subarray(from, to))
  expect(full.map(({ number, bytes }) => [number, bytes])).toEqual([
    [2, 1000],
    [3, 1000],
    [4, 1000],
    [5, 1000],
  ])
  expect(parts.unfinished()).toMatchObject({ number: 6, bytes: 500 })
  expect(await parts.readRange(950, 4500)).toEqual(whole.subarray(950))
  await parts.remove(full[0]!)
  expect(await parts.readRange(950, 4500)).toBeNull()
  expect((await readdir(folder)).sort()).toEqual(['part-00003', 'part-00004', 'part-00005', 'part-00006'])
  await parts.close()
})

test('a piece that cannot be kept whole takes nothing with it that was kept before', async () => {
  const { folder, parts, full, append } = await openSpool()
  await append(Buffer.alloc(600, 'kept'))
  // The next part cannot be begun, as on a disk without room for another file.
  await writeFile(partPath(folder, 3), 'in the way')
  expect((await rejectionOf(append(Buffer.alloc(900, 'lost')))).message).toContain('EEXIST')
  expect(full).toEqual([])
  const unfinished = parts.unfinished()!
  expect(unfinished).toMatchObject({ number: 2, bytes: 600 })
  expect(await parts.read(unfinished)).toEqual(Buffer.alloc(600, 'kept'))
  await parts.close()
})
