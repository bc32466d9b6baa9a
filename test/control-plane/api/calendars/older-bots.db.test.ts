/** `/calendar_events/{uuid}/bot` with operations that note what was asked of them. */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { BotRequest } from '../../../../control-plane/bots/request.ts'
import { MEET, openWorld } from '../../world.ts'
import { addCalendar, addEvent, addIntent, fakeCalendars, plainBot } from './fake.ts'

const fake = fakeCalendars()
const world = await openWorld({ api: { calendars: fake.operations } })
const db = world.database
let team: Awaited<ReturnType<typeof world.team>>
beforeEach(async () => {
  team = await world.team()
  fake.calls.length = 0
})

const calendarOf = (fields: object = {}) =>
  addCalendar(db, { teamId: team.teamId, generation: 'older' }, fields as Record<string, unknown>)

let event: Awaited<ReturnType<typeof addEvent>>
let path: string
beforeEach(async () => {
  event = await addEvent(db, (await calendarOf()).id, { meeting_url: MEET })
  path = `/calendar_events/${event.id}/bot`
})
const target = (allOccurrences: boolean) => ({
  teamId: team.teamId,
  generation: 'older',
  calendarId: null,
  seriesId: null,
  eventId: event.id,
  allOccurrences,
})
const done = () => ({ eventIds: [event.id], refused: [] })

test('an Idempotency-Key covers the query', async () => {
  fake.answer('scheduleBots', done())
  await addIntent(db, event)
  const body = { bot_name: 'Notes' }
  const headers = { 'idempotency-key': randomUUID() }
  expect((await team.post(`${path}?all_occurrences=false`, body, headers)).status).toBe(200)
  expect((await team.post(`${path}?all_occurrences=true`, body, headers)).status).toBe(409)
  expect((await team.post(`${path}?all_occurrences=false`, body, headers)).status).toBe(200)
  expect(fake.calls).toHaveLength(1)
})

test('POST schedules with the flat fields, and answers the event', async () => {
  fake.answer('scheduleBots', done())
  await addIntent(db, event)
  const answer = await team.post(`${path}?all_occurrences=false`, {
    bot_name: 'Notes',
    bot_image: 'https://example.com/a.png',
    enter_message: 'Hello',
    noone_joined_timeout: 5,
    silence_timeout: 1200,
    waiting_room_timeout: null,
    speech_to_text: { provider: 'Deepgram', api_key: 'own-key' },
    streaming_audio_frequency: '16khz',
    streaming_output: 'wss://example.com/out',
    streaming_input: '',
    webhook_url: 'https://example.com/hook',
    transcription_custom_parameters: { model: 'x' },
    extra: 'any JSON',
    deduplication_key: 'k',
    conf_sdk_id: 'id',
    conf_sdk_pwd: 'pwd',
  })
  expect(answer).toMatchObject({ status: 200, body: [{ uuid: event.id, bot_param: { bot_name: 'Notes' } }] })
  const [asked, bot, keyId] = fake.calls[0]!.arguments as [unknown, BotRequest, string]
  expect([asked, keyId]).toEqual([target(false), team.keyId])
  expect(bot).toMatchObject({
    bot_name: 'Notes',
    recording_mode: 'speaker_view',
    extra: 'any JSON',
    deduplication_key: 'k',
    conf_sdk_id: 'id',
    conf_sdk_pwd: 'pwd',
    conf_config: {},
    bot_image: 'https://example.com/a.png',
    entry_message: 'Hello',
    timeout_config: { no_one_joined_timeout: 120, silence_timeout: 1200 },
    streaming: { output: 'wss://example.com/out', audio_frequency: 16_000 },
    transcription: { provider: 'deepgram', api_key: 'own-key', custom_params: { model: 'x' } },
    webhook_url: 'https://example.com/hook',
  })
})

test('PATCH leaves what is absent, null or blank', async () => {
  fake.answer('changeBots', done())
  const asked = {
    bot_image: '',
    bot_name: null,
    noone_joined_timeout: 300,
    streaming_input: 'wss://example.com/in',
    transcription_custom_parameters: { model: 'y' },
    conf_obf_token: 'new-token',
    extra: null,
  }
  expect((await team.patch(`${path}?all_occurrences=true`, asked)).status).toBe(200)
  const [meant, change] = fake.calls[0]!.arguments as [unknown, (before: BotRequest) => BotRequest]
  expect(meant).toEqual(target(true))
  const before = plainBot({ extra: { a: 1 }, conf_sdk_id: 'id', conf_sdk_pwd: 'p' })
  before.bot_image = 'https://example.com/a.png'
  before.transcription = { provider: 'deepgram', api_key: 'key', custom_params: { model: 'x' } }
  before.streaming = { input: null, output: 'wss://example.com/out', audio_frequency: 16_000 }
  const kept = structuredClone(before)
  const after = change(before)
  expect(before).toEqual(kept)
  expect(after).toEqual({
    ...kept,
    timeout_config: { no_one_joined_timeout: 300 },
    streaming: { ...kept.streaming, input: 'wss://example.com/in' },
    transcription: { ...kept.transcription, custom_params: { model: 'y' } },
    conf_config: { obf_token: 'new-token' },
  })
})

test('another speech provider does not inherit the key of the one before', async () => {
  fake.answer('changeBots', done())
  await team.patch(path, { speech_to_text: 'Default' })
  const change = fake.calls[0]!.arguments[1] as (before: BotRequest) => BotRequest
  const before = plainBot({ conf_config: { obf_token: 'token' } })
  before.transcription = { provider: 'deepgram', api_key: 'key', custom_params: { model: 'x' } }
  expect(change(before)).toMatchObject({
    transcription: { provider: 'Default', api_key: null, custom_params: { model: 'x' } },
    conf_config: { obf_token: 'token' },
  })
})

test('DELETE is no error where there is no bot', async () => {
  fake.answer('cancelBots', {
    eventIds: [],
    refused: [{ eventId: event.id, code: 'NOT_SCHEDULED', message: 'The event has no bot' }],
  })
  expect(await team.delete(path, '{}')).toMatchObject({ status: 200, body: [{ uuid: event.id, bot_param: null }] })
})

test.each([
  ['NO_MEETING_URL', 400, 'InvalidMeetingUrl'],
  ['BOT_ALREADY_SCHEDULED', 409, 'BotStatus'],
  ['EVENT_CANCELLED', 409, 'BotStatus'],
  ['BOT_STATUS', 409, 'BotStatus'],
] as const)('a single event that is refused with %s is a %i', async (code, status, name) => {
  const result = { eventIds: [], refused: [{ eventId: event.id, code, message: 'Because of this' }] }
  fake.answer('scheduleBots', result)
  expect(await team.post(path, { bot_name: 'Notes' })).toMatchObject({
    status,
    body: { code: name, error: expect.stringContaining('Because of this') },
  })
  const all = await team.post(`${path}?all_occurrences=true`, { bot_name: 'Notes' })
  expect(all).toMatchObject({ status: 200, body: [{ uuid: event.id }] })
})

test('other teams and the newer generation do not know the event', async () => {
  const stranger = await world.team()
  const newer = await addEvent(db, (await addCalendar(db, team)).id)
  for (const [who, id] of [
    [stranger, event.id],
    [team, newer.id],
    [team, randomUUID()],
  ] as const) {
    expect(await who.get(`/calendar_events/${id}`)).toMatchObject({ status: 404, body: { code: 'EventNotFound' } })
    for (const method of ['post', 'patch'] as const)
      expect((await who[method](`/calendar_events/${id}/bot`, { bot_name: 'Notes' })).status).toBe(404)
  }
  expect(fake.calls).toEqual([])
})

test.each([
  [{}, 'bot_name'],
  [{ bot_name: 'x', webhook_url: 'http://10.0.0.1/' }, 'webhook_url'],
  [{ bot_name: 'x', conf_sdk_id: 'a' }, 'SET_CONF_ID_AND_PWD_TOGETHER'],
  [{ bot_name: 'x', speech_to_text: { provider: 'Deepgram' } }, 'api_key'],
  [{ bot_name: 'x', entry_message: 'a' }, 'entry_message'],
])('%j is refused', async (body, named) => {
  expect(await team.post(path, body)).toMatchObject({
    status: 422,
    body: { code: 'InvalidRequest', error: expect.stringContaining(named) },
  })
  expect(fake.calls).toEqual([])
})
