import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { USUAL_FIELDS } from '../../../../control-plane/api/v2/scheduled/schema.ts'
import { openSecrets } from '../../../../control-plane/store/bots/secrets.ts'
import { MEET, openWorld } from '../../world.ts'

const world = await openWorld({ api: {} })
const team = await world.team()

const MINUTE = 60_000
const DAY = 1440 * MINUTE
const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString()

async function schedule(fields: object = {}, owner = team): Promise<string> {
  const { status, body, text } = await ask(fields, owner)
  if (status !== 201) throw new Error(text)
  return body.data.bot_id
}
const ask = (fields: object, owner = team) =>
  owner.post('/v2/bots/scheduled', { bot_name: 'Later', meeting_url: MEET, join_at: inFuture(60 * MINUTE), ...fields })
const zoom = { meeting_url: 'https://us02web.zoom.us/j/1234567890' }
const withKeys = {
  ...{ transcription_enabled: true, transcription_config: { provider: 'deepgram', api_key: 'key-1' } },
  ...{ callback_enabled: true, callback_config: { url: 'https://one.example', secret: 'cb-1' } },
}
const { row, set } = world

describe('creation', () => {
  test('reserves and counts nothing until the join time', async () => {
    const poor = await world.team({ balance: 0, daily_cap: 0 })
    const join_at = inFuture(60 * MINUTE)
    const id = await schedule({ join_at, allow_multiple_bots: false }, poor)
    expect(await row(id)).toMatchObject({
      phase: 'scheduled',
      schedule_status: 'scheduled',
      join_at: new Date(join_at),
      due_at: new Date(join_at),
      queued_at: null,
      reserved: 0,
    })
    expect(await world.rows('messages', { bot_id: id }, ['id'])).toEqual([])
    // It is no bot before it is spawned.
    for (const path of [`/v2/bots/${id}`, `/v2/bots/${id}/status`, `/v2/bots/${id}/screenshots`])
      expect((await poor.get(path)).outcome).toBe('404 FST_ERR_BOT_NOT_FOUND_BY_ID')
    expect((await poor.get('/v2/bots')).body.data).toEqual([])
  })

  test.each([
    ['now', () => inFuture(0)],
    ['59 s ago', () => inFuture(-55_000)],
    ['in almost 90 days', () => inFuture(90 * DAY - MINUTE)],
    ['without seconds', () => `${inFuture(DAY).slice(0, 16)}Z`],
    ['with an offset', () => inFuture(DAY).replace('Z', '+05:30')],
  ])('takes a join time %s', async (_name, join_at) => {
    await schedule({ join_at: join_at() })
  })

  test.each([
    ['in the past', () => inFuture(-2 * MINUTE)],
    ['in more than 90 days', () => inFuture(90 * DAY + MINUTE)],
    ['without zone', () => inFuture(DAY).replace('Z', '')],
    ['as a number', () => Date.now() + DAY],
    ['that is no time', () => 'tomorrow'],
    ['that is missing', () => undefined],
  ])('refuses a join time %s', async (_name, join_at) => {
    const text = expect.stringContaining('body/join_at')
    expect(await ask({ join_at: join_at() })).toMatchObject({ outcome: '400 FST_ERR_VALIDATION', text })
  })

  test('checks the fields as for any bot', async () => {
    expect((await ask({ meeting_url: 'https://example.com' })).outcome).toBe('400 FST_ERR_INVALID_MEETING_PLATFORM')
    expect((await ask({ nonsense: 1 })).status).toBe(400)
  })
})

describe('details', () => {
  test('have every key, with null for what was not asked for', async () => {
    const id = await schedule()
    expect((await team.get(`/v2/bots/scheduled/${id}`)).body.data).toEqual({
      bot_id: id,
      bot_name: 'Later',
      meeting_url: MEET,
      meeting_platform: 'meet',
      join_at: expect.any(String),
      status: 'scheduled',
      extra: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      bot_image: null,
      ...USUAL_FIELDS,
      cancelled_at: null,
      allow_multiple_bots: true,
      entry_message: null,
      timeout_config: {
        waiting_room_timeout: 600,
        no_one_joined_timeout: 600,
        silence_timeout: 600,
        grace_period: 0,
        max_recording_duration: null,
        everyone_left_timeout: 30,
        only_bots_timeout: 300,
      },
      transcription_config: null,
      streaming_config: null,
      callback_config: null,
      conf_config: null,
    })
  })

  test('have what was asked for, without secrets', async () => {
    const id = await schedule({
      ...zoom,
      bot_image: ['https://img.example/1.png', 'https://img.example/2.png'],
      transcription_enabled: true,
      transcription_config: { provider: 'assemblyai', api_key: 'sealed-a', custom_params: { x: 1 } },
      streaming_enabled: true,
      streaming_config: { input_url: 'wss://s.example/in', audio_frequency: 16_000 },
      callback_enabled: true,
      callback_config: { url: 'https://hooks.example', secret: 'sealed-b' },
      conf_config: { credential_user_id: 'u1', obf_token: 'sealed-c' },
    })
    const { body, text } = await team.get(`/v2/bots/scheduled/${id}`)
    expect(body.data).toMatchObject({
      bot_image: 'https://img.example/1.png',
      transcription_config: { enabled: true, provider: 'assemblyai', custom_params: { x: 1 } },
      streaming_config: { enabled: true, input_url: 'wss://s.example/in', output_url: null, audio_frequency: 16_000 },
      callback_config: { enabled: true, url: 'https://hooks.example', secret: null, method: 'POST' },
      conf_config: { credential_id: null, credential_user_id: 'u1', obf_token_url: null, zak_token_url: null },
    })
    expect(text).not.toContain('sealed-')
  })

  test('404 for an unknown bot and for one that was not scheduled', async () => {
    for (const id of [randomUUID(), await world.bot(team)])
      expect(await team.get(`/v2/bots/scheduled/${id}`)).toMatchObject({
        status: 404,
        body: { code: 'FST_ERR_SCHEDULED_BOT_NOT_FOUND_BY_ID', message: `Scheduled bot with ID '${id}' not found` },
      })
  })
})

test('the list has the earliest join time first, with filters and pages', async () => {
  const owner = await world.team()
  const ids = [
    await schedule({ join_at: inFuture(3 * DAY), bot_name: 'C', extra: { k: 'v' } }, owner),
    await schedule({ join_at: inFuture(DAY), bot_name: 'A' }, owner),
    await schedule({ join_at: inFuture(2 * DAY), bot_name: 'B', ...zoom }, owner),
  ]
  await owner.delete(`/v2/bots/scheduled/${ids[1]}`)
  await world.bot(owner)
  const list = async (query: string) => (await owner.get(`/v2/bots/scheduled?${query}`)).body
  const names = ({ data }: { data: { bot_name: string }[] }) => data.map(({ bot_name }) => bot_name).join('')
  for (const [query, expected] of [
    ['', 'ABC'],
    ['status=scheduled', 'BC'],
    ['status=cancelled,failed', 'A'],
    ['meeting_platform=zoom', 'B'],
    ['extra=k:v', 'C'],
    [`bot_id=${ids[2]!.slice(0, 8)}`, 'B'],
    [`scheduled_after=${inFuture(1.5 * DAY)}&scheduled_before=${inFuture(2.5 * DAY)}`, 'B'],
    ['limit=2', 'AB'],
  ] as const)
    expect(names(await list(query)), query).toBe(expected)
  const { cursor } = await list('limit=2')
  expect(await list(`limit=2&cursor=${encodeURIComponent(cursor)}`)).toMatchObject({
    data: [{ bot_name: 'C' }],
    cursor: null,
  })
  for (const query of [
    'limit=0',
    'limit=101',
    'status=queued',
    `scheduled_after=${inFuture(91 * DAY)}`,
    `scheduled_before=${inFuture(-91 * DAY)}`,
  ])
    expect((await owner.get(`/v2/bots/scheduled?${query}`)).status).toBe(400)
})

describe('change', () => {
  const change = (id: string, body: unknown) => team.patch(`/v2/bots/scheduled/${id}`, body)

  test('sets what is given and keeps the rest', async () => {
    const id = await schedule({
      bot_image: 'https://img.example/1.png',
      entry_message: 'Hi',
      extra: { a: 1 },
      ...withKeys,
    })
    const join_at = inFuture(2 * DAY)
    expect(
      await change(id, { bot_name: 'New', join_at, extra: null, timeout_config: { waiting_room_timeout: 300 } }),
    ).toMatchObject({ status: 200 })
    const bot = await row(id)
    expect(bot).toMatchObject({
      bot_name: 'New',
      join_at: new Date(join_at),
      due_at: new Date(join_at),
      extra: null,
      request: {
        bot_image: 'https://img.example/1.png',
        entry_message: 'Hi',
        timeout_config: { waiting_room_timeout: 300, no_one_joined_timeout: 600 },
        transcription: { provider: 'deepgram' },
        sealed: ['transcriptionApiKey', 'callbackSecret'],
      },
    })
    expect(openSecrets(world.dependencies.seals, bot)).toEqual({ transcriptionApiKey: 'key-1', callbackSecret: 'cb-1' })
  })

  test('replaces, adds and removes parts with their secrets', async () => {
    const id = await schedule(withKeys)
    await change(id, {
      ...zoom,
      allow_multiple_bots: false,
      transcription_enabled: false,
      callback_enabled: true,
      callback_config: { url: 'https://two.example', method: 'PUT' },
      conf_config: { obf_token: 'obf' },
    })
    const bot = await row(id)
    expect(bot).toMatchObject({
      meeting_platform: 'zoom',
      is_exclusive: true,
      transcription_status: 'not-applicable',
      request: { transcription: null, callback: { url: 'https://two.example' }, sealed: ['obfToken'] },
    })
    expect(openSecrets(world.dependencies.seals, bot)).toEqual({ obfToken: 'obf' })
    const endpoints = () => world.rows('endpoints', { bot_id: id }, ['url', 'method', 'secret'])
    expect(await endpoints()).toEqual([{ url: 'https://two.example', method: 'PUT', secret: null }])
    await change(id, { callback_enabled: false, conf_config: null })
    expect(await endpoints()).toEqual([])
    expect((await row(id)).secrets).toBeNull()
  })

  test('changes nothing if the body is empty', async () => {
    const id = await schedule()
    const { updated_at: _, version: __, ...before } = await row(id)
    for (const body of [{}, '{}']) expect(await change(id, body)).toMatchObject({ status: 200 })
    expect(await row(id)).toMatchObject(before)
  })

  test('is refused within four minutes of the old or the new join time', async () => {
    const soon = await schedule({ join_at: inFuture(3 * MINUTE) })
    const later = await schedule()
    for (const [id, body] of [
      [soon, { bot_name: 'x' }],
      [soon, { join_at: inFuture(DAY) }],
      [later, { join_at: inFuture(3 * MINUTE) }],
    ] as const)
      expect(await change(id, body)).toMatchObject({
        status: 409,
        body: { code: 'FST_ERR_BOT_STATUS', details: expect.stringContaining('4 minutes') },
      })
  })

  test.each(['completed', 'cancelled', 'failed'])('is refused once it is %s', async (schedule_status) => {
    const id = await schedule()
    await set(id, { schedule_status })
    expect(await change(id, { bot_name: 'x' })).toMatchObject({
      status: 409,
      body: { message: `Status of bot '${id}' is: ${schedule_status}. Operation not permitted in this state.` },
    })
  })

  test.each([
    [{ bot_name: '' }],
    [{ join_at: '2020-01-01T00:00:00Z' }],
    [{ streaming_enabled: true }],
    [{ callback_config: { url: 'https://a.example' } }],
    [{ transcription_config: { provider: 'deepgram' } }],
    [{ nonsense: 1 }],
    [{ callback_enabled: true, callback_config: { url: 'https://127.0.0.1' } }],
    [[]],
  ])('the body %j is answered with 400', async (body) => {
    expect(await change(await schedule(), body)).toMatchObject({ status: 400, body: { code: 'FST_ERR_VALIDATION' } })
  })

  test('an unknown bot is a 404, even with an invalid body', async () => {
    expect(await change(randomUUID(), { nonsense: 1 })).toMatchObject({ status: 404 })
  })
})

describe('cancellation', () => {
  test.each([
    ['DELETE', (id: string) => team.delete(`/v2/bots/scheduled/${id}`)],
    ['leave', (id: string) => team.post(`/v2/bots/${id}/leave`)],
  ])('by %s keeps the row with its time, and is refused the second time', async (_name, cancel) => {
    const id = await schedule()
    expect(await cancel(id)).toMatchObject({ status: 200 })
    expect((await team.get(`/v2/bots/scheduled/${id}`)).body.data).toMatchObject({
      status: 'cancelled',
      cancelled_at: expect.any(String),
    })
    expect(await cancel(id)).toMatchObject({ status: 409, body: { code: 'FST_ERR_BOT_STATUS' } })
  })

  test('of a bot that has started asks it to leave', async () => {
    const id = await schedule()
    await set(id, {
      phase: 'running',
      status: 'in_call_recording',
      schedule_status: 'completed',
      queued_at: new Date(),
    })
    expect((await team.delete(`/v2/bots/scheduled/${id}`)).status).toBe(200)
    expect(await row(id)).toMatchObject({ phase: 'ending', schedule_status: 'completed' })
  })

  test('of one that has ended is refused', async () => {
    const id = await schedule()
    await set(id, { phase: 'closed', status: 'completed', schedule_status: 'completed', queued_at: new Date() })
    expect(await team.delete(`/v2/bots/scheduled/${id}`)).toMatchObject({
      status: 409,
      body: { message: `Status of bot '${id}' is: completed. Operation not permitted in this state.` },
    })
  })
})

test('a bot that was refused at its join time is a failed bot, with its code', async () => {
  const id = await schedule()
  await set(id, {
    phase: 'closed',
    status: 'failed',
    schedule_status: 'failed',
    error_code: 'DAILY_BOT_CAP_REACHED',
    error_message: 'Too many',
  })
  expect((await team.get(`/v2/bots/${id}`)).body.data).toMatchObject({
    status: 'failed',
    error_code: 'DAILY_BOT_CAP_REACHED',
  })
  expect((await team.get(`/v2/bots/scheduled/${id}`)).body.data).toMatchObject({ status: 'failed' })
})
