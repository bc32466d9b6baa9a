import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cutToWhole, isIndexFirst, readFragments } from '../../recorder/mp4-boxes.ts'
import { inspectSegment, isUnfit, segmentName } from '../../recorder/segments.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-boxes-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function box(type: string, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents)
  const header = Buffer.alloc(8)
  header.writeUInt32BE(body.length + 8, 0)
  header.write(type, 4, 'latin1')
  return Buffer.concat([header, body])
}

function words(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, index * 4)
  return buffer
}

function track(id: number, handler: string, version = 0): Buffer {
  const header = version === 0 ? words(0, 0, 0, id) : words(0x01000000, 0, 0, 0, 0, id)
  return box('trak', box('tkhd', header), box('mdia', box('hdlr', words(0, 0), Buffer.from(handler))))
}

function fragment(counts: Record<number, number>, dataBytes = 10): Buffer {
  const tracks = Object.entries(counts).map(([id, count]) =>
    box('traf', box('tfhd', words(0, Number(id))), box('trun', words(0, count))),
  )
  return Buffer.concat([box('moof', ...tracks), box('mdat', Buffer.alloc(dataBytes))])
}

const HEADER = Buffer.concat([box('ftyp', Buffer.from('isom')), box('moov', track(1, 'vide', 1), track(2, 'soun'))])

async function file(...parts: Buffer[]): Promise<string> {
  const path = join(folder, `${Math.random()}.mp4`)
  await writeFile(path, Buffer.concat(parts))
  return path
}

test('pictures and packets of sound are counted over all whole fragments', async () => {
  const path = await file(HEADER, fragment({ 1: 15, 2: 23 }), fragment({ 1: 15, 2: 24 }), box('mfra'))
  const read = await readFragments(path)
  expect(read).toMatchObject({ samples: { video: 30, audio: 47, other: 0 } })
  expect(read.wholeBytes).toBe(read.bytes)
})

test.for([
  { cut: 'in its data', bytes: 9 },
  { cut: 'in its header', bytes: 60 },
  { cut: 'after its first byte', bytes: fragment({ 1: 15 }, 100).length - 1 },
])('a last fragment that ends $cut is not counted and cut off', async ({ bytes }) => {
  const whole = Buffer.concat([HEADER, fragment({ 1: 15, 2: 23 })])
  const last = fragment({ 1: 15 }, 100)
  const path = await file(whole, last.subarray(0, last.length - bytes))
  const read = await readFragments(path)
  expect(read).toMatchObject({ wholeBytes: whole.length, samples: { video: 15, audio: 23 } })
  await cutToWhole(path, read)
  expect((await stat(path)).size).toBe(whole.length)
})

test('boxes that claim nonsense end the reading and cost only themselves', async () => {
  const whole = Buffer.concat([HEADER, fragment({ 1: 15 })])
  for (const nonsense of [words(3, 0x6d6f6f66), words(1, 0x6d6f6f66, 0, 2), words(0xfffffff0, 0x6d646174, 0)]) {
    expect(await readFragments(await file(whole, nonsense))).toMatchObject({
      wholeBytes: whole.length,
      samples: { video: 15 },
    })
  }
})

test('a file without a complete header is unfit, kept aside if it holds anything, and says why', async () => {
  const cut = await file(HEADER.subarray(0, 60))
  await expect(readFragments(cut)).rejects.toThrow('no complete header')
  const unfit = await inspectSegment(cut, 30)
  expect(unfit).toEqual({ path: cut, reason: 'it has no complete header', keptAs: `${cut}.unfit` })
  expect((await stat(`${cut}.unfit`)).size).toBe(60)

  const empty = await file()
  expect(await inspectSegment(empty, 30)).toMatchObject({ keptAs: null })
  await expect(stat(empty)).rejects.toThrow('ENOENT')

  const missing = await inspectSegment(join(folder, 'missing.mp4'), 30)
  expect(isUnfit(missing) && missing.reason).toContain('ENOENT')
})

test('a segment lasts as long as its pictures, or its sound without what primes the decoder', async () => {
  const path = await file(HEADER, fragment({ 1: 45, 2: 76 }))
  expect(await inspectSegment(path, 30)).toMatchObject({ seconds: 1.5, cutBytes: 0 })
  expect(await inspectSegment(path, null)).toMatchObject({ seconds: (75 * 1024) / 48_000 })
})

test('whether the index comes first is read from the order of boxes', async () => {
  expect(await isIndexFirst(await file(box('ftyp'), box('moov'), box('mdat')))).toBe(true)
  expect(await isIndexFirst(await file(box('ftyp'), box('free'), box('mdat'), box('moov')))).toBe(false)
  expect(await isIndexFirst(await file(box('ftyp'), box('mdat')))).toBe(false)
})

test('names of segments sort in the order of their making', () => {
  expect([0, 8, 9, 99, 999].map(segmentName)).toEqual(['0001.mp4', '0009.mp4', '0010.mp4', '0100.mp4', '1000.mp4'])
})
