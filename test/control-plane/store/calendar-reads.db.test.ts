/** Lists of events and calendars of a team with very many: each page is found by an index, wherever it begins. */

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listCalendars, listEvents, listOlderEvents, listSeries } from '../../../control-plane/store/calendars/reads.ts'
import type { PageRequest, Places } from '../../../control-plane/store/pages.ts'
import { atEnd } from '../../fakes/at-end.ts'
import { openWorld } from '../world.ts'
import { openExplained } from './explained.ts'

const CALENDARS = 300
const EVENTS = 20_000

const opened = await openWorld()
const { database, plansOf } = openExplained(opened.url)
const team = { id: await opened.teamId() }
const owner = { teamId: team.id, generation: 'v2' as const }
await sql`
  insert into calendars (team_id, generation, platform, raw_calendar_id, name, account_email, is_primary, created_at)
  select ${team.id}, 'v2', 'google', n, 'Ann', n || '@example.com', true, now() - n * interval '1 second'
  from generate_series(1, ${CALENDARS}::int) n`.execute(database)
const { rows } = await sql<{ id: string }>`select id from calendars order by created_at desc limit 1`.execute(database)
const busy = rows[0]!.id
await sql`
  with series as (
    insert into calendar_series (calendar_id, provider_id, event_type, created_at)
    select calendars.id, n, 'one_off', now() + n * interval '1 ms' from calendars,
      generate_series(1, case when calendars.id = ${busy}::uuid then ${EVENTS}::int else 20 end) n
    returning id, calendar_id, provider_id
  )
  insert into calendar_events (calendar_id, series_id, provider_id, is_recurring, is_exception, title, starts_at, ends_at,
    is_all_day, status, is_organizer, provider_updated_at, raw, content_hash)
  select calendar_id, id, provider_id, false, false, 'Event', at, at + interval '1 hour', false, 'confirmed', false, at,
    '{}', '' from series, lateral (select now() + provider_id::int / 3 * interval '1 minute' as at) time`.execute(
  database,
)
await sql`analyze`.execute(database)
atEnd(() => database.destroy())

/** The page in the middle, and every item of all pages in order. */
async function walk<Row extends { id: string }>(
  list: (page: PageRequest) => Promise<Places & { rows: Row[] }>,
  limit: number,
): Promise<{ ids: string[]; middle: PageRequest }> {
  const ids: string[] = []
  const pages: PageRequest[] = []
  for (let page: PageRequest | null = { limit, from: null }; page !== null; ) {
    pages.push(page)
    const { rows, next }: Places & { rows: Row[] } = await list(page)
    ids.push(...rows.map(({ id }) => id))
    page = next && { limit, from: { place: next, direction: 'after' } }
  }
  return { ids, middle: pages[Math.floor(pages.length / 2)]! }
}

const everyEvent = { showCancelled: true }

test('events: all of them, each once, by the index, also those that start at one instant', async () => {
  const { ids, middle } = await walk((page) => listEvents(database, busy, everyEvent, page), 250)
  expect(new Set(ids).size).toBe(EVENTS)
  expect(ids).toHaveLength(EVENTS)
  for (const page of [{ limit: 50, from: null }, middle]) {
    const plan = await plansOf(() => listEvents(database, busy, everyEvent, page))
    expect(plan).toContain('using calendar_events_of_calendar')
    expect(plan).not.toMatch(/Seq Scan on calendar_events\b|Seq Scan on calendar_series|\bSort\b/)
  }
})

test('a page before another is the one from which the other was reached', async () => {
  const list = (page: PageRequest) => listEvents(database, busy, everyEvent, page)
  const first = await list({ limit: 7, from: null })
  const second = await list({ limit: 7, from: { place: first.next!, direction: 'after' } })
  const back = await list({ limit: 7, from: { place: second.previous!, direction: 'before' } })
  expect(back.rows).toEqual(first.rows)
  expect(back.previous).toBeNull()
})

test('events of the older generation, from now on, by the index', async () => {
  const { rows, next } = await listOlderEvents(database, busy, { when: 'upcoming' }, { limit: 100, from: null })
  expect(rows).toHaveLength(100)
  const plan = await plansOf(() =>
    listOlderEvents(database, busy, { when: 'upcoming' }, { limit: 100, from: { place: next!, direction: 'after' } }),
  )
  expect(plan).toContain('using calendar_events_of_calendar')
  expect(plan).not.toMatch(/Seq Scan on calendar_(events|series)\b/)
})

test('series with their events, by the indexes', async () => {
  const list = async (page: PageRequest) => {
    const { series, ...places } = await listSeries(database, busy, { showCancelled: true }, page)
    return { rows: series, ...places }
  }
  const { ids, middle } = await walk(list, 250)
  expect(new Set(ids).size).toBe(EVENTS)
  const plan = await plansOf(() => list({ ...middle, limit: 50 }))
  expect(plan).toContain('using calendar_series_of_calendar')
  expect(plan).toContain('calendar_events_of_series')
  expect(plan).not.toMatch(/Seq Scan on calendar_(events|series)\b/)
})

test('calendars, newest first, by the index', async () => {
  const list = async (page: PageRequest) => {
    const { calendars, ...places } = await listCalendars(database, owner, {}, page)
    return { rows: calendars, ...places }
  }
  const { ids, middle } = await walk(list, 50)
  expect(new Set(ids).size).toBe(CALENDARS)
  // So few rows would be read whole: whether the index fits the list is what is asked here.
  await sql`set enable_seqscan = off`.execute(database)
  const plan = await plansOf(() => list(middle))
  await sql`reset enable_seqscan`.execute(database)
  expect(plan).toContain('using calendars_of_team')
  expect(plan).not.toMatch(/\bSort\b/)
})
