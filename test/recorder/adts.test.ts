import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { joinPackets, readPackets } from '../../recorder/adts.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-adts-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A packet whose only content byte tells it apart. */
function packet(mark: number, contentBytes = 1): Buffer {
  const bytes = 7 + contentBytes
  const header = [0xff, 0xf1, 0x4c, 0x80 | (bytes >> 11), (bytes >> 3) & 0xff, ((bytes & 7) << 5) | 0x1f, 0xfc]
  return Buffer.concat([Buffer.from(header), Buffer.alloc(contentBytes, mark)])
}

async function row(name: string, marks: number[], contentBytes = 1): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, Buffer.concat(marks.map((mark) => packet(mark, contentBytes))))
  return path
}

async function joined(rows: string[], starts: number[]): Promise<number[]> {
  const path = join(folder, 'joined')
  const file = await open(path, 'w')
  const count = await joinPackets(file, rows, starts, packet(0))
  await file.close()
  const marks: number[] = []
  for await (const read of readPackets(path)) marks.push(read[7]!)
  expect(marks).toHaveLength(count)
  return marks
}

test('packets are read whole across the borders of what the disk gives, and a cut one is left out', async () => {
  const path = await row('large', Array(400).fill(5), 6_000)
  const bytes = await readFile(path)
  await writeFile(path, bytes.subarray(0, -1))
  let count = 0
  for await (const read of readPackets(path)) {
    count++
    expect(read).toHaveLength(6_007)
  }
  expect(count).toBe(399)
})

test('what is not a row of packets is refused', async () => {
  const path = join(folder, 'wrong')
  await writeFile(path, 'this is no sound at all')
  await expect(readPackets(path).next()).rejects.toThrow('not a row of ADTS packets')
})

test('sound that is longer than its pictures is cut where the next span begins', async () => {
  const rows = [await row('a', [1, 1, 1, 1, 1, 1]), await row('b', [2, 2, 2])]
  // Three packets of sound after the priming one; the second span loses its own priming packet.
  expect(await joined(rows, [0, 3 * 1024])).toEqual([1, 1, 1, 1, 2, 2])
})

test('sound that ends before its pictures is filled up with silence', async () => {
  const rows = [await row('a', [1, 1, 1]), await row('b', [2, 2, 2])]
  expect(await joined(rows, [0, 4 * 1024])).toEqual([1, 1, 1, 0, 0, 2, 2])
})

test('each span begins at the packet nearest to its pictures, and roundings do not add up', async () => {
  const spans = 40
  const rows: string[] = []
  const starts: number[] = []
  for (let index = 0; index < spans; index++) {
    rows.push(await row(`span-${index}`, Array(20).fill(index + 1)))
    // 11.4 packets each.
    starts.push(Math.round(index * 11.4 * 1024))
  }
  const marks = await joined(rows, starts)
  for (let index = 1; index < spans; index++) {
    const begins = (marks.indexOf(index + 1) - 1) * 1024
    expect(Math.abs(begins - starts[index]!)).toBeLessThanOrEqual(512)
  }
})
