/** Times without an offset, in the zone that is meant. */
import { instantInZone, instantOf } from '@standin/control-plane/calendars/providers/wall-clock.ts'
import { expect, test } from 'vitest'
import { WINDOWS_TO_IANA_MAP } from 'windows-iana'

test.each([
  ['2026-11-24T14:00:00.0000000', 'UTC', '2026-11-24T14:00:00.000Z'],
  ['2026-11-24T14:00:00.1234567', 'UTC', '2026-11-24T14:00:00.123Z'],
  ['2026-11-24', 'Europe/Berlin', '2026-11-23T23:00:00.000Z'],
  ['2026-07-01T12:00', 'Europe/Berlin', '2026-07-01T10:00:00.000Z'],
  ['2026-07-01T12:00:00', 'Asia/Kolkata', '2026-07-01T06:30:00.000Z'],
  // The hour that comes twice is the first one; the one that never comes has the offset before the change.
  ['2026-10-25T02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-03-08T02:30:00', 'America/New_York', '2026-03-08T07:30:00.000Z'],
  ['2026-11-01T01:30:00', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ['2026-10-04T02:15:00', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
  ['2026-11-30T10:00:00.0000000', 'W. Europe Standard Time', '2026-11-30T09:00:00.000Z'],
  ['2026-07-01T10:00:00', 'W. Europe Standard Time', '2026-07-01T08:00:00.000Z'],
  ['2026-11-30T10:00:00', 'Pacific Standard Time', '2026-11-30T18:00:00.000Z'],
  ['2026-07-01T10:00:00', 'PACIFIC standard time', '2026-07-01T17:00:00.000Z'],
  ['2026-11-30T10:00:00', 'UTC-11', '2026-11-30T21:00:00.000Z'],
  ['2026-11-30T10:00:00', 'Mid-Atlantic Standard Time', '2026-11-30T12:00:00.000Z'],
  ['2026-03-29T02:30:00', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-03-29T03:00:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['2026-11-01T00:00:00', 'America/New_York', '2026-11-01T04:00:00.000Z'],
  ['2026-02-30', 'UTC', null],
  ['2026-13-01', 'UTC', null],
  ['2026-11-24T24:00:00', 'UTC', null],
  ['2026-11-24', 'Mars/Base', null],
  ['2026-11-24', '', null],
  ['9999-12-31', 'UTC', null],
  ['0000-01-01', 'UTC', null],
  ['tomorrow', 'UTC', null],
])('%s in %s', (local, zone, expected) => {
  expect(instantInZone(local, zone)?.toISOString() ?? null).toBe(expected)
})

test.each([
  ['2026-11-24T14:00:00Z', '2026-11-24T14:00:00.000Z'],
  ['2026-11-24T14:00:00+05:30', '2026-11-24T08:30:00.000Z'],
  ['2026-11-24T14:00:00', null],
  ['2026-11-24', null],
  ['24 Nov 2026 14:00 UTC', null],
  ['+275760-09-13T00:00:00Z', null],
  ['9999-01-01T00:00:00Z', null],
])('%s', (text, expected) => {
  expect(instantOf(text)?.toISOString() ?? null).toBe(expected)
})

test('every Windows name of CLDR has a zone', () => {
  const names = new Set(WINDOWS_TO_IANA_MAP.map(({ windowsName }) => windowsName))
  expect(names.size).toBeGreaterThan(130)
  expect([...names].filter((name) => instantInZone('2026-11-24T14:00:00', name) === null)).toEqual([])
})
