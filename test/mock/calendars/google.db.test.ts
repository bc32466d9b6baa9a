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

describe('token endpoint', () => {
  const exchange = async (change: Record<string, string> = {}) => {
    const refresh_token = google.tokens.liveToken(google.accounts[0]!) ?? ''
    const form = {
      grant_type: 'refresh_token',
      client_id: 'standin-client',
      client_secret: 'standin-secret',
      refresh_token,
    }
    const response = await fetch(google.tokenUrl, { method: 'POST', body: new URLSearchParams({ ...form, ...change }) })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('gives an access token, and the same refresh token stays valid', async () => {
    for (let round = 0; round < 2; round++) {
      const { status, body } = await exchange()
      expect(status).toBe(200)
      expect(body).toMatchObject({ expires_in: 3599, token_type: 'Bearer' })
      expect(body).not.toHaveProperty('refresh_token')
    }
  })

  test('refuses a revoked token, a wrong secret, an unknown client', async () => {
    expect(await exchange({ client_secret: 'x' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await exchange({ client_id: 'x' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    const token = google.tokens.liveToken(google.accounts[0]!)!
    google.tokens.revoke(google.accounts[0]!)
    expect(await exchange({ refresh_token: token })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})

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

  test('a change while pages are read is in the next list of changes', async () => {
    calendar().create({ title: 'a', start: at('2026-11-25T10:00:00Z') })
    calendar().create({ title: 'b', start: at('2026-11-25T11:00:00Z') })
    const first = await list({ singleEvents: 'true', maxResults: '1', ...RANGE })
    calendar().create({ title: 'meanwhile', start: at('2026-11-25T12:00:00Z') })
    const last = await list({ singleEvents: 'true', maxResults: '1', ...RANGE, pageToken: first.body.nextPageToken! })
    const { body } = await list({ singleEvents: 'true', syncToken: last.body.nextSyncToken! })
    expect(body.items.map(({ summary }) => summary)).toEqual(['meanwhile'])
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

  test('changes may be outside of the window', async () => {
    const { body: full } = await list({ singleEvents: 'true', ...RANGE })
    calendar().create({ title: 'far', start: at('2027-06-01T10:00:00Z') })
    const { body } = await list({ singleEvents: 'true', syncToken: full.nextSyncToken! })
    expect(body.items.map(({ summary }) => summary)).toEqual(['far'])
  })

  test('without singleEvents a series is one entry with its rule, and its exceptions', async () => {
    const id = calendar().create({ start: at('2026-11-25T10:00:00Z'), repeats: { every: 'week', count: 4 } })
    calendar().move(id, at('2026-12-02T12:00:00Z'), undefined, at('2026-12-02T10:00:00Z'))
    const { body } = await list(RANGE)
    expect(body.items.map((item) => item.id)).toEqual([id, `${id}_20261202T100000Z`])
    expect(body.items[0]!.recurrence).toEqual(['RRULE:FREQ=WEEKLY;COUNT=4'])
    const single = await get(`calendars/primary/events/${id}_20261202T100000Z`)
    expect(single.body).toMatchObject({ start: { dateTime: '2026-12-02T12:00:00Z' }, recurringEventId: id })
  })

  test('"this and the following" makes an id of the old one, and ends the old rule', async () => {
    const id = calendar().create({ start: at('2026-11-25T10:00:00Z'), repeats: { every: 'day' } })
    const later = calendar().split(id, at('2026-11-28T10:00:00Z'))
    expect(later).toBe(`${id}_R20261128T100000`)
    const old = await get(`calendars/primary/events/${id}`)
    expect(old.body.recurrence).toEqual(['RRULE:FREQ=DAILY;UNTIL=20261128T095959Z'])
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

  test('a time without an offset, an empty range, an order that needs single events', async () => {
    expect((await list({ timeMin: '2026-11-24T09:00:00' })).status).toBe(400)
    expect(reasonOf(await list({ timeMin: RANGE.timeMax, timeMax: RANGE.timeMin }))).toBe('timeRangeEmpty')
    expect((await list({ orderBy: 'startTime' })).status).toBe(400)
  })

  test('an expired sync token is answered with 410, and a malformed one with 400', async () => {
    const { body } = await list({ singleEvents: 'true', ...RANGE })
    expect((await list({ singleEvents: 'false', syncToken: body.nextSyncToken! })).status).toBe(400)
    google.forgetCursors()
    const dead = await list({ singleEvents: 'true', syncToken: body.nextSyncToken! })
    expect([dead.status, reasonOf(dead)]).toEqual([410, 'fullSyncRequired'])
  })
})

test('Google Meet is a hangoutLink and a conference, another platform a conference of an add-on', async () => {
  calendar().create({ link: 'https://meet.google.com/abc-defg-hij', start: at('2026-11-25T10:00:00Z') })
  calendar().create({ link: 'https://zoom.us/j/12345678901', start: at('2026-11-25T11:00:00Z') })
  const { body } = await list({ singleEvents: 'true', ...RANGE })
  expect(body.items[0]).toMatchObject({
    hangoutLink: 'https://meet.google.com/abc-defg-hij',
    conferenceData: { conferenceSolution: { key: { type: 'hangoutsMeet' } } },
  })
  expect(body.items[1]).not.toHaveProperty('hangoutLink')
  expect(body.items[1]).toMatchObject({
    conferenceData: {
      conferenceSolution: { key: { type: 'addOn' } },
      entryPoints: [{ entryPointType: 'video', uri: 'https://zoom.us/j/12345678901' }],
    },
  })
})

test('errors are in the shape of Google, for tokens, places and scopes', async () => {
  expect(await get('calendars/nowhere/events')).toMatchObject({ status: 404, body: { error: { code: 404 } } })
  expect(reasonOf(await get('calendars/primary/events/nothing'))).toBe('notFound')
  google.accounts[0]!.scopes = []
  expect(reasonOf(await list(RANGE))).toBe('insufficientPermissions')
  google.tokens.expireAccess(google.accounts[0]!)
  expect(await list(RANGE)).toMatchObject({ status: 401, body: { error: { errors: [{ reason: 'authError' }] } } })
})
