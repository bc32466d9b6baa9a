/** Times of Microsoft's events: names of Windows zones, custom zones, whole days. */
import { readGraphEvent } from '@standin/control-plane/calendars/providers/microsoft/events.ts'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import { WINDOWS_TO_IANA_MAP } from 'windows-iana'

const moment = (dateTime: string, timeZone: unknown) => ({ dateTime, timeZone })

function read(item: object) {
  const result = readGraphEvent({ id: 'e', type: 'singleInstance', ...item }, {})
  return result.kind === 'event'
    ? [result.event.start.toISOString(), result.event.end.toISOString()]
    : 'problem' in result && result.problem
}

test.each([
  ['W. Europe Standard Time', '2026-11-30T09:00:00.000Z'],
  ['Pacific Standard Time', '2026-11-30T18:00:00.000Z'],
  ['Europe/Berlin', '2026-11-30T09:00:00.000Z'],
  ['UTC', '2026-11-30T10:00:00.000Z'],
  ['tzone://Microsoft/Utc', '2026-11-30T10:00:00.000Z'],
  ['tzone://Microsoft/Custom', '2026-11-30T10:00:00.000Z'],
  [null, '2026-11-30T10:00:00.000Z'],
])('10:00 in %s', (zone, start) => {
  const times = read({
    start: moment('2026-11-30T10:00:00.0000000', zone),
    end: moment('2026-11-30T11:00:00.0000000', zone),
  })
  expect(times).toEqual([start, new Date(Date.parse(start) + 3_600_000).toISOString()])
})

test('an unknown zone is named', () => {
  const at = moment('2026-11-30T10:00:00.0000000', 'Mars Standard Time')
  expect(read({ start: at, end: at })).toBe('the time zone "Mars Standard Time" is unknown')
})

test.each([
  ['Tokyo Standard Time', '2026-11-28T15:00:00.000Z', '2026-11-29T15:00:00.000Z'],
  ['Europe/Berlin', '2026-11-28T23:00:00.000Z', '2026-11-29T23:00:00.000Z'],
  ['tzone://Microsoft/Custom', '2026-11-29T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
  [null, '2026-11-29T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
])('a whole day in %s', (originalStartTimeZone, start, end) => {
  const day = {
    isAllDay: true,
    originalStartTimeZone,
    start: moment('2026-11-29T00:00:00.0000000', 'UTC'),
    end: moment('2026-11-30T00:00:00.0000000', 'UTC'),
  }
  expect(read(day)).toEqual([start, end])
})

test('whole days of any Windows zone begin at the first moment of that day there', () => {
  const names = WINDOWS_TO_IANA_MAP.filter(({ territory }) => territory === '001')
  const days = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-30'), noInvalidDate: true })
  fc.assert(
    fc.property(fc.constantFrom(...names), days, ({ windowsName, iana }, date) => {
      const day = Temporal.PlainDate.from(date.toISOString().slice(0, 10))
      const next = day.add({ days: 1 })
      const starts = [day, next].map((each) => new Date(each.toZonedDateTime(iana[0]!).epochMilliseconds).toISOString())
      expect(
        read({
          isAllDay: true,
          originalStartTimeZone: windowsName,
          start: moment(`${day}T00:00:00.0000000`, 'UTC'),
          end: moment(`${next}T00:00:00.0000000`, 'UTC'),
        }),
      ).toEqual(starts)
    }),
  )
})
