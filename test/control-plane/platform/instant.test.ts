import { readInstant } from '@standin/control-plane/platform/instant.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test.each([
  ['2026-11-30T10:00:00Z', '2026-11-30T10:00:00.000Z'],
  ['2026-11-30t10:00z', '2026-11-30T10:00:00.000Z'],
  ['2026-11-30T10:00:00.123456789+05:30', '2026-11-30T04:30:00.123Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-11-31T10:00:00Z', null],
  ['2026-02-29', null],
  ['2026-13-01T10:00:00Z', null],
  ['2026-11-00T10:00:00Z', null],
  ['2026-11-30T25:00:00Z', null],
  ['2026-11-30T10:00:00', null],
  ['30 Nov 2026', null],
  ['', null],
])('%s', (text, expected) => {
  expect(readInstant(text)?.toISOString() ?? null).toBe(expected)
})

test('every day that exists is read as itself, and no other', () => {
  const part = (max: number) => fc.integer({ min: 0, max }).map((number) => String(number).padStart(2, '0'))
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 9999 }), part(14), part(35), (year, month, day) => {
      const text = `${year}-${month}-${day}`
      const read = readInstant(text)
      const isReal =
        Number(month) >= 1 &&
        Number(month) <= 12 &&
        Number(day) >= 1 &&
        Number(day) <= new Date(Date.UTC(year, Number(month), 0)).getUTCDate()
      expect(read?.toISOString().slice(0, 10) ?? null).toBe(isReal ? text : null)
    }),
  )
})
