/** `/v2/calendars/{calendar_id}/bots` with operations that note what was asked of them. */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { BotRequest } from '../../../../control-plane/bots/request.ts'
import { ProviderError } from '../../../../control-plane/platform/ports.ts'
import { MEET, openWorld } from '../../world.ts'
import { addCalendar, addEvent, fakeCalendars, plainBot } from './fake.ts'

const fake = fakeCalendars()
const world = await openWorld({ api: { calendars: fake.operations } })
const db = world.database
let team: Awaited<ReturnType<typeof world.team>>
beforeEach(async () => {
  team = await world.team()
  fake.calls.length = 0
})

const bot = { bot_name: 'Notes' }

let calendarId: string
let path: string
let event: Awaited<ReturnType<typeof addEvent>>
beforeEach(async () => {
  calendarId = (await addCalendar(db, team)).id
  path = `/v2/calendars/${calendarId}/bots`
  event = await addEvent(db, calendarId)
})
const target = (fields: object = {}) => ({
  teamId: team.teamId,
  generation: 'v2',
  calendarId,
  seriesId: event.series_id,
  eventId: event.id,
  allOccurrences: false,
  ...fields,
})
const names = () => ({ series_id: event.series_id, event_id: event.id })

test('POST hands over whom and what, and answers each event', async () => {
  const refused = { eventId: randomUUID(), code: 'NO_MEETING_URL' as const, message: 'The event has no link' }
  fake.answer('scheduleBots', { eventIds: [event.id], refused: [refused] })
  const answer = await team.post(path, {
    ...names(),
    ...bot,
    extra: { order: 17 },
    transcription_enabled: true,
    transcription_config: { provider: 'Deepgram', api_key: 'own-key' },
  })
  expect(answer).toMatchObject({ status: 201 })
  expect(answer.body).toEqual({
    success: true,
    data: [{ event_id: event.id }],
    errors: [{ event_id: refused.eventId, code: 'NO_MEETING_URL', message: 'The event has no link', details: null }],
  })
  expect(fake.calls).toEqual([
    {
      name: 'scheduleBots',
      arguments: [
        target(),
        expect.objectContaining({
          bot_name: 'Notes',
          recording_mode: 'speaker_view',
          extra: { order: 17 },
          transcription: expect.objectContaining({ provider: 'deepgram', api_key: 'own-key' }),
        }),
        team.keyId,
      ],
    },
  ])
})

test('without a series, and with the all-zero one, the event says it all', async () => {
  fake.answer('scheduleBots', { eventIds: [event.id], refused: [] })
  for (const series_id of [undefined, null, '00000000-0000-0000-0000-000000000000'])
    expect((await team.post(path, { series_id, event_id: event.id, ...bot })).status).toBe(201)
  expect(fake.calls.map((call) => call.arguments[0])).toEqual(Array(3).fill(target({ seriesId: null })))
  fake.answer('cancelBots', { eventIds: [event.id], refused: [] })
  const zero = { series_id: '00000000-0000-0000-0000-000000000000', all_occurrences: false }
  expect((await team.delete(path, { ...zero, event_id: event.id })).status).toBe(200)
  expect(await team.delete(path, zero)).toMatchObject({ status: 400 })
  expect(await team.post(path, { series_id: event.series_id, ...bot })).toMatchObject({
    status: 400,
    body: { message: 'body/event_id is needed without all_occurrences' },
  })
})

test('all_occurrences needs the series alone', async () => {
  fake.answer('scheduleBots', { eventIds: [], refused: [] })
  expect((await team.post(path, { series_id: event.series_id, all_occurrences: true, ...bot })).status).toBe(201)
  expect(fake.calls[0]!.arguments[0]).toEqual(target({ eventId: null, allOccurrences: true }))
})

test('PATCH changes what is given and leaves the rest, secrets too', async () => {
  fake.answer('changeBots', { eventIds: [event.id], refused: [] })
  const answer = await team.patch(path, {
    ...names(),
    bot_name: 'Other',
    timeout_config: { waiting_room_timeout: 300 },
    callback_enabled: true,
    callback_config: { url: 'https://example.com/callback', secret: 'new-secret' },
    transcription_enabled: false,
  })
  expect(answer.body).toEqual({ success: true, data: [{ event_id: event.id }], errors: [] })
  const change = fake.calls[0]!.arguments[1] as (before: BotRequest) => BotRequest
  const before = plainBot({
    extra: { order: 1 },
    conf_config: { obf_token: 'old-token' },
    recording_mode: 'audio_only',
  })
  before.transcription = { provider: 'deepgram', api_key: 'old-key' }
  before.entry_message = 'Hello'
  const kept = structuredClone(before)
  expect(change(before)).toEqual({
    ...kept,
    bot_name: 'Other',
    transcription: null,
    timeout_config: expect.objectContaining({ waiting_room_timeout: 300, no_one_joined_timeout: 600 }),
    callback: { url: 'https://example.com/callback', method: 'POST', secret: 'new-secret' },
  })
  expect(before).toEqual(kept)
})

test('a single event that is refused for its state alone is a 409 for PATCH and DELETE', async () => {
  const result = { eventIds: [], refused: [{ eventId: event.id, code: 'BOT_STATUS' as const, message: 'Too late' }] }
  fake.answer('changeBots', result)
  fake.answer('cancelBots', result)
  for (const answer of [await team.patch(path, { ...names(), ...bot }), await team.delete(path, names())])
    expect(answer).toMatchObject({ status: 409, body: { code: 'FST_ERR_BOT_STATUS', details: 'Too late' } })
  const all = { series_id: event.series_id, all_occurrences: true }
  for (const answer of [await team.patch(path, { ...all, ...bot }), await team.delete(path, all)])
    expect(answer).toMatchObject({ status: 200, body: { errors: [{ code: 'BOT_STATUS' }] } })
})

test.each([
  [{ streaming_enabled: true }, 'streaming_config'],
  [{ callback_enabled: true, callback_config: { url: 'http://127.0.0.1/' } }, 'callback_config/url'],
  [{ bot_image: 'http://example.com/a.png' }, 'bot_image'],
  [{ bot_name: '' }, 'bot_name'],
  [{ series_id: 'x' }, 'series_id'],
  [{ meeting_url: MEET }, 'meeting_url'],
])('%j is refused', async (fields, named) => {
  for (const method of ['post', 'patch'] as const) {
    const answer = await team[method](path, { ...names(), ...bot, ...fields })
    expect(answer).toMatchObject({ status: 400, body: { code: 'FST_ERR_VALIDATION' } })
    expect(answer.body.message).toContain(named)
  }
  expect(fake.calls).toEqual([])
})

test('an own key of a speech service needs the plan', async () => {
  const poor = await world.team({ byok_transcription: false })
  const { id } = await addCalendar(db, poor)
  const own = { ...names(), ...bot, transcription_enabled: true, transcription_config: { api_key: 'x' } }
  for (const method of ['post', 'patch'] as const)
    expect(await poor[method](`/v2/calendars/${id}/bots`, own)).toMatchObject({
      status: 403,
      body: { code: 'FST_ERR_BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN' },
    })
})

test('an unknown event or series is a 404 with its own code', async () => {
  fake.answer('scheduleBots', new ProviderError('event_not_found', 'none'))
  expect(await team.post(path, { ...names(), ...bot })).toMatchObject({
    status: 404,
    body: { code: 'FST_ERR_EVENT_NOT_FOUND_BY_ID', message: `Event with ID '${event.id}' not found` },
  })
  fake.answer('cancelBots', new ProviderError('series_not_found', 'none'))
  expect(await team.delete(path, { series_id: event.series_id, all_occurrences: true })).toMatchObject({
    status: 404,
    body: { code: 'FST_ERR_EVENT_SERIES_NOT_FOUND_BY_ID' },
  })
})

test('one Idempotency-Key schedules once', async () => {
  fake.answer('scheduleBots', { eventIds: [event.id], refused: [] })
  const headers = { 'idempotency-key': randomUUID() }
  const first = await team.post(path, { ...names(), ...bot }, headers)
  const again = await team.post(path, { ...names(), ...bot }, headers)
  expect(again.body).toEqual(first.body)
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect(fake.calls).toHaveLength(1)
})
