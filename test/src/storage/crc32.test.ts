import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Crc, CutCrc, continueCrc, crcHex, EMPTY_CRC, joinCrc } from '../../../src/storage/crc32.ts'

const of = (data: Uint8Array): Crc => continueCrc(EMPTY_CRC, data)

test.for([0, 1, 7, 8, 255, 4096, 99_999])('a whole split behind %d bytes has the joined checksum', (split) => {
  const whole = randomBytes(100_000)
  const joined = joinCrc(of(whole.subarray(0, split)), of(whole.subarray(split)))
  expect(joined).toEqual({ value: crc32(whole), bytes: whole.length })
})

test('runs of many gigabytes are joined as well, in any order', () => {
  // Beyond 32 bits: the checksum of 12 GiB of zeros, doubled up from 1 MiB that was looked at.
  let zeros = of(new Uint8Array(1024 * 1024))
  for (let size = 1; size < 12 * 1024; size *= 2) zeros = joinCrc(zeros, zeros)
  expect(zeros.bytes).toBe(16 * 1024 ** 3)
  const [first, last] = [of(Buffer.from('first')), of(Buffer.from('last'))]
  expect(joinCrc(joinCrc(first, zeros), last)).toEqual(joinCrc(first, joinCrc(zeros, last)))
})

test('hexadecimal digits are eight', () => {
  expect(crcHex({ value: 0xab, bytes: 1 })).toBe('000000ab')
})

test('bytes behind the end are cut off, where they are not too many', () => {
  const MIB = 1024 * 1024
  const whole = randomBytes(10 * MIB)
  const crc = new CutCrc()
  for (let from = 0; from < whole.length; from += 300_000) crc.push(whole.subarray(from, from + 300_000))
  for (const bytes of [whole.length, whole.length - 1, 7 * MIB])
    expect(crc.upTo(bytes)).toEqual(of(whole.subarray(0, bytes)))
  expect(crc.upTo(MIB)).toBeNull()
  expect(crc.upTo(whole.length + 1)).toBeNull()
})
