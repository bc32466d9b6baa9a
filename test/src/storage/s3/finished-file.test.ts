import { expect, test } from 'vitest'
import { partSize } from '../../../../src/storage/s3/finished-file.ts'

const MIB = 1024 * 1024

test('parts have the wanted size until their number would pass ten thousand, and then whole MiB more', () => {
  expect(partSize(0, 8 * MIB)).toBe(8 * MIB)
  expect(partSize(10_000 * 8 * MIB, 8 * MIB)).toBe(8 * MIB)
  expect(partSize(10_000 * 8 * MIB + 1, 8 * MIB)).toBe(9 * MIB)
  for (const bytes of [1e9, 8e10, 1e11, 5e12]) {
    const size = partSize(bytes, 8 * MIB)
    expect(Math.ceil(bytes / size)).toBeLessThanOrEqual(10_000)
    expect(size % MIB).toBe(0)
  }
})
