/** The stand-in of Google Calendar keeps what Google's documentation promises. */
import { type MockGoogleCalendar, StandInClock, startMockGoogleCalendar } from '@standin/mock/calendars/index.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const NOW = new Date('2026-11-24T09:00:00Z')
const at = (text: string) => new Date(text)
const RANGE = { timeMin: '2026-11-24T09:00:00Z', timeMax: '2026-12-24T09:00:00+00:00' }

interface Body {
  items: { id: string; status: string; [key: string]: unknown }[]
  nextPageToken?: string
  nextSyncToken?: string
  error?: { code: number; errors: { reason: string }[] }
  [key: string]: unknown
}

let google: MockGoogleCalendar
let authorization: string
const calendar = () => google.accounts[0]!.primary

beforeEach(async () => {
  google = await startMockGoogleCalendar({ clock: new StandInClock(NOW) })
  const account = google.addAccount({ email: 'ann@example.com' })
  authorization = `Bearer ${google.tokens.exchange(google.tokens.consent(account))!.accessToken}`
})
afterEach(() => google.close())

async function get(path: string, query: Record<string, string> = {}): Promise<{ status: number; body: Body }> {
  const url = `${google.url}/calendar/v3/${path}?${new URLSearchParams(query)}`
  const response = await fetch(url, { headers: { authorization } })
  return { status: response.status, body: (await response.json()) as Body }
}
const list = (query: Record<string, string>) => get('calendars/primary/events', query)
const reasonOf = ({ body }: { body: Body }) => body.error?.errors[0]?.reason

describe('list of events', () => {
  test('timeMin bounds the end, timeMax the start, both exclusive', async () => {
    const make = (title: string, start: string, end: string) =>
      calendar().create({ title, start: at(start), end: at(end) })
    make('over', '2026-11-24T08:00:00Z', '2026-11-24T09:00:00Z')
    make('running', '2026-11-24T08:30:00Z', '2026-11-24T09:30:00Z')
    make('last', '2026-12-24T08:59:00Z', '2026-12-24T10:00:00Z')
    make('too late', '2026-12-24T09:00:00Z', '2026-12-24T10:00:00Z')
    const { body } = await list({ singleEvents: 'true', ...RANGE })
    expect(body.items.map(({ summary }) => summary)).toEqual(['running', 'last'])
  })

  test('the sync token is on the last page only', async () => {
    for (let hour = 10; hour < 15; hour++) calendar().create({ start: at(`2026-11-25T${hour}:00:00Z`) })
    const pages: Body[] = []
    let pageToken: string | undefined
    do {
      const { body } = await list({ singleEvents: 'true', maxResults: '2', ...RANGE, ...(pageToken && { pageToken }) })
      pages.push(body)
      pageToken = body.nextPageToken
    } while (pageToken)
    expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1])
    expect(pages.map((page) => 'nextSyncToken' in page)).toEqual([false, false, true])
    expect(new Set(pages.flatMap(({ items }) => items.map(({ id }) => id))).size).toBe(5)
  })

  test('changes always contain deleted events, and a cancelled instance is little more than an id', async () => {
    const series = calendar().create({ start: at('2026-11-25T10:00:00Z'), repeats: { every: 'day', count: 3 } })
    const single = calendar().create({ start: at('2026-11-26T12:00:00Z') })
    const { body: full } = await list({ singleEvents: 'true', ...RANGE })
    calendar().delete(series, at('2026-11-26T10:00:00Z'))
    calendar().delete(single)
    const { body } = await list({ singleEvents: 'true', syncToken: full.nextSyncToken! })
    expect(body.items).toHaveLength(2)
    const [instance] = body.items
    expect(instance).toMatchObject({ id: `${series}_20261126T100000Z`, status: 'cancelled', recurringEventId: series })
    expect(instance).not.toHaveProperty('start')
    expect(body.items[1]).toMatchObject({ id: single, status: 'cancelled' })
    const hidden = await list({ singleEvents: 'true', ...RANGE })
    expect(hidden.body.items).toHaveLength(2)
    const shown = await list({ singleEvents: 'true', showDeleted: 'true', ...RANGE })
    expect(shown.body.items).toHaveLength(4)
  })

  test.each([
    ['timeMin', RANGE.timeMin],
    ['timeMax', RANGE.timeMax],
    ['q', 'x'],
    ['orderBy', 'updated'],
    ['iCalUID', 'x'],
    ['updatedMin', RANGE.timeMin],
    ['showDeleted', 'false'],
  ])('%s beside a sync token is refused', async (name, value) => {
    const { body } = await list({ singleEvents: 'true', ...RANGE })
    const refused = await list({ singleEvents: 'true', syncToken: body.nextSyncToken!, [name]: value })
    expect(refused.status).toBe(400)
    expect(reasonOf(refused)).toBe('invalid')
  })

  test('an expired sync token is answered with 410, and a malformed one with 400', async () => {
    const { body } = await list({ singleEvents: 'true', ...RANGE })
    expect((await list({ singleEvents: 'false', syncToken: body.nextSyncToken! })).status).toBe(400)
    google.forgetCursors()
    const dead = await list({ singleEvents: 'true', syncToken: body.nextSyncToken! })
    expect([dead.status, reasonOf(dead)]).toEqual([410, 'fullSyncRequired'])
  })
})
