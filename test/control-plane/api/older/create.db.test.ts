import { describe, expect, test } from 'vitest'
import { createdBotSchema } from '../../../../control-plane/api/older/bots/answers.ts'
import { errorSchema } from '../../../../control-plane/api/older/common.ts'
import { olderGeneration } from '../../../../control-plane/api/older/index.ts'
import { type BotSecrets, type RequestOfRow, secretsPlace } from '../../../../control-plane/bots/request.ts'
import { MEET, openWorld } from '../../world.ts'
import { freshMeet } from '../reporting.ts'

const world = await openWorld({ api: { generations: [olderGeneration] } })
const caller = await world.team()

/** A separate meeting, so that no test meets the duplicate of another. */
const body = (fields: object = {}) => ({ bot_name: 'Bot', meeting_url: freshMeet(), ...fields })

async function created(fields: object = {}) {
  const answer = await caller.post('/bots/', body(fields))
  expect(answer.text).toContain('bot_id')
  const { bot_id } = createdBotSchema.parse(answer.body)
  return world.row(bot_id)
}

async function refused(status: number, code: string, fields: object): Promise<string> {
  const answer = await caller.post('/bots', body(fields))
  expect(answer.body).toMatchObject({ error: expect.any(String), code })
  expect(answer.status).toBe(status)
  return errorSchema.parse(answer.body).error
}

describe('POST /bots', () => {
  test('answers 200 with the UUID of a queued bot of this generation, with and without a slash', async () => {
    for (const path of ['/bots', '/bots/']) {
      const { status, body: answer } = await caller.post(path, body())
      expect(status).toBe(200)
      expect(Object.keys(createdBotSchema.parse(answer))).toEqual(['bot_id'])
    }
    const row = await created()
    expect(row).toMatchObject({ generation: 'older', is_compat: false, phase: 'due', status: 'queued', extra: null })
  })

  test('fills in every default', async () => {
    const { request, recording_mode, secrets } = await created()
    expect(recording_mode).toBe('speaker_view')
    expect(secrets).toBeNull()
    expect(request).toEqual({
      timeout_config: {},
      streaming: null,
      allow_multiple_bots: false,
      sealed: [],
    } satisfies RequestOfRow)
  })

  test('null stands for absent everywhere, and an empty string in every address', async () => {
    const nulls = Object.fromEntries(
      [
        'reserved recording_mode bot_image entry_message speech_to_text transcription_custom_parameters automatic_leave',
        'webhook_url deduplication_key streaming extra start_time conf_sdk_id conf_sdk_pwd conf_access_token_url',
        'conf_obf_token conf_obf_token_url conf_obf_token_user_id',
      ]
        .join(' ')
        .split(' ')
        .map((name) => [name, null]),
    )
    const empty = {
      entry_message: ' ',
      webhook_url: '',
      bot_image: '',
      conf_obf_token_url: '',
      streaming: { input: '', output: '' },
    }
    const plain = await created()
    expect((await created(nulls)).request).toEqual(plain.request)
    expect((await created(empty)).request).toEqual(plain.request)
  })

  test('keeps every field, and the secrets sealed', async () => {
    const row = await created({
      recording_mode: 'gallery_view',
      bot_image: 'https://example.com/bot.png',
      entry_message: 'Hello',
      speech_to_text: { provider: 'Deepgram', api_key: 'deepgram-key' },
      transcription_custom_parameters: { language: 'de' },
      automatic_leave: { waiting_room_timeout: 300, noone_joined_timeout: 200, silence_timeout: 900 },
      webhook_url: 'https://example.com/hook',
      deduplication_key: 'one',
      streaming: { audio_frequency: '16khz', input: 'wss://example.com/in', output: 'wss://example.com/out' },
      extra: { order: 17 },
      conf_sdk_id: 'sdk-id',
      conf_sdk_pwd: 'sdk-password',
      conf_access_token_url: 'https://example.com/zak',
      conf_obf_token: 'obf-token',
      conf_obf_token_url: 'https://example.com/obf',
      conf_obf_token_user_id: 'user-1',
    })
    expect(row).toMatchObject({
      recording_mode: 'gallery_view',
      deduplication_key: 'one',
      extra: { order: 17 },
      transcription_status: 'not-started',
    })
    expect(row.request).toEqual({
      bot_image: 'https://example.com/bot.png',
      bot_image_config: null,
      entry_message: 'Hello',
      timeout_config: { waiting_room_timeout: 300, no_one_joined_timeout: 200, silence_timeout: 900 },
      streaming: { input: 'wss://example.com/in', output: 'wss://example.com/out', audio_frequency: 16_000 },
      transcription: { provider: 'deepgram', custom_params: { language: 'de' } },
      webhook_url: 'https://example.com/hook',
      conf_config: {
        credential_user_id: 'user-1',
        obf_token_url: 'https://example.com/obf',
        zak_token_url: 'https://example.com/zak',
      },
      allow_multiple_bots: false,
      sealed: ['transcriptionApiKey', 'obfToken', 'sdkId', 'sdkPassword'],
    } satisfies RequestOfRow)
    const sealed = row.secrets!
    expect(sealed.toString('latin1')).not.toContain('deepgram-key')
    const opened = world.dependencies.seals.open(sealed, secretsPlace(row.id))
    expect(JSON.parse(opened)).toEqual({
      transcriptionApiKey: 'deepgram-key',
      obfToken: 'obf-token',
      sdkId: 'sdk-id',
      sdkPassword: 'sdk-password',
    } satisfies BotSecrets)
    expect(await world.one('endpoints', { bot_id: row.id })).toMatchObject({
      kind: 'bot',
      url: 'https://example.com/hook',
      events: null,
    })
  })

  test.each([
    ['Default', 'Default'],
    ['default', 'Default'],
    ['captions', 'captions'],
  ])('speech_to_text takes the bare provider %s', async (word, provider) => {
    const { request } = await created({ speech_to_text: word })
    expect(request).toMatchObject({ transcription: { provider }, sealed: [] })
  })

  test('a key for the operator’s own speech service is not kept', async () => {
    const { request, secrets } = await created({ speech_to_text: { provider: 'Default', api_key: 'some-key' } })
    expect(request).toMatchObject({ sealed: [] })
    expect(secrets).toBeNull()
  })

  test.each([
    [
      [0, 1, 2],
      [120, 120, 300],
    ],
    [
      [9000, 9000, 9000],
      [1800, 1800, 1800],
    ],
  ])('the timeouts %j are moved to the nearest bounds', async (given, kept) => {
    const names = (noOne: string) => ['waiting_room_timeout', noOne, 'silence_timeout']
    const of = (noOne: string, seconds: number[]) =>
      Object.fromEntries(names(noOne).map((name, place) => [name, seconds[place]]))
    const { request } = await created({ automatic_leave: of('noone_joined_timeout', given) })
    expect(request).toMatchObject({ timeout_config: of('no_one_joined_timeout', kept) })
  })

  test.each([
    ['text', 'a text'],
    ['a list', [1, { a: null }]],
    ['a number', 17],
    ['false', false],
    ['an object', { a: { b: 'c' } }],
  ])('extra may be %s', async (_what, extra) => {
    expect((await created({ extra })).extra).toEqual(extra)
  })

  test('start_time in the future waits, in seconds and in milliseconds; in the past the bot starts at once', async () => {
    const at = Math.floor(Date.now() / 1000) + 3600
    for (const start_time of [at, at * 1000]) {
      const row = await created({ start_time })
      expect(row).toMatchObject({ phase: 'scheduled', schedule_status: 'scheduled', join_at: new Date(at * 1000) })
    }
    for (const start_time of [0, at - 7200, (at - 7200) * 1000])
      expect(await created({ start_time })).toMatchObject({ phase: 'due', join_at: null })
    await refused(422, 'InvalidRequest', { start_time: at + 91 * 24 * 3600 })
    await refused(422, 'InvalidRequest', { start_time: Number.MAX_SAFE_INTEGER })
  })

  test.each<[what: string, fields: object, says: string]>([
    ['no name', { bot_name: undefined }, 'body/bot_name is missing'],
    ['an empty name', { bot_name: '' }, 'body/bot_name'],
    ['a name of white space', { bot_name: ' ' }, 'body/bot_name'],
    ['a name of 256 characters', { bot_name: 'x'.repeat(256) }, 'body/bot_name'],
    ['a name with NUL', { bot_name: 'a\0' }, 'body/bot_name'],
    ['a name with a line separator', { bot_name: 'a\u2028b' }, 'body/bot_name'],
    ['no meeting', { meeting_url: undefined }, 'body/meeting_url is missing'],
    ['a mode that does not exist', { recording_mode: 'all' }, 'body/recording_mode'],
    ['an image without TLS', { bot_image: 'http://example.com/a.png' }, 'body/bot_image'],
    ['an entry message that is too long', { entry_message: 'x'.repeat(501) }, 'body/entry_message'],
    ['an entry message with a control character', { entry_message: 'a\u001b[2J' }, 'body/entry_message'],
    ['an image without slashes', { bot_image: 'https:example.com/a.png' }, 'body/bot_image'],
    ['streaming to a fragment', { streaming: { input: 'wss://example.com/#x' } }, 'must not have a part behind #'],
    ['a provider that does not exist', { speech_to_text: 'Nobody' }, 'body/speech_to_text must be one of Default'],
    ['a keyed provider without its key', { speech_to_text: 'deepgram' }, 'body/speech_to_text/api_key is required'],
    ['an empty key', { speech_to_text: { provider: 'assemblyai', api_key: '' } }, 'body/speech_to_text/api_key'],
    ['a key with a space', { speech_to_text: { provider: 'assemblyai', api_key: 'a b' } }, 'body/speech_to_text'],
    ['parameters that are no object', { transcription_custom_parameters: [1] }, 'body/transcription_custom_parameters'],
    ['a negative timeout', { automatic_leave: { silence_timeout: -1 } }, 'body/automatic_leave/silence_timeout'],
    ['a timeout with a fraction', { automatic_leave: { silence_timeout: 1.5 } }, 'body/automatic_leave'],
    ['a webhook that is no address', { webhook_url: 'example' }, 'body/webhook_url'],
    ['a webhook of another protocol', { webhook_url: 'file:///etc/passwd' }, 'body/webhook_url'],
    ['a webhook on this machine', { webhook_url: 'https://127.0.0.1/hook' }, 'body/webhook_url: '],
    ['streaming to this machine', { streaming: { output: 'wss://127.0.0.1/x' } }, '127.0.0.1'],
    ['streaming without WebSocket', { streaming: { output: 'https://example.com' } }, 'body/streaming/output'],
    ['another frequency', { streaming: { audio_frequency: '48khz' } }, 'body/streaming/audio_frequency'],
    ['half of the SDK keys', { conf_sdk_id: 'a' }, 'SET_CONF_ID_AND_PWD_TOGETHER'],
    ['the other half', { conf_sdk_pwd: 'a' }, 'SET_CONF_ID_AND_PWD_TOGETHER'],
    ['a start time with a fraction', { start_time: 1.5 }, 'body/start_time'],
    ['a start time as text', { start_time: '1' }, 'body/start_time'],
    ['extra with NUL', { extra: { a: '\0' } }, 'body/extra'],
    ['extra that is too long', { extra: 'x'.repeat(300_000) }, 'body/extra'],
    ['an unknown field', { meeting_ulr: 'x' }, 'body/meeting_ulr unknown field (did you mean meeting_url?)'],
    ['an unknown inner field', { automatic_leave: { silence: 1 } }, 'body/automatic_leave/silence unknown field'],
    [
      'an unknown field of the speech service',
      { speech_to_text: { provider: 'Default', key: 'a' } },
      'speech_to_text/key',
    ],
  ])('%s is refused with its place', async (_what, fields, says) => {
    const sentence = await refused(422, 'InvalidRequest', fields)
    expect(sentence).toContain(says)
  })

  test('extra of 32 levels is kept, one more is refused', async () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
    expect((await created({ extra: nested(32) })).extra).toEqual(nested(32))
    await refused(422, 'InvalidRequest', { extra: nested(33) })
  })

  test('a link of no supported platform is refused', async () => {
    await refused(400, 'InvalidMeetingUrl', { meeting_url: 'https://example.com/meeting' })
    await refused(400, 'InvalidMeetingUrl', { meeting_url: 'not a link' })
    // It is completed to an address that is too long for the job.
    const longest = `meet.google.com/abc-defg-hij?x=${'x'.repeat(2009)}`
    await created({ meeting_url: longest })
    await refused(400, 'InvalidMeetingUrl', { meeting_url: `${longest}y` })
  })

  test('a link without a scheme is completed', async () => {
    expect((await created({ meeting_url: 'meet.google.com/xyz-abcd-efg' })).meeting_url).toBe(
      'https://meet.google.com/xyz-abcd-efg',
    )
  })

  test.each([
    ['no JSON', 'nonsense', 400],
    ['an empty body', '', 400],
    ['an array', '[]', 422],
    ['null', 'null', 400],
  ])('%s is refused', async (_what, text, status) => {
    const answer = await caller.post('/bots', text)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ error: expect.any(String), code: 'InvalidRequest', problems: expect.any(Array) })
  })

  test('other types of content and large bodies are refused', async () => {
    const form = await caller.post('/bots', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' })
    expect([form.status, form.body.code]).toEqual([415, 'InvalidRequest'])
    const large = await caller.post('/bots', body({ entry_message: 'x'.repeat(10_000_000) }))
    expect([large.status, large.body.code]).toEqual([413, 'InvalidRequest'])
  })
})

describe('limits', () => {
  test('a second bot for a meeting within 5 minutes is a duplicate; another deduplication_key allows it', async () => {
    const meeting_url = 'https://meet.google.com/dup-dupe-dup'
    await created({ meeting_url })
    await refused(409, 'DuplicateBot', { meeting_url })
    await refused(409, 'DuplicateBot', { meeting_url: `${meeting_url}/#x` })
    await created({ meeting_url, deduplication_key: 'a' })
    await created({ meeting_url, deduplication_key: 'b' })
    await refused(409, 'DuplicateBot', { meeting_url, deduplication_key: 'a' })
    await world.change('bots', { meeting_url }, { queued_at: new Date(Date.now() - 301_000) })
    await created({ meeting_url })
  })

  test('one key works in two meetings, and in two teams', async () => {
    await created({ deduplication_key: 'same' })
    await created({ deduplication_key: 'same' })
    const other = await world.team()
    const meeting_url = 'https://meet.google.com/two-team-two'
    await created({ meeting_url, deduplication_key: 'same' })
    expect((await other.post('/bots', body({ meeting_url, deduplication_key: 'same' }))).status).toBe(200)
  })
})

describe('keys', () => {
  test.each(['x-service-api-key', 'x-meeting-baas-api-key', 'x-spoke-api-key'])('%s is accepted', async (header) => {
    const answer = await world.app.inject({
      method: 'POST',
      url: '/bots',
      headers: { [header]: caller.key },
      payload: body(),
    })
    expect(answer.statusCode).toBe(200)
  })

  test('a missing or unknown key is 401', async () => {
    for (const headers of [{}, { 'x-service-api-key': 'unknown' }]) {
      const answer = await world.app.inject({ method: 'POST', url: '/bots', headers, payload: body() })
      expect(answer.statusCode).toBe(401)
      expect(answer.json()).toEqual({ error: expect.any(String), code: 'InvalidApiKey' })
    }
  })

  test('a key for sending creates bots and does nothing else', async () => {
    const sending = await world.team({}, 'sending')
    const { status, body: answer } = await sending.post('/bots', body())
    expect(status).toBe(200)
    const answers = await Promise.all([
      sending.get('/bots/bots_with_metadata'),
      sending.get(`/bots/meeting_data?bot_id=${answer.bot_id}`),
      sending.get('/accounts/webhook_url'),
      sending.post('/accounts/webhook_url', { webhook_url: MEET }),
      sending.delete(`/bots/${answer.bot_id}`),
      sending.post(`/bots/${answer.bot_id}/delete_data`),
      sending.get(`/bots/${answer.bot_id}/screenshots`),
    ])
    expect(answers.map((each) => [each.status, each.body.code])).toEqual(answers.map(() => [403, 'Forbidden']))
  })

  test('an unknown path and a wrong method have errors of this generation', async () => {
    const unknown = await caller.get('/nothing')
    expect([unknown.status, unknown.body.code]).toEqual([404, 'NotFound'])
    const method = await caller.patch('/bots', {})
    expect([method.status, method.body.code, method.headers.allow]).toEqual([405, 'MethodNotAllowed', 'POST'])
  })
})
