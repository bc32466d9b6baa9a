import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import { continued } from '../../../control-plane/calendars/occurrences.ts'
import type { Place } from '../../../control-plane/store/calendars/successions.ts'

type Occurrence = Pick<Place, 'id' | 'at'>

/** Pairs of one series. */
function pairsOf(vanished: readonly Occurrence[], kept: readonly Occurrence[], fresh: readonly Occurrence[]) {
  const isSingle = (of: readonly Occurrence[]) => of.length === 1 && kept.length === 0
  const placesOf = (of: readonly Occurrence[], values: Pick<Place, 'is_gone' | 'is_now'>) =>
    of.map((one) => ({
      ...one,
      series_id: 's',
      is_recurring: !isSingle(of),
      is_free: !values.is_gone,
      ...values,
    }))
  return continued(
    [
      ...placesOf(vanished, { is_gone: true, is_now: true }),
      ...placesOf(kept, { is_gone: false, is_now: false }),
      ...placesOf(fresh, { is_gone: false, is_now: true }),
    ],
    () => undefined,
  )
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Occurrences at the same time of the day in a zone. */
function placed(name: string, start: Temporal.ZonedDateTime, stepDays: number, count: number): Occurrence[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${name}${index}`,
    at: new Date(start.add({ days: index * stepDays }).epochMilliseconds),
  }))
}

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Lagos', 'Asia/Kolkata']
const start = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
  .map((date) => Temporal.Instant.fromEpochMilliseconds(Math.floor(date.getTime() / 60_000) * 60_000))

test('a series that moves by less than half its step keeps each occurrence, over changes of the clocks and at both ends of the window', () => {
  fc.assert(
    fc.property(
      start,
      fc.constantFrom(...ZONES),
      fc.constantFrom(1, 7, 14),
      fc.integer({ min: 2, max: 30 }),
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.nat(2),
      fc.nat(2),
      (from, zone, step, count, share, missing, added) => {
        // The clocks may change by an hour within the first move, and again between the two places of another occurrence.
        const shift = Math.round((share * (step * 12 - 3) * HOUR) / 60_000)
        const old = from.toZonedDateTimeISO(zone)
        const next = old.add({ minutes: shift })
        const vanished = placed('old', old, step, count)
        const lost = Math.min(missing, count - 1)
        const fresh = placed('new', next, step, count + added).slice(lost)
        const pairs = pairsOf(vanished, [], fresh)
        for (const [index, { id }] of vanished.entries())
          expect(pairs.get(id), id).toBe(index < lost ? undefined : `new${index}`)
      },
    ),
    { numRuns: 500 },
  )
})

test('a series whose zone changes keeps each occurrence, also if only those after a change of the clocks move', () => {
  fc.assert(
    fc.property(start, fc.constantFrom(1, 7), fc.integer({ min: 2, max: 30 }), (from, step, count) => {
      const berlin = from.toZonedDateTimeISO('Europe/Berlin')
      const old = placed('old', berlin, step, count)
      const next = placed('new', berlin.toPlainDateTime().toZonedDateTime('Africa/Lagos'), step, count)
      const moves = old.map(({ at }, index) => at.getTime() !== next[index]!.at.getTime())
      const pairs = pairsOf(
        old.filter((_, index) => moves[index]),
        old.filter((_, index) => !moves[index]),
        next.filter((_, index) => moves[index]),
      )
      expect(Object.fromEntries(pairs)).toEqual(
        Object.fromEntries(old.flatMap(({ id }, index) => (moves[index] ? [[id, `new${index}`]] : []))),
      )
    }),
    { numRuns: 500 },
  )
})

const at = (id: string, day: number): Occurrence => ({ id, at: new Date(Date.UTC(2026, 10, 2) + day * DAY) })

test.each([
  ['Tuesday and Thursday become Wednesday and Friday', [1, 3, 8, 10], [], [2, 4, 9, 11], ['0-0', '1-1', '2-2', '3-3']],
  ['Thursday becomes Friday, Tuesday stays', [3, 10], [1, 8], [4, 11], ['0-0', '1-1']],
  ['one that is deleted does not become one that enters the window', [5], [4, 6, 7], [35], []],
  ['nor its neighbor that was added', [5], [3, 4, 6], [7], []],
  ['weekly becomes daily at another hour', [1, 8], [], [1.25, 2.25, 7.25, 8.25], ['0-0', '1-3']],
  ['a single event becomes a series', [1], [], [1, 8, 15], ['0-0']],
  ['a single event moves away and becomes a series', [1], [], [25, 26, 27], ['0-0']],
  ['a series becomes one event', [1, 8, 15], [], [8.25], ['1-0']],
  ['a single event that is far from the other', [1], [], [20], []],
  ['nothing is new', [1, 2], [], [], []],
])('%s', (_what, vanished, kept, fresh, wanted) => {
  const named = (days: readonly number[]) => days.map((day, index) => at(String(index), day))
  const pairs = pairsOf(named(vanished), named(kept), named(fresh))
  expect([...pairs].map(([old, next]) => `${old}-${next}`)).toEqual(wanted)
})

test('a series that is made again does not continue in its part that was split off minutes before, though that has its name', () => {
  const place = (series_id: string, { id, at: day }: Occurrence, is_gone: boolean, is_now: boolean): Place => ({
    id,
    series_id,
    is_recurring: true,
    at: day,
    is_gone,
    is_now,
    is_free: !is_gone,
  })
  const last = place('s', at('last', 1), true, true)
  const part = [8, 15].map((day) => place('part', at(`part ${day}`, day), false, false))
  const again = place('again', at('again', 1), false, true)
  const rankOf = (_old: string, by: string) => (by === 'part' ? 1 : 2)
  expect([...continued([last, ...part, again], rankOf)]).toEqual([['last', 'again']])
  expect([...continued([last, part[0]!, again], rankOf)]).toEqual([['last', 'again']])
  // It is deleted alone.
  expect([...continued([last, ...part], rankOf)]).toEqual([])
})
