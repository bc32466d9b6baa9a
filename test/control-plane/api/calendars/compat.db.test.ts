/** Calendars as a client of the hosted service knows them: its header, its names, its habits. */
import { expect, test } from 'vitest'
import { openWorld } from '../../world.ts'
import { addCalendar, addEvent, addIntent, fakeCalendars, plainBot } from './fake.ts'

const fake = fakeCalendars()
const world = await openWorld({ api: { calendars: fake.operations } })
const team = await world.team()

async function call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
  const answer = await world.app.inject({
    method,
    url: `/compat${path}`,
    headers: { 'x-meeting-baas-api-key': team.key, 'content-type': 'application/json' },
    payload: body === undefined ? '' : JSON.stringify(body),
  })
  return { status: answer.statusCode, text: answer.payload, body: answer.payload === '' ? null : answer.json() }
}

const oauth = { oauth_client_id: 'a', oauth_client_secret: 'b', oauth_refresh_token: 'c' }

test('the newer generation: a calendar is made as one of such a client', async () => {
  const calendar = await addCalendar(world.database, team)
  fake.answer('connect', calendar)
  const answer = await call('POST', '/v2/calendars', {
    calendar_platform: 'google',
    ...oauth,
    oauth_tenant_id: 'common',
    raw_calendar_id: 'x',
  })
  expect(answer).toMatchObject({ status: 201, body: { data: { calendar_id: calendar.id } } })
  expect(fake.calls.at(-1)!.arguments[0]).toMatchObject({ isCompat: true })
})

test('the newer generation: bots of events with public names, unknown fields and defaults', async () => {
  const calendar = await addCalendar(world.database, team)
  const event = await addEvent(world.database, calendar.id, { raw: { conf_sdk_id: 'as it was sent' } })
  fake.answer('scheduleBots', { eventIds: [event.id], refused: [] })
  const path = `/v2/calendars/${calendar.id}/bots`
  const asked = {
    series_id: event.series_id,
    event_id: event.id,
    bot_name: 'Notes',
    allow_multiple_bots: true,
    zoom_config: { obf_token_url: 'https://example.com/obf' },
    transcription_enabled: true,
    transcription_config: { provider: 'gladia', api_key: 'own' },
    extra: { zoom_config: 1 },
  }
  expect((await call('POST', path, asked)).status).toBe(201)
  expect(fake.calls.at(-1)!.arguments[1]).toMatchObject({
    extra: { zoom_config: 1 },
    conf_config: { obf_token_url: 'https://example.com/obf' },
    transcription: { provider: 'Default' },
  })
  fake.answer('cancelBots', { eventIds: [event.id], refused: [] })
  const zero = '00000000-0000-0000-0000-000000000000'
  expect(await call('DELETE', path, { series_id: zero, all_occurrences: false, event_id: event.id })).toMatchObject({
    status: 200,
    body: { success: true, data: [{ event_id: event.id }], errors: [] },
  })
  const details = await call('GET', `/v2/calendars/${calendar.id}/events/${event.id}`)
  expect(details.body.data.raw_payload).toEqual({ conf_sdk_id: 'as it was sent' })
  expect((await call('GET', `/v2/calendars/${calendar.id}/events?limit=50&show_cancelled=true`)).status).toBe(200)
})

test('the older generation: google_id stands for provider_id, and zoom for the conferencing platform', async () => {
  const calendar = await addCalendar(world.database, { teamId: team.teamId, generation: 'older' })
  const event = await addEvent(world.database, calendar.id)
  const bot = plainBot()
  bot.conf_config = { credential_user_id: 'ann' }
  await addIntent(world.database, event, bot)
  const one = await call('GET', `/calendars/${calendar.id}/`)
  expect(one.body).toMatchObject({ uuid: calendar.id, google_id: calendar.raw_calendar_id })
  expect(one.body).not.toHaveProperty('provider_id')
  const list = await call('GET', `/calendar_events/?calendar_id=${calendar.id}&status=all`)
  expect(list.body).toMatchObject({
    data: [{ uuid: event.id, google_id: event.provider_id, bot_param: { zoom_obf_token_user_id: 'ann' } }],
    next: null,
  })
  fake.answer('scheduleBots', { eventIds: [event.id], refused: [] })
  const scheduled = await call('POST', `/calendar_events/${event.id}/bot?all_occurrences=false`, {
    bot_name: 'Notes',
    zoom_sdk_id: 'id',
    zoom_sdk_pwd: 'pwd',
    unknown: true,
  })
  expect(scheduled).toMatchObject({ status: 200, body: [{ uuid: event.id }] })
  expect(fake.calls.at(-1)!.arguments[1]).toMatchObject({ conf_sdk_id: 'id', conf_sdk_pwd: 'pwd' })
  const deleted = await call('DELETE', `/calendars/${calendar.id}`)
  expect(deleted).toEqual({ status: 200, text: '', body: null })
})
