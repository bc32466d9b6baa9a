/** The address where the stand-ins are read and changed. */
import { type MockCalendars, StandInClock, startMockCalendars } from '@standin/mock/calendars/index.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'

let calendars: MockCalendars
beforeEach(async () => {
  calendars = await startMockCalendars({ clock: new StandInClock(new Date('2026-11-24T09:00:00Z')) })
})
afterEach(() => calendars.close())

const call = async (action: Record<string, unknown>) => {
  const response = await fetch(calendars.control, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(action),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

test('shows the settings of the service and the refresh tokens', async () => {
  const text = await (await fetch(calendars.control)).text()
  for (const line of calendars.settings) expect(text).toContain(line)
  expect(calendars.settings.map((line) => line.split('=')[0])).toEqual([
    'STANDIN_GOOGLE_URL',
    'STANDIN_GOOGLE_TOKEN_URL',
    'STANDIN_GOOGLE_CONSENT_URL',
    'STANDIN_GOOGLE_CLIENT_ID',
    'STANDIN_GOOGLE_CLIENT_SECRET',
    'STANDIN_GRAPH_URL',
    'STANDIN_MICROSOFT_LOGIN_URL',
    'STANDIN_MICROSOFT_CLIENT_ID',
    'STANDIN_MICROSOFT_CLIENT_SECRET',
  ])
  for (const { tokens, accounts } of [calendars.google, calendars.microsoft])
    expect(text).toContain(tokens.liveToken(accounts[0]!))
})

test('refuses what pages of other sites can send', async () => {
  const revoke = { method: 'POST', body: JSON.stringify({ do: 'revoke', platform: 'google' }) }
  const json = { 'content-type': 'application/json' }
  for (const origin of ['https://evil.example', 'null'])
    expect((await fetch(calendars.control, { ...revoke, headers: { ...json, origin } })).status).toBe(421)
  expect((await fetch(calendars.control, revoke)).status).toBe(415)
  expect(calendars.google.tokens.liveToken(calendars.google.accounts[0]!)).not.toBeNull()
})

test('creates, changes and deletes a series over JSON', async () => {
  for (const platform of ['google', 'microsoft'] as const) {
    const start = '2026-11-25T10:00:00Z'
    const { body } = await call({
      do: 'create',
      platform,
      title: 'Daily',
      start,
      repeats: 'day',
      count: 5,
      invited: true,
    })
    const event = body.id!
    const instance = (day: number) => `2026-11-${day}T10:00:00.000Z`
    await call({ do: 'move', platform, event, instance: instance(25), byMinutes: 30 })
    await call({ do: 'cancel', platform, event, instance: instance(26) })
    await call({ do: 'respond', platform, event, instance: instance(27), answer: 'declined' })
    await call({ do: 'split', platform, event, instance: instance(28), byMinutes: 60, title: 'Later' })
    await call({ do: 'change', platform, event, link: 'https://zoom.us/j/12345678901' })
    const shown = calendars[platform].accounts[0]!.primary.between(new Date('2026-11-24'), new Date('2026-12-24')).map(
      ({ start, title, existence, answer, link }) => [start.toISOString().slice(8, 16), title, existence, answer, link],
    )
    const link = 'https://zoom.us/j/12345678901'
    expect(shown).toEqual([
      ['25T10:30', 'Daily', 'live', 'needsAction', link],
      ['26T10:00', 'Daily', 'cancelled', 'needsAction', link],
      ['27T10:00', 'Daily', 'live', 'declined', link],
      ['28T11:00', 'Later', 'live', 'needsAction', null],
      ['29T11:00', 'Later', 'live', 'needsAction', null],
    ])
    expect((await call({ do: 'delete', platform, event })).status).toBe(200)
  }
  const state = (await (await fetch(calendars.control)).json()) as {
    google: { accounts: { calendars: { events: unknown[] }[] }[] }
  }
  expect(state.google.accounts[0]!.calendars[0]!.events).toHaveLength(2)
})

test('tokens, limits and the clock', async () => {
  const { google, microsoft, clock } = calendars
  const before = clock.now()
  await call({ do: 'advance', minutes: 90 })
  expect(clock.now() - before).toBeGreaterThanOrEqual(90 * 60_000)
  await call({ do: 'revoke', platform: 'microsoft' })
  expect(microsoft.tokens.liveToken(microsoft.accounts[0]!)).toBeNull()
  const { body } = await call({ do: 'consent', platform: 'microsoft' })
  expect(microsoft.tokens.liveToken(microsoft.accounts[0]!)).toBe(body.id)
  const authorization = `Bearer ${google.tokens.exchange(google.tokens.liveToken(google.accounts[0]!)!)!.accessToken}`
  await call({ do: 'limit', platform: 'google' })
  const statuses = []
  for (let index = 0; index < 2; index++)
    statuses.push(
      (
        await fetch(`${google.url}/calendar/v3/calendars/primary/events?singleEvents=true`, {
          headers: { authorization },
        })
      ).status,
    )
  expect(statuses).toEqual([429, 200])
})

test('any answer in the place of a real one', async () => {
  const { google } = calendars
  await call({ do: 'answer', platform: 'google', operation: 'token', status: 503, body: { error: 'later' }, count: 2 })
  const statuses = []
  for (let index = 0; index < 3; index++) statuses.push((await fetch(google.tokenUrl, { method: 'POST' })).status)
  expect(statuses).toEqual([503, 503, 400])
})

test('an invalid action is refused with a message', async () => {
  expect(await call({ do: 'move', platform: 'google', event: 'x', byMinutes: 1 })).toEqual({
    status: 409,
    body: { problem: 'There is no event x' },
  })
  expect((await call({ do: 'create', platform: 'google', start: 'soon' })).body.problem).toMatch(/^start: /)
  expect(
    (await call({ do: 'create', platform: 'google', account: 'nobody', start: '2026-11-25T10:00:00Z' })).status,
  ).toBe(409)
  expect((await fetch(`${calendars.control}/nowhere`)).status).toBe(404)
})
