import { randomUUID } from 'node:crypto'
import { helpOf } from '@standin/wire/error-help.ts'
import { REASON_TABLE } from '@standin/wire/reasons.ts'
import { describe, expect, test } from 'vitest'
import type { ApiDependencies } from '../../../../control-plane/api/dependencies.ts'
import type { ArtifactField as ArtifactLink } from '../../../../control-plane/platform/ports.ts'
import { entryOf } from '../../../../control-plane/store/audit-log.ts'
import { blankBot } from '../../../../control-plane/store/bots/deletions.ts'
import { createEndpoint } from '../../../../control-plane/store/webhooks/endpoints.ts'
import { MEET, openWorld } from '../../world.ts'

const retranscribed: unknown[] = []

const linkTo = (name: string) => `https://files.example/${name}?signature=x`
const NAMES = ['video', 'audio', 'diarization', 'raw_transcription', 'transcription', 'chat_messages'] as const
const LINKS = Object.fromEntries(NAMES.map((name) => [name, linkTo(name)])) as Record<ArtifactLink, string>
const links: ApiDependencies['links'] = {
  publicUrl: 'https://standin.test',
  sign: async (_id, name) => linkTo(name),
  olderTranscript: async () => [],
  linksOf: async () => LINKS,
  linkTo: async () => null,
  screenshotsOf: async () => Array.from({ length: 5 }, (_, n) => ({ name: `${n}.png`, url: linkTo(`${n}.png`) })),
}

const world = await openWorld({
  api: {
    links,
    retranscribe: async (botId, transcription) => {
      retranscribed.push(transcription)
      // The API expects a change in the audit log.
      entryOf({ teamId: team.teamId, action: 'bot.retranscribe', target: botId })
      return 'started'
    },
  },
})
const team = await world.team()

async function ended(values: object = {}, fields: object = {}) {
  const id = await world.bot(team, fields)
  await world.set(id, { status: 'completed', phase: 'closed', ended_at: new Date(), ...values })
  return id
}
const failedWith = (values: object) => ended({ status: 'failed', ...values })

test('the details of an ended bot have links, people and tokens', async () => {
  const joined = new Date('2026-11-20T10:00:00Z')
  const id = await ended({
    joined_at: joined,
    exited_at: new Date('2026-11-20T10:30:00.5Z'),
    duration_seconds: 1800.4,
    participants: [{ name: 'Ada', id: 1, profile_picture: null, display_name: 'Ada L.' }, { name: 'Bob' }],
    speakers: [{ name: 'Ada', id: 1 }],
    transcription_provider: 'Default',
    transcription_ids: ['t-1'],
  })
  const { data } = (await team.get(`/v2/bots/${id}`)).body
  expect(data).toMatchObject({
    ...LINKS,
    joined_at: '2026-11-20T10:00:00.000Z',
    exited_at: '2026-11-20T10:30:00.500Z',
    duration_seconds: 1800,
    participants: [
      { name: 'Ada', id: 1, display_name: 'Ada L.' },
      { name: 'Bob', id: null },
    ],
    transcription_provider: 'default',
    transcription_ids: ['t-1'],
    artifacts_deleted: false,
  })
  expect(data.participants[0]).not.toHaveProperty('profile_picture')
})

test('the status has its own, smaller answer', async () => {
  const id = await world.bot(team, { transcription_enabled: true })
  expect((await team.get(`/v2/bots/${id}/status`)).body.data).toEqual({
    bot_id: id,
    status: 'queued',
    transcription_status: 'not-started',
    updated_at: expect.any(String),
  })
})

test('a failed bot has the cure of its cause, of its code without one, and a completed bot none', async () => {
  const help = async (status: 'completed' | 'failed', values: object) =>
    (await team.get(`/v2/bots/${await ended({ status, ...values })}`)).body.data.error_help
  const link = 'https://standin.test/help/errors'
  const error_code = 'CANNOT_JOIN_MEETING'
  expect(await help('failed', { error_code })).toEqual({ cause: null, ...helpOf(error_code), link })
  expect(await help('failed', { error_code, end_cause: 'DNS_FAILED' })).toEqual({
    ...{ cause: 'DNS_FAILED', who: 'operator', link },
    cure: expect.stringContaining('name servers'),
  })
  expect(await help('completed', {})).toBeNull()
})

test('a bot that a meeting kept out has the reason, with its page for the host and what the bot saw', async () => {
  const evidence = [{ seen: 'The bot asked to join.', at: '2026-11-20T09:00:00.000Z' }]
  const values = { error_code: 'BOT_NOT_ACCEPTED', reason: 'denied_by_platform', report: { reason_evidence: evidence } }
  const id = await failedWith(values)
  const { codes: _codes, platforms: _platforms, ...sentences } = REASON_TABLE.denied_by_platform
  expect((await team.get(`/v2/bots/${id}`)).body.data).toMatchObject({
    reason: 'denied_by_platform',
    reason_help: { ...sentences, evidence, link: 'https://standin.test/help/hosts/denied_by_platform' },
  })
  const newer = await failedWith({ error_code: 'BOT_NOT_ACCEPTED', reason: 'of_a_newer_version' })
  expect((await team.get(`/v2/bots/${newer}`)).body.data).toMatchObject({
    reason: 'unknown',
    reason_help: { evidence: [] },
  })
})

describe('screenshots', () => {
  test('come in pages that are counted from 1', async () => {
    const id = await ended()
    const get = async (query: string) => (await team.get(`/v2/bots/${id}/screenshots?${query}`)).body
    const first = await get('limit=2')
    expect(first).toEqual({
      success: true,
      data: [
        { screenshot_id: 1, url: linkTo('0.png') },
        { screenshot_id: 2, url: linkTo('1.png') },
      ],
      cursor: 'Mg==',
      prev_cursor: null,
    })
    const second = await get(`limit=2&cursor=${encodeURIComponent(first.cursor)}`)
    expect(second.data.map(({ screenshot_id }: { screenshot_id: number }) => screenshot_id)).toEqual([3, 4])
    const back = await get(`limit=2&cursor=${encodeURIComponent(second.prev_cursor)}`)
    expect(back.data).toEqual(first.data)
    expect((await get('cursor=OTk5')).data).toEqual([])
  })

  test('do not exist of sound alone, of the platform with an SDK, and after a deletion', async () => {
    for (const id of [
      await ended({}, { recording_mode: 'audio_only' }),
      await ended({}, { meeting_url: 'https://us02web.zoom.us/j/1234567890' }),
      await ended({ data_deleted_at: new Date() }),
    ])
      expect((await team.get(`/v2/bots/${id}/screenshots`)).body).toEqual({
        ...{ success: true, data: [], cursor: null, prev_cursor: null },
      })
  })

  test.each(['limit=0', 'limit=251', 'cursor=x', 'cursor=-'])('%s is answered with 400', async (query) => {
    const id = await ended()
    expect((await team.get(`/v2/bots/${id}/screenshots?${query}`)).status).toBe(400)
  })
})

describe('delete-data', () => {
  test('takes the links away, keeps the record, and may be repeated', async () => {
    const id = await ended()
    for (const query of ['', '?delete_from_provider=false'])
      expect(await team.delete(`/v2/bots/${id}/delete-data${query}`, {})).toMatchObject({
        status: 200,
        body: { success: true, data: { message: expect.any(String) } },
      })
    const { data } = (await team.get(`/v2/bots/${id}`)).body
    expect(data).toMatchObject({ artifacts_deleted: true, status: 'completed', bot_name: 'Bot' })
    for (const name of Object.keys(LINKS)) expect(data[name]).toBeNull()
    expect(await world.rows('deletions', { bot_id: id })).toMatchObject([
      { reason: 'request', requested_by: `key ${team.keyId}` },
    ])
  })

  test('is refused if the query says neither true nor false', async () => {
    expect((await team.delete(`/v2/bots/${await ended()}/delete-data?delete_from_provider=maybe`)).status).toBe(400)
  })
})

describe('resend-webhook', () => {
  test.each([
    ['completed', 'bot.completed'],
    ['failed', 'bot.failed'],
  ] as const)('a bot that is %s sends %s again, under a new id each time', async (status, event) => {
    const id = await ended({ status })
    for (let time = 0; time < 2; time++) expect((await team.post(`/v2/bots/${id}/resend-webhook`)).status).toBe(200)
    const messages = await world.rows('messages', { bot_id: id, event }, ['id', 'event'])
    expect(messages).toHaveLength(2)
  })

  test('says if no endpoint takes it', async () => {
    const other = await world.team()
    const id = await world.bot(other)
    await world.set(id, { status: 'completed', phase: 'closed' })
    const resend = async () => (await other.post(`/v2/bots/${id}/resend-webhook`)).body.data.message
    expect(await resend()).toContain('was not sent')
    await createEndpoint(world.database, world.dependencies.seals, {
      ...{ teamId: other.teamId, kind: 'team', url: 'https://hooks.example/a', events: ['bot.completed'] },
    })
    expect(await resend()).toBe('Webhook resent successfully.')
  })

  test('is refused while the bot is active', async () => {
    const id = await world.bot(team)
    expect((await team.post(`/v2/bots/${id}/resend-webhook`)).status).toBe(409)
  })
})

describe('retry-callback', () => {
  const withCallback = { callback_enabled: true, callback_config: { url: 'https://hooks.example/cb' } }
  const deliveries = (id: string) =>
    world.database
      .selectFrom('deliveries')
      .innerJoin('endpoints', 'endpoints.id', 'deliveries.endpoint_id')
      .select(['endpoints.url', 'endpoints.method'])
      .where('deliveries.bot_id', '=', id)
      .execute()

  test.each([[undefined], [''], ['null'], [{}]])('the body %j uses the stored configuration', async (body) => {
    const id = await ended({}, withCallback)
    expect((await team.post(`/v2/bots/${id}/retry-callback`, body)).status).toBe(200)
    expect(await deliveries(id)).toEqual([{ url: 'https://hooks.example/cb', method: 'POST' }])
  })

  test('a body replaces it for this one delivery', async () => {
    const id = await ended()
    const target = { url: 'https://other.example/x', method: 'PUT', secret: 's' }
    expect((await team.post(`/v2/bots/${id}/retry-callback`, target)).status).toBe(200)
    expect(await deliveries(id)).toEqual([{ url: 'https://other.example/x', method: 'PUT' }])
  })

  test('is refused without any callback, and while the bot is active', async () => {
    // An endpoint for some events is no callback of the bot.
    await createEndpoint(world.database, world.dependencies.seals, {
      ...{ teamId: team.teamId, kind: 'team', url: 'https://hooks.example/b', events: ['bot.failed'] },
    })
    expect((await team.post(`/v2/bots/${await ended()}/retry-callback`)).outcome).toBe(
      '409 FST_ERR_CALLBACK_NOT_CONFIGURED',
    )
    const active = await world.bot(team, withCallback)
    expect((await team.post(`/v2/bots/${active}/retry-callback`)).outcome).toBe('409 FST_ERR_BOT_STATUS')
  })

  test.each([
    [{ url: 'x' }],
    [{ url: 'https://10.0.0.1/' }],
    [{ url: 'https://a.example', method: 'GET' }],
    [{ secret: 's' }],
    [{ method: 'PUT' }],
    [[]],
  ])('the body %j is answered with 400', async (body) => {
    expect((await team.post(`/v2/bots/${await ended()}/retry-callback`, body)).status).toBe(400)
  })
})

describe('retranscribe', () => {
  test('hands the configuration on, or none', async () => {
    const id = await ended()
    for (const body of [undefined, 'null', {}, { transcription: { provider: 'deepgram', api_key: 'k' } }])
      expect((await team.post(`/v2/bots/${id}/retranscribe`, body)).status).toBe(200)
    expect(retranscribed).toEqual([null, null, null, { provider: 'deepgram', apiKey: 'k', customParams: null }])
  })
})

describe('the timeline', () => {
  test('lists the steps of the bot in order, with reasons in words', async () => {
    const id = await world.bot(team)
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000)
    const step = (seconds: number, attempt: number, kind: string, reason: string | null, evidence: object | null) => ({
      ...{ bot_id: id, attempt, at: at(seconds), kind, reason, evidence: evidence && JSON.stringify(evidence) },
    })
    await world.insert(
      'bot_steps',
      step(1, 1, 'launched', 'The launcher process started it.', { pid: 7 }),
      step(2, 1, 'status', null, { status: 'joining_call' }),
      step(3, 2, 'launch_failed', 'No memory', null),
    )
    const file = { bot_id: id, attempt: 1, name: 'video.mp4', location: 'x', bytes: 9 }
    await world.insert('artifacts', { ...file, stored_at: at(4) })
    const { body } = await team.get(`/v2/bots/${id}/timeline`)
    const reported = body.data.map(({ kind, sentence }: { kind: string; sentence: string }) => [kind, sentence])
    expect(reported).toEqual([
      ['asked', 'Bot requested.'],
      ['admitted', "The team's limits allow this bot."],
      ['status', 'The bot was queued.'],
      ['launched', 'The bot was started. The launcher process started it.'],
      ['status', 'The bot asked to join the meeting.'],
      ['launch_failed', 'Attempt 2: The start of the bot failed. No memory.'],
      ['file_stored', 'The file video.mp4 was stored (9 bytes).'],
    ])
    expect(body.data[3]).toMatchObject({ attempt: 1, evidence: { pid: 7 }, at: expect.any(String) })

    const text = await team.get(`/v2/bots/${id}/timeline?format=text`)
    expect(text.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text.text.trimEnd().split('\n')).toHaveLength(7)
    expect(text.text).toMatch(/^\d{4}-[^ ]+Z Bot requested\.$/m)
    expect((await team.get(`/v2/bots/${id}/timeline`, undefined, { accept: 'text/plain' })).text).toBe(text.text)
  })

  test('shows the last log lines of an attempt that ended without a report, without events and secrets', async () => {
    const id = await failedWith({ error_code: 'GENERAL_ERROR' })
    const log = [
      ...Array.from({ length: 30 }, (_, n) => `line ${n}`),
      '{"type":"event","seq":7,"event":{"type":"chat_message","text":"hello"}}',
      'Authorization: Bearer abcdef.secret-value',
      'x'.repeat(2000),
      'Error: no speech service is configured',
      '',
    ]
    const launch = (attempt: number) => ({
      ...{ bot_id: id, attempt, launcher: 'process', ended_at: new Date(), exit_code: 2 },
      token_hash: Buffer.from(`${id}${attempt}`),
      log_tail: log.join('\n'),
    })
    await world.insert('launches', launch(1), launch(2))
    const step = { bot_id: id, attempt: 1, at: new Date(), kind: 'process_ended', reason: 'It ended.' }
    await world.insert('bot_steps', { ...step, evidence: JSON.stringify({ exit_code: 2 }) })
    const ends = async () =>
      (await team.get(`/v2/bots/${id}/timeline`)).body.data.filter(
        ({ kind }: { kind: string }) => kind === 'process_ended',
      )
    const [second, first] = await ends()
    expect(first.evidence.exit_code).toBe(2)
    expect(first.evidence.log).toHaveLength(20)
    expect(first.evidence.log.at(-1)).toBe('Error: no speech service is configured')
    expect(first.evidence.log.at(-2)).toBe('x'.repeat(500))
    expect(first.evidence.log[0]).toBe('line 13')
    expect(JSON.stringify(first)).not.toMatch(/hello|secret-value/)
    // The second attempt sent a report.
    expect(second.evidence).not.toHaveProperty('log')
    await blankBot(world.database, id)
    expect((await ends())[1].evidence).toBeNull()
  })

  test('has every try of a webhook, with the host of the receiver only', async () => {
    const callback_config = { url: 'https://hooks.example/path-with-secret' }
    const id = await ended({}, { callback_enabled: true, callback_config })
    await team.post(`/v2/bots/${id}/retry-callback`)
    const [delivery] = await world.rows('deliveries', { bot_id: id })
    const tried = (status: number, seconds: number) => ({
      ...{ delivery_id: delivery!.id, duration_ms: 12, status, error: null, answer: 'no' },
      at: new Date(Date.now() + seconds * 1000),
    })
    await world.insert('delivery_attempts', tried(500, 1), tried(200, 2))
    const { body } = await team.get(`/v2/bots/${id}/timeline`)
    expect(body.data.slice(-2).map(({ sentence }: { sentence: string }) => sentence)).toEqual([
      'The webhook bot.completed was not accepted by hooks.example (try 1, answer 500).',
      'The webhook bot.completed was delivered to hooks.example (try 2, answer 200).',
    ])
    // The argument of `endpoints replay --delivery`.
    expect(body.data.at(-1).evidence.delivery_id).toBe(delivery!.id)
  })

  test('of a scheduled bot begins before its time', async () => {
    const join_at = new Date(Date.now() + 3_600_000).toISOString()
    const { body } = await team.post('/v2/bots/scheduled', { bot_name: 'Later', meeting_url: MEET, join_at })
    const timeline = await team.get(`/v2/bots/${body.data.bot_id}/timeline`)
    expect(timeline.body.data).toMatchObject([{ kind: 'asked', sentence: expect.stringContaining('to join at') }])
  })

  test('of an unknown bot is a 404', async () => {
    expect((await team.get(`/v2/bots/${randomUUID()}/timeline`)).status).toBe(404)
  })
})
