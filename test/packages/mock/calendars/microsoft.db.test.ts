/** The stand-in of Microsoft Graph keeps what Graph promises, and has the faults that were seen. */
import { type MockMicrosoftCalendar, StandInClock, startMockMicrosoftCalendar } from '@standin/mock/calendars/index.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const NOW = new Date('2026-11-24T09:00:00Z')
const at = (text: string) => new Date(text)
const RANGE = 'startDateTime=2026-11-24T09:00:00Z&endDateTime=2026-12-24T09:00:00Z'

interface Item {
  id: string
  type?: string
  '@removed'?: { reason: string }
  [key: string]: unknown
}
interface Body {
  value: Item[]
  '@odata.nextLink'?: string
  '@odata.deltaLink'?: string
  error?: { code: string }
  [key: string]: unknown
}

let graph: MockMicrosoftCalendar
let authorization: string
const calendar = () => graph.accounts[0]!.primary
const base = () => `${graph.url}/v1.0/me/calendars/${encodeURIComponent(calendar().id)}`

beforeEach(async () => {
  graph = await startMockMicrosoftCalendar({ clock: new StandInClock(NOW) })
  const account = graph.addAccount({ email: 'ann@example.com' })
  authorization = `Bearer ${graph.tokens.exchange(graph.tokens.consent(account))!.accessToken}`
})
afterEach(() => graph.close())

async function get(url: string, prefer = 'odata.maxpagesize=50') {
  const response = await fetch(url, { headers: { authorization, prefer } })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

async function round(url = `${base()}/calendarView/delta?${RANGE}`) {
  const items: Item[] = []
  let next: string | undefined = url
  let link = ''
  while (next !== undefined) {
    const { body } = await get(next)
    items.push(...body.value)
    next = body['@odata.nextLink']
    link = body['@odata.deltaLink'] ?? ''
  }
  return { items, link }
}

describe('delta', () => {
  test('the first round has full single events and exceptions, series, and stubs of occurrences', async () => {
    const id = calendar().create({
      title: 'Weekly',
      start: at('2026-11-25T10:00:00Z'),
      repeats: { every: 'week', count: 3 },
    })
    calendar().move(id, at('2026-12-02T12:00:00Z'), undefined, at('2026-12-02T10:00:00Z'))
    calendar().create({ title: 'Single', start: at('2026-11-26T10:00:00Z') })
    const { items } = await round()
    expect(items.map(({ type }) => type).sort()).toEqual([
      'exception',
      'occurrence',
      'occurrence',
      'seriesMaster',
      'singleInstance',
    ])
    const stub = items.find(({ type }) => type === 'occurrence')!
    expect(
      Object.keys(stub)
        .filter((key) => !key.startsWith('@'))
        .sort(),
    ).toEqual(['end', 'id', 'seriesMasterId', 'start', 'type'])
    expect(items.find(({ type }) => type === 'singleInstance')).toMatchObject({
      subject: 'Single',
      start: { dateTime: '2026-11-26T10:00:00.0000000', timeZone: 'UTC' },
    })
  })

  test('its faults: removals outside of the range, missing ones inside a series, replays', async () => {
    const far = calendar().create({ title: 'Far', start: at('2027-06-01T10:00:00Z') })
    const single = calendar().create({ title: 'Single', start: at('2026-11-26T10:00:00Z') })
    const series = calendar().create({ start: at('2026-11-25T10:00:00Z'), repeats: { every: 'day', count: 3 } })
    const { link } = await round()
    calendar().change(far, { title: 'Farther' })
    calendar().delete(series, at('2026-11-26T10:00:00Z'))
    const { items } = await round(link)
    expect(items.filter((item) => item['@removed']).map(({ id }) => id)).toEqual([far])
    expect(items.filter(({ type }) => type === 'seriesMaster').map(({ id }) => id)).toEqual([series])
    expect(items.filter(({ type }) => type === 'singleInstance').map(({ id }) => id)).toEqual([single])

    Object.assign(graph.views.faults, { missingRemovals: false, outsideAsRemoved: false, replays: false })
    const plain = await round(link)
    expect(plain.items.filter((item) => item['@removed'])).toHaveLength(1)
    expect(plain.items.filter(({ type }) => type === 'singleInstance')).toEqual([])
  })

  test.each(['$select=id', '$filter=x', '$expand=x', '$orderby=x', '$search=x'])('%s is refused', async (query) => {
    expect((await get(`${base()}/calendarView/delta?${RANGE}&${query}`)).status).toBe(400)
  })

  test('an expired link is answered with 410 and the address of a new round', async () => {
    const { link } = await round()
    graph.forgetCursors()
    const { status, headers, body } = await get(link)
    expect([status, body.error?.code]).toEqual([410, 'syncStateNotFound'])
    expect(headers.get('location')).toBe(`${base()}/calendarView/delta`)
  })
})

test('the refresh token rotates; the old one is refused', async () => {
  const exchange = async (refresh_token: string, tenant = 'common') => {
    const form = {
      grant_type: 'refresh_token',
      client_id: 'standin-client',
      client_secret: 'standin-secret',
      refresh_token,
    }
    const url = `${graph.loginUrl}/${tenant}/oauth2/v2.0/token`
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const old = graph.tokens.liveToken(graph.accounts[0]!)!
  const { body } = await exchange(old)
  expect(body.refresh_token).not.toBe(old)
  expect(await exchange(old)).toMatchObject({ status: 400, body: { error: 'invalid_grant', error_codes: [50173] } })
  expect((await exchange(String(body.refresh_token))).status).toBe(200)
  expect(await exchange(old, 'nobody.example')).toMatchObject({ status: 400, body: { error_codes: [90002] } })
})

describe('subscriptions', () => {
  const subscribe = async (change: Record<string, unknown>) => {
    const body = {
      changeType: 'created,updated,deleted',
      notificationUrl: 'https://bots.example.com/hook',
      resource: '/me/events',
      expirationDateTime: new Date(NOW.getTime() + 3600_000).toISOString(),
      ...change,
    }
    const response = await fetch(`${graph.url}/v1.0/subscriptions`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }

  test.each([
    ['a life that is too long', { expirationDateTime: new Date(NOW.getTime() + 4231 * 60_000).toISOString() }],
    ['a life that is over', { expirationDateTime: NOW.toISOString() }],
    ['an unknown resource', { resource: '/me/messages' }],
    ['a client state that is too long', { clientState: 'x'.repeat(129) }],
    ['an address without https', { notificationUrl: 'http://bots.example.com/' }],
    ['an unknown type of change', { changeType: 'everything' }],
  ])('%s is refused', async (_name, change) => {
    expect((await subscribe(change)).status).toBe(400)
    expect(graph.subscriptions.live).toEqual([])
  })
})
