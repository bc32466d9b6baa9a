/** `/v2/calendars` with operations that note what was asked of them. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { ProviderError, type ProviderErrorKind } from '../../../../control-plane/platform/ports.ts'
import { MEET, openWorld } from '../../world.ts'
import { addCalendar, addEvent, addIntent, addSeries, fakeCalendars, inHours } from './fake.ts'

const fake = fakeCalendars()
const world = await openWorld({ api: { calendars: fake.operations } })
const db = world.database
let team: Awaited<ReturnType<typeof world.team>>
let stranger: Awaited<ReturnType<typeof world.team>>
beforeEach(async () => {
  team = await world.team()
  stranger = await world.team()
  fake.calls.length = 0
})

const OAUTH = { oauth_client_id: 'client', oauth_client_secret: 'secret-of-the-app', oauth_refresh_token: 'refresh-me' }
const CREDENTIALS = { clientId: 'client', clientSecret: 'secret-of-the-app', refreshToken: 'refresh-me' }
const create = { calendar_platform: 'google', ...OAUTH, raw_calendar_id: 'ann@example.com' }

describe('connections', () => {
  test('list-raw answers the calendars of the account', async () => {
    fake.answer('listRaw', [{ id: 'a', name: 'Ann', email: 'ann@example.com', isPrimary: true }])
    const answer = await team.post('/v2/calendars/list-raw', {
      calendar_platform: 'PlatformB',
      ...OAUTH,
      oauth_tenant_id: 'organizations',
    })
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, data: [{ id: 'a', name: 'Ann', email: 'ann@example.com', is_primary: true }] },
    })
    expect(fake.calls).toEqual([
      { name: 'listRaw', arguments: ['microsoft', { ...CREDENTIALS, tenantId: 'organizations' }] },
    ])
  })

  test('create asks for the connection once under one Idempotency-Key, and answers no secret', async () => {
    const calendar = await addCalendar(db, team)
    fake.answer('connect', calendar)
    const headers = { 'idempotency-key': randomUUID() }
    const answers = [
      await team.post('/v2/calendars', create, headers),
      await team.post('/v2/calendars', create, headers),
    ]
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 201,
        body: {
          data: {
            calendar_id: calendar.id,
            calendar_platform: 'google',
            account_email: calendar.account_email,
            status: 'active',
          },
        },
      })
      expect(answer.text).not.toMatch(/secret-of-the-app|refresh-me/)
    }
    expect(fake.calls).toEqual([
      {
        name: 'connect',
        arguments: [
          { teamId: team.teamId, apiKeyId: team.keyId, generation: 'v2', isCompat: false },
          {
            platform: 'google',
            credentials: { ...CREDENTIALS, tenantId: 'common' },
            rawCalendarId: 'ann@example.com',
          },
        ],
      },
    ])
  })

  test('a creation that was refused may be repeated under its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    fake.answer('connect', new ProviderError('unavailable', 'No answer', { retryAfterMs: 1500 }))
    expect(await team.post('/v2/calendars', create, headers)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
    })
    fake.answer('connect', await addCalendar(db, team))
    expect(await team.post('/v2/calendars', create, headers)).toMatchObject({ status: 201 })
  })

  test.each<[ProviderErrorKind, number, string]>([
    ['token_refused', 401, 'FST_ERR_OAUTH_TOKEN_REFRESH_FAILED'],
    ['permission_denied', 403, 'FST_ERR_CALENDAR_PERMISSION_DENIED'],
    ['no_mailbox', 403, 'FST_ERR_CALENDAR_LICENSE_REQUIRED'],
    ['raw_calendar_not_found', 400, 'FST_ERR_VALIDATION'],
    ['already_connected', 409, 'FST_ERR_CALENDAR_CONNECTION_ALREADY_EXISTS'],
    ['limit_reached', 429, 'FST_ERR_CALENDAR_CONNECTION_LIMIT_EXCEEDED'],
    ['unavailable', 503, 'FST_ERR_CALENDAR_PROVIDER_UNAVAILABLE'],
  ])('%s is a %i with %s, and the sentence reaches the caller', async (kind, status, code) => {
    fake.answer('connect', new ProviderError(kind, 'What the provider said'))
    const answer = await team.post('/v2/calendars', create)
    expect(answer).toMatchObject({ status, body: { code } })
    expect(answer.text).toContain('What the provider said')
  })

  test('an unexpected error is a 500 without its text', async () => {
    fake.answer('connect', new Error('secret-of-the-app is wrong'))
    const answer = await team.post('/v2/calendars', create)
    expect(answer).toMatchObject({ status: 500, body: { code: 'FST_ERR_INTERNAL_SERVER_ERROR' } })
    expect(answer.text).not.toContain('secret-of-the-app')
  })

  test.each([
    [{ ...create, calendar_platform: 'caldav' }, 'calendar_platform must be google or microsoft'],
    [{ ...create, oauth_client_id: '' }, 'oauth_client_id'],
    [{ ...create, oauth_refresh_token: 'a b' }, 'oauth_refresh_token'],
    [{ ...create, oauth_client_secret: 'x'.repeat(5000) }, 'oauth_client_secret'],
    [{ ...create, oauth_tenant_id: 'common/../../evil' }, 'oauth_tenant_id'],
    [{ ...create, raw_calendar_id: null }, 'raw_calendar_id'],
    [{ ...create, raw_calendar_id: 'a\0b' }, 'raw_calendar_id'],
  ])('%j is refused before any request to the provider', async (body, named) => {
    const answer = await team.post('/v2/calendars', body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'FST_ERR_VALIDATION' } })
    expect(answer.body.message).toContain(named)
    expect(fake.calls).toEqual([])
  })

  test('details have every key, and the subscription that is open', async () => {
    const calendar = await addCalendar(db, team, { status: 'error', status_message: 'The provider refused the token' })
    expect((await team.get(`/v2/calendars/${calendar.id}`)).body.data).toEqual({
      calendar_id: calendar.id,
      calendar_platform: 'google',
      account_email: calendar.account_email,
      status: 'error',
      status_message: 'The provider refused the token',
      subscription_id: null,
      subscription_expires_at: null,
      synced_at: null,
      sync_status: null,
      sync_error: null,
      provider_metadata: null,
      created_at: calendar.created_at.toISOString(),
      updated_at: calendar.updated_at.toISOString(),
    })
    for (const [provider_id, stop_due_at] of [
      ['old', new Date()],
      ['new', null],
    ] as const)
      await db
        .insertInto('calendar_channels')
        .values({
          calendar_id: calendar.id,
          platform: 'google',
          provider_id: `${provider_id}-${calendar.id}`,
          token_hash: Buffer.from('x'),
          expires_at: inHours(100),
          stop_due_at,
        })
        .execute()
    expect((await team.get(`/v2/calendars/${calendar.id}`)).body.data).toMatchObject({
      subscription_id: `new-${calendar.id}`,
      subscription_expires_at: expect.stringMatching(/Z$/),
    })
  })

  test('the list is newest first, in pages that go both ways, and filtered', async () => {
    const ids: string[] = []
    for (let number = 0; number < 5; number++)
      ids.unshift(
        (
          await addCalendar(db, team, {
            platform: number % 2 ? 'microsoft' : 'google',
            status: number === 0 ? 'revoked' : 'active',
            account_email: `Bert-${number}@example.com`,
          })
        ).id,
      )
    await addCalendar(db, { teamId: team.teamId, generation: 'older' })
    await addCalendar(db, team, { deleted_at: new Date() })
    const idsOf = ({ body }: { body: { data: { calendar_id: string }[] } }) =>
      body.data.map(({ calendar_id }) => calendar_id)
    const first = await team.get('/v2/calendars?limit=2')
    expect(idsOf(first)).toEqual(ids.slice(0, 2))
    expect(first.body.prev_cursor).toBeNull()
    const second = await team.get(`/v2/calendars?limit=2&cursor=${encodeURIComponent(first.body.cursor)}`)
    expect(idsOf(second)).toEqual(ids.slice(2, 4))
    const back = await team.get(`/v2/calendars?limit=2&cursor=${encodeURIComponent(second.body.prev_cursor)}`)
    expect(idsOf(back)).toEqual(ids.slice(0, 2))
    expect(idsOf(await team.get('/v2/calendars?calendar_platform=microsoft'))).toEqual([ids[1], ids[3]])
    expect(idsOf(await team.get('/v2/calendars?status=revoked,error'))).toEqual([ids[4]])
    expect(idsOf(await team.get('/v2/calendars?account_email=bert-3'))).toEqual([ids[1]])
    expect(idsOf(await stranger.get('/v2/calendars'))).toEqual([])
    for (const query of ['limit=0', 'limit=251', 'cursor=x', 'status=gone', 'calendar_platform=caldav'])
      expect(await team.get(`/v2/calendars?${query}`)).toMatchObject({ status: 400 })
  })

  test('update, delete, sync and resubscribe name the calendar of the caller', async () => {
    const calendar = await addCalendar(db, team)
    const path = `/v2/calendars/${calendar.id}`
    const name = { teamId: team.teamId, generation: 'v2', calendarId: calendar.id }
    fake.answer('update', calendar)
    fake.answer('sync', { changed: 3 })
    fake.answer('resubscribe', { resubscribedAt: new Date('2026-11-26T10:00:00Z'), problem: null })
    expect(await team.patch(path, { ...OAUTH, oauth_tenant_id: 'common' })).toMatchObject({
      status: 200,
      body: { data: { calendar_id: calendar.id, status: 'active', updated_at: expect.any(String) } },
    })
    expect(await team.post(`${path}/sync`, '')).toMatchObject({
      status: 200,
      body: { data: { message: expect.stringContaining('3 events') } },
    })
    expect(await team.post(`${path}/resubscribe`)).toMatchObject({
      body: { data: { calendar_id: calendar.id, resubscribed_at: '2026-11-26T10:00:00.000Z', problem: null } },
    })
    expect(await team.delete(path, {})).toMatchObject({ status: 200, body: { data: { message: expect.any(String) } } })
    expect(fake.calls.map((call) => [call.name, call.arguments[0]])).toEqual([
      ['update', name],
      ['sync', name],
      ['resubscribe', name],
      ['disconnect', name],
    ])
    fake.answer('disconnect', new ProviderError('calendar_not_found', 'gone') as never)
    expect(await team.delete(path)).toMatchObject({
      status: 404,
      body: { code: 'FST_ERR_CALENDAR_NOT_FOUND_BY_ID', message: `Calendar with ID '${calendar.id}' not found` },
    })
    fake.answer('disconnect', undefined as never)
  })
})

describe('events', () => {
  test('a list has one-off and recurring events by their start, filtered', async () => {
    const { id } = await addCalendar(db, team)
    const series = await addSeries(db, id, 'recurring')
    const late = await addEvent(db, id, { seriesId: series.id, starts_at: inHours(50), ends_at: inHours(51) })
    const early = await addEvent(db, id, { meeting_url: MEET, meeting_platform: 'meet', title: 'First' })
    const cancelled = await addEvent(db, id, { starts_at: inHours(20), ends_at: inHours(30), status: 'cancelled' })
    await addIntent(db, early)
    const path = `/v2/calendars/${id}/events`
    const all = await team.get(path)
    expect(all.body.data.map(({ event_id }: { event_id: string }) => event_id)).toEqual([
      early.id,
      cancelled.id,
      late.id,
    ])
    expect(all.body.data[0]).toEqual({
      series_id: early.series_id,
      event_type: 'one_off',
      event_id: early.id,
      title: 'First',
      start_time: early.starts_at.toISOString(),
      end_time: early.ends_at.toISOString(),
      status: 'confirmed',
      is_exception: false,
      meeting_url: MEET,
      meeting_platform: 'meet',
      calendar_id: id,
      bot_scheduled: true,
      created_at: early.created_at.toISOString(),
    })
    expect(all.body.data[2]).toMatchObject({ event_type: 'recurring', bot_scheduled: false, meeting_url: null })
    const idsOf = async (query: string) =>
      (await team.get(`${path}?${query}`)).body.data.map(({ event_id }: { event_id: string }) => event_id)
    expect(await idsOf('show_cancelled=false')).toEqual([early.id, late.id])
    expect(await idsOf('status=cancelled,tentative')).toEqual([cancelled.id])
    expect(await idsOf(`start_date=${inHours(10).toISOString()}`)).toEqual([cancelled.id, late.id])
    expect(await idsOf(`end_date=${inHours(40).toISOString()}`)).toEqual([early.id, cancelled.id])
    const page = await team.get(`${path}?limit=2`)
    expect(await idsOf(`limit=2&cursor=${page.body.cursor}`)).toEqual([late.id])
    for (const query of ['start_date=yesterday', 'show_cancelled=1', 'limit=x', 'cursor=!', 'status=x'])
      expect(await team.get(`${path}?${query}`)).toMatchObject({ status: 400 })
  })

  test('series have their events; cancelled ones can be left out, and no series is', async () => {
    const { id } = await addCalendar(db, team)
    const series = await addSeries(db, id, 'recurring')
    const one = await addEvent(db, id, { seriesId: series.id })
    const two = await addEvent(db, id, { seriesId: series.id, starts_at: inHours(170), ends_at: inHours(171) })
    const single = await addEvent(db, id, { status: 'cancelled' })
    const shown = async (query = '') =>
      (await team.get(`/v2/calendars/${id}/series${query}`)).body.data.map(
        (item: { series_id: string; events: { event_id: string }[] }) => [
          item.series_id,
          item.events.map(({ event_id }) => event_id),
        ],
      )
    expect(await shown()).toEqual([
      [series.id, [one.id, two.id]],
      [single.series_id, [single.id]],
    ])
    expect(await shown('?show_cancelled=false')).toEqual([
      [series.id, [one.id, two.id]],
      [single.series_id, []],
    ])
    expect(await shown('?event_type=one_off')).toEqual([[single.series_id, [single.id]]])
    const page = await team.get(`/v2/calendars/${id}/series?limit=1`)
    expect(await shown(`?limit=1&cursor=${encodeURIComponent(page.body.cursor)}`)).toEqual([
      [single.series_id, [single.id]],
    ])
  })

  test('details hold attendees, the organizer and what the provider sent', async () => {
    const { id } = await addCalendar(db, team)
    const raw = { id: 'abc', organizer: { email: 'ann@example.com' } }
    const event = await addEvent(db, id, {
      raw,
      description: 'What for',
      location: 'Room 1',
      timezone: 'Europe/Berlin',
      organizer_email: 'ann@example.com',
      organizer_name: 'Ann',
      attendees: [
        {
          email: 'ann@example.com',
          name: 'Ann',
          responseStatus: 'accepted',
          isOrganizer: true,
          isSelf: true,
          isResource: false,
        },
        {
          email: 'ben@example.com',
          name: null,
          responseStatus: 'needsAction',
          isOrganizer: false,
          isSelf: false,
          isResource: false,
        },
      ],
    })
    expect((await team.get(`/v2/calendars/${id}/events/${event.id}`)).body.data).toMatchObject({
      event_id: event.id,
      calendar_platform: 'google',
      description: 'What for',
      location: 'Room 1',
      timezone: 'Europe/Berlin',
      is_all_day: false,
      organizer_email: 'ann@example.com',
      organizer_name: 'Ann',
      attendees: [
        { email: 'ann@example.com', name: 'Ann', response_status: 'accepted', organizer: true, self: true },
        { email: 'ben@example.com', name: null, response_status: 'needsAction' },
      ],
      raw_payload: raw,
    })
  })
})
