/** `/calendars` and `/calendar_events` with operations that note what was asked of them. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { ProviderError, type ProviderErrorKind } from '../../../../control-plane/platform/ports.ts'
import { MEET, openWorld } from '../../world.ts'
import { addCalendar, addEvent, addIntent, addSeries, fakeCalendars, inHours, plainBot } from './fake.ts'

const fake = fakeCalendars()
const world = await openWorld({ api: { calendars: fake.operations } })
const db = world.database
let team: Awaited<ReturnType<typeof world.team>>
beforeEach(async () => {
  team = await world.team()
  fake.calls.length = 0
})

const OAUTH = { oauth_client_id: 'client', oauth_client_secret: 'secret-of-the-app', oauth_refresh_token: 'refresh-me' }
const CREDENTIALS = {
  clientId: 'client',
  clientSecret: 'secret-of-the-app',
  refreshToken: 'refresh-me',
  tenantId: 'common',
}
const google = { ...OAUTH, platform: 'Google' }
const calendarOf = (fields: object = {}) =>
  addCalendar(db, { teamId: team.teamId, generation: 'older' }, fields as Record<string, unknown>)
const shown = (calendar: Awaited<ReturnType<typeof calendarOf>>) => ({
  uuid: calendar.id,
  name: 'Ann',
  email: calendar.account_email,
  provider_id: calendar.raw_calendar_id,
  resource_id: null,
})

describe('calendars', () => {
  test('raw lists without storing', async () => {
    fake.answer('listRaw', [{ id: 'a', name: 'Ann', email: 'ann@example.com', isPrimary: true }])
    expect(await team.post('/calendars/raw', { ...OAUTH, platform: 'microsoft' })).toMatchObject({
      status: 200,
      body: { calendars: [{ id: 'a', email: 'ann@example.com', is_primary: true }] },
    })
    expect(fake.calls[0]!.arguments).toEqual(['microsoft', CREDENTIALS])
  })

  test('POST connects the calendar, without its id the primary one', async () => {
    const calendar = await calendarOf()
    fake.answer('connect', calendar)
    for (const raw_calendar_id of [undefined, null, '', 'abc'])
      expect(await team.post('/calendars/', { ...google, raw_calendar_id })).toMatchObject({
        status: 200,
        body: { calendar: shown(calendar) },
      })
    expect(fake.calls.map((call) => (call.arguments[1] as { rawCalendarId: unknown }).rawCalendarId)).toEqual([
      null,
      null,
      null,
      'abc',
    ])
    expect(fake.calls[0]!.arguments[0]).toMatchObject({ teamId: team.teamId, generation: 'older' })
  })

  test('the list, single calendars and DELETE without a body', async () => {
    const [first, second] = [await calendarOf(), await calendarOf({ platform: 'microsoft' })]
    const newer = await addCalendar(db, team)
    await db
      .insertInto('calendar_channels')
      .values({
        calendar_id: second.id,
        platform: 'google',
        provider_id: second.id,
        resource_id: 'resource',
        token_hash: Buffer.from('x'),
        expires_at: inHours(1),
      })
      .execute()
    expect((await team.get('/calendars/')).body).toEqual([shown(first), { ...shown(second), resource_id: 'resource' }])
    expect((await team.get(`/calendars/${second.id}`)).body).toEqual({ ...shown(second), resource_id: 'resource' })
    for (const id of [newer.id, randomUUID()])
      expect(await team.get(`/calendars/${id}`)).toMatchObject({ status: 404, body: { code: 'CalendarNotFound' } })
    const deleted = await team.delete(`/calendars/${first.id}`, '')
    expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 200, text: '' })
    expect(fake.calls.at(-1)).toEqual({
      name: 'disconnect',
      arguments: [{ teamId: team.teamId, generation: 'older', calendarId: first.id }],
    })
  })

  test('PATCH unschedules and names the platform again', async () => {
    const calendar = await calendarOf()
    fake.answer('update', calendar)
    expect(await team.patch(`/calendars/${calendar.id}`, google)).toMatchObject({
      status: 200,
      body: { calendar: shown(calendar) },
    })
    expect(fake.calls[0]!.arguments.slice(1)).toEqual([CREDENTIALS, { cancelsSchedules: true, platform: 'google' }])
    fake.answer('update', new ProviderError('platform_mismatch', 'The calendar is one of google'))
    expect(await team.patch(`/calendars/${calendar.id}`, { ...google, platform: 'Microsoft' })).toMatchObject({
      status: 422,
      body: { code: 'InvalidRequest', error: 'body/platform: The calendar is one of google' },
    })
  })

  test('resync_all goes through all calendars, and names those that failed with a sentence', async () => {
    const [good, bad] = [await calendarOf(), await calendarOf()]
    fake.answer('sync', { changed: 0 })
    expect((await team.post('/calendars/resync_all')).body).toEqual({
      synced_calendars: [good.id, bad.id],
      errors: [],
    })
    fake.answer('sync', new ProviderError('token_refused', 'The token was revoked'))
    expect((await team.post('/calendars/resync_all?days=7', '{}')).body).toEqual({
      synced_calendars: [],
      errors: [
        [good.id, 'The token was revoked'],
        [bad.id, 'The token was revoked'],
      ],
    })
    expect(await team.post('/calendars/resync_all?days=soon')).toMatchObject({ status: 422 })
  })

  test.each<[ProviderErrorKind, number, string]>([
    ['token_refused', 401, 'CalendarTokenRefused'],
    ['permission_denied', 403, 'CalendarPermissionDenied'],
    ['no_mailbox', 403, 'CalendarLicenseRequired'],
    ['raw_calendar_not_found', 422, 'InvalidRequest'],
    ['already_connected', 409, 'CalendarAlreadyConnected'],
    ['limit_reached', 429, 'CalendarLimitReached'],
    ['unavailable', 503, 'ServiceUnavailable'],
  ])('%s is a %i with %s', async (kind, status, code) => {
    fake.answer('connect', new ProviderError(kind, 'What the provider said'))
    expect(await team.post('/calendars', google)).toMatchObject({
      status,
      body: { code, error: expect.stringContaining('What the provider said') },
    })
  })
})

describe('events', () => {
  let calendarId: string
  beforeEach(async () => {
    calendarId = (await calendarOf()).id
  })

  test('one event, with what is missing as the interface says', async () => {
    const event = await addEvent(db, calendarId)
    expect((await team.get(`/calendar_events/${event.id}`)).body).toEqual({
      uuid: event.id,
      calendar_uuid: calendarId,
      name: 'Weekly',
      meeting_url: '',
      start_time: event.starts_at.toISOString(),
      end_time: event.ends_at.toISOString(),
      last_updated_at: event.updated_at.toISOString(),
      is_organizer: false,
      is_recurring: false,
      deleted: false,
      provider_id: event.provider_id,
      recurring_event_id: null,
      attendees: [],
      bot_param: null,
      raw: {},
    })
  })

  test('a recurring one with a bot, whose secrets are not answered', async () => {
    const series = await addSeries(db, calendarId, 'recurring')
    const event = await addEvent(db, calendarId, {
      seriesId: series.id,
      is_recurring: true,
      meeting_url: MEET,
      attendees: [
        { email: 'ben@example.com', name: null, isResource: false },
        { email: 'room@example.com', name: 'Room', isResource: true },
      ],
    })
    const bot = plainBot({ extra: { order: 1 }, deduplication_key: 'k' })
    bot.webhook_url = 'https://example.com/hook'
    bot.conf_config = { credential_user_id: 'ann', obf_token: 'hidden' }
    await addIntent(db, event, bot)
    expect((await team.get(`/calendar_events/${event.id}`)).body).toMatchObject({
      deleted: false,
      is_recurring: true,
      recurring_event_id: series.provider_id,
      meeting_url: MEET,
      attendees: [{ email: 'ben@example.com', name: null }],
      bot_param: {
        bot_name: 'Notes',
        deduplication_key: 'k',
        extra: { order: 1 },
        webhook_url: 'https://example.com/hook',
        transcription_custom_parameters: {},
        speech_to_text_provider: null,
        conf_obf_token_user_id: 'ann',
        conf_obf_token: null,
        conf_sdk_id: null,
        waiting_room_timeout: 600,
      },
    })
    await db.updateTable('calendar_events').set({ status: 'cancelled' }).where('id', '=', event.id).execute()
    expect((await team.get(`/calendar_events/${event.id}`)).body).toMatchObject({ deleted: true, bot_param: null })
  })

  test('the list knows every filter', async () => {
    const person = (email: string) => ({ email, name: null, isResource: false })
    const past = await addEvent(db, calendarId, { starts_at: inHours(-5), ends_at: inHours(-4) })
    const soon = await addEvent(db, calendarId, { attendees: [person('Ben@Example.com')] })
    const late = await addEvent(db, calendarId, {
      starts_at: inHours(30),
      ends_at: inHours(31),
      organizer_email: 'Ann@example.com',
      updated_at: inHours(1),
    })
    const idsOf = async (query: string) => {
      const { status, body, text } = await team.get(`/calendar_events/?calendar_id=${calendarId}${query}`)
      expect(text && status).toBe(200)
      return body.data.map(({ uuid }: { uuid: string }) => uuid)
    }
    expect(await idsOf('')).toEqual([soon.id, late.id])
    expect(await idsOf('&status=past')).toEqual([past.id])
    expect(await idsOf('&status=all')).toEqual([past.id, soon.id, late.id])
    expect(await idsOf('&attendee_email=ben@example.com')).toEqual([soon.id])
    expect(await idsOf('&organizer_email=ANN@example.com')).toEqual([late.id])
    expect(await idsOf(`&updated_at_gte=${inHours(0.5).toISOString()}`)).toEqual([late.id])
    expect(await idsOf(`&updated_at_gte=${late.updated_at.toISOString()}`)).toEqual([late.id])
    expect(await idsOf(`&start_date_gte=${late.starts_at.toISOString().replace('Z', '')}`)).toEqual([late.id])
    expect(await idsOf(`&start_date_lte=${soon.starts_at.toISOString()}`)).toEqual([soon.id])
  })

  test('pages hold 100 events; next is a cursor, and an address with it works as well', async () => {
    const series = await addSeries(db, calendarId, 'recurring')
    const starts_at = inHours(2)
    for (let number = 0; number < 103; number++) await addEvent(db, calendarId, { seriesId: series.id, starts_at })
    const path = `/calendar_events/?calendar_id=${calendarId}`
    const first = (await team.get(path)).body
    expect(first.data).toHaveLength(100)
    const second = (await team.get(`${path}&cursor=${encodeURIComponent(first.next)}`)).body
    expect(second.next).toBeNull()
    const uuids = [...first.data, ...second.data].map(({ uuid }: { uuid: string }) => uuid)
    expect(new Set(uuids).size).toBe(103)
    const address = `https://example.com${path}&cursor=${encodeURIComponent(first.next)}`
    expect((await team.get(`${path}&cursor=${encodeURIComponent(address)}`)).body).toEqual(second)
  })

  test.each([
    ['', 422],
    ['calendar_id=x', 422],
    [`calendar_id=${randomUUID()}`, 404],
    ['calendar_id=ID&status=soon', 422],
    ['calendar_id=ID&cursor=nonsense', 422],
    ['calendar_id=ID&start_date_gte=tomorrow', 422],
    ['calendar_id=ID&attendee_email=%00', 422],
  ])('the list with %j is refused', async (query, status) => {
    expect((await team.get(`/calendar_events/?${query.replace('ID', calendarId)}`)).status).toBe(status)
  })
})

describe('keys', () => {
  test('every operation needs one, and a key that may only create bots does nothing else', async () => {
    const id = randomUUID()
    const sender = await world.team({}, 'sending')
    const nobody = world.callerWith('nonsense')
    for (const [method, path, body] of [
      ['post', '/calendars/raw', google],
      ['post', '/calendars', google],
      ['get', '/calendars'],
      ['get', `/calendars/${id}`],
      ['patch', `/calendars/${id}`, google],
      ['delete', `/calendars/${id}`],
      ['post', '/calendars/resync_all'],
      ['get', `/calendar_events?calendar_id=${id}`],
      ['get', `/calendar_events/${id}`],
      ['post', `/calendar_events/${id}/bot`, { bot_name: 'x' }],
      ['patch', `/calendar_events/${id}/bot`, {}],
      ['delete', `/calendar_events/${id}/bot`],
    ] as const) {
      expect(await nobody[method](path, body)).toMatchObject({ status: 401, body: { code: 'InvalidApiKey' } })
      const isCreation = method === 'post' && path.endsWith('/bot')
      expect((await sender[method](path, body)).status, `${method} ${path}`).toBe(isCreation ? 404 : 403)
    }
  })
})
