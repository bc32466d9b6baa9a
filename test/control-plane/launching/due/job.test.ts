import { randomUUID } from 'node:crypto'
import type { BotRequest, BotSecrets } from '@standin/control-plane/bots/request.ts'
import { ImpossibleJob, type JobParts, jobOf } from '@standin/control-plane/launching/due/job.ts'
import { jobSchema } from '@standin/wire/job.ts'
import { describe, expect, test } from 'vitest'

function parts(
  request: Partial<BotRequest> = {},
  bot: Partial<JobParts['bot']> = {},
  secrets: BotSecrets = {},
): JobParts {
  return {
    bot: {
      id: randomUUID(),
      bot_name: 'Notes',
      meeting_url: 'https://meet.google.com/abc-defg-hij',
      meeting_platform: 'meet',
      recording_mode: 'gallery_view',
      extra: null,
      request: { bot_image: null, streaming: null, transcription: null, ...request },
      is_scheduled: false,
      join_at: null,
      status: 'queued',
      resumes: 0,
      denials: 0,
      parts: [],
      participants: [],
      waiting_at: null,
      joined_at: null,
      recording_started_at: null,
      updated_at: new Date(),
      ...bot,
    },
    secrets,
    grant: null,
    storage: { type: 'folder', path: '/recordings/bot/1' },
    link: { url: 'ws://127.0.0.1:8080/link', token: 'token-of-the-attempt' },
    waitForWelcomeSeconds: 60,
  }
}

test('a plain request is a job with the defaults of the service', () => {
  const given = parts()
  expect(jobOf(given)).toMatchObject({
    bot_id: given.bot.id,
    meeting_url: 'https://meet.google.com/abc-defg-hij',
    bot_name: 'Notes',
    recording_mode: 'gallery_view',
    not_before: null,
    wait_for_welcome_seconds: 60,
    bot_image: null,
    streaming: null,
    transcription: null,
    timeout_config: {
      waiting_room_timeout: 600,
      no_one_joined_timeout: 600,
      silence_timeout: 600,
      grace_period: 0,
      recording_timeout: 14_400,
    },
    storage: { type: 'folder', path: '/recordings/bot/1' },
    control_plane: { url: 'ws://127.0.0.1:8080/link', token: 'token-of-the-attempt' },
    extra: null,
  })
})

test('everything that can be asked for arrives', () => {
  const given = parts(
    {
      bot_image: ['https://example.com/1.png', 'https://example.com/2.png'],
      bot_image_config: { loop_mode: 'bot_status', image_duration: 45 },
      entry_message: 'Hello',
      timeout_config: {
        waiting_room_timeout: 120,
        no_one_joined_timeout: 130,
        silence_timeout: 300,
        grace_period: 5,
        recording_timeout: 7200,
      },
      streaming: { input: 'wss://a.example/in', output: null, audio_frequency: 16_000 },
      transcription: { provider: 'deepgram', custom_params: { language: 'de' } },
      callback: { url: 'https://example.com/callback', method: 'PUT' },
      webhook_url: 'https://example.com/hook',
    },
    { extra: { customer: 7 }, is_scheduled: true, join_at: new Date('2026-11-26T10:00:00Z') },
    { transcriptionApiKey: 'own-key', callbackSecret: 'not-for-the-bot' },
  )
  const job = jobOf(given)
  expect(job).toMatchObject({
    bot_image: ['https://example.com/1.png', 'https://example.com/2.png'],
    bot_image_config: { loop_mode: 'bot_status', image_duration: 45 },
    entry_message: 'Hello',
    not_before: '2026-11-26T10:00:00.000Z',
    timeout_config: {
      waiting_room_timeout: 120,
      no_one_joined_timeout: 130,
      silence_timeout: 300,
      grace_period: 5,
      recording_timeout: 7200,
    },
    streaming: { input: 'wss://a.example/in', output: null, audio_frequency: 16_000 },
    transcription: { provider: 'deepgram', api_key: 'own-key', custom_params: { language: 'de' } },
    extra: { customer: 7 },
  })
  expect(JSON.stringify(job)).not.toContain('not-for-the-bot')
})

describe('the platform with an SDK', () => {
  const zoom = { meeting_platform: 'zoom', meeting_url: 'https://zoom.us/j/123456789?pwd=x' }

  test('gets keys, tokens and the addresses of tokens', () => {
    const asked = {
      obf_token_url: 'https://example.com/obf',
      zak_token_url: 'https://example.com/zak',
    }
    const secrets = { sdkId: 'id', sdkPassword: 'password', obfToken: 'obf' }
    expect(jobOf(parts({ conf_config: asked }, zoom, secrets))).toMatchObject({
      conf_sdk_id: 'id',
      conf_sdk_pwd: 'password',
      conf_obf_token: 'obf',
      conf_obf_token_url: 'https://example.com/obf',
      conf_access_token_url: 'https://example.com/zak',
    })
  })

  test.each([
    ['a token without keys', {}],
    ['the address of a token without keys', { obf_token_url: 'https://example.com/obf' }],
  ])('%s that cannot be used is refused by the code of the interface', (_name, asked) => {
    const make = () => jobOf(parts({ conf_config: asked }, zoom, { obfToken: 'obf' }))
    expect(make).toThrow(expect.objectContaining({ name: 'ImpossibleJob', code: 'CONF_OBF_TOKEN_ERROR' }))
  })

  const grant = { sdkId: 'app', sdkPassword: 'app-secret', obfToken: 'fresh-obf', accessKey: null }

  test('gets keys and a token of the stored credential that the bot names', () => {
    const asked = { credential_id: randomUUID() }
    const job = jobOf({ ...parts({ conf_config: asked }, zoom), grant })
    expect(job).toMatchObject({ conf_sdk_id: 'app', conf_sdk_pwd: 'app-secret', conf_obf_token: 'fresh-obf' })
    expect(job.conf_access_token).toBeNull()
    const asUser = jobOf({
      ...parts({ conf_config: asked }, zoom),
      grant: { ...grant, obfToken: null, accessKey: 'zak' },
    })
    expect(asUser).toMatchObject({ conf_obf_token: null, conf_access_token: 'zak' })
  })

  test('gets the app of the operator for a token without keys, and not before those of the bot or of its credential', () => {
    const zoomApp = { clientId: 'operators', clientSecret: 'operators-secret' }
    const keysOf = (asked: object, secrets = {}, given: Partial<JobParts> = {}) =>
      jobOf({ ...parts({ conf_config: asked }, zoom, secrets), zoomApp, ...given })
    const operators = { conf_sdk_id: 'operators', conf_sdk_pwd: 'operators-secret' }
    expect(keysOf({}, { obfToken: 'obf' })).toMatchObject({ ...operators, conf_obf_token: 'obf' })
    const zak = { zak_token_url: 'https://example.com/zak' }
    expect(keysOf(zak)).toMatchObject({ ...operators, conf_access_token_url: zak.zak_token_url })
    expect(keysOf({}, { sdkId: 'id', sdkPassword: 'password', obfToken: 'obf' })).toMatchObject({ conf_sdk_id: 'id' })
    expect(keysOf(zak, {}, { grant })).toMatchObject({ conf_sdk_id: 'app' })
    // Without a token the bot is a guest of the web client, which needs no app.
    expect(keysOf({})).toMatchObject({ conf_sdk_id: null, conf_sdk_pwd: null })
  })

  test('gets what the bot brings itself before what the credential gives', () => {
    const asked = { credential_user_id: 'user' }
    const own = { sdkId: 'id', sdkPassword: 'password', obfToken: 'obf' }
    const job = jobOf({ ...parts({ conf_config: asked }, zoom, own), grant: { ...grant, obfToken: null } })
    expect(job).toMatchObject({ conf_sdk_id: 'id', conf_sdk_pwd: 'password', conf_obf_token: 'obf' })
  })

  test('gets the address of an access key with the keys of a credential', () => {
    const asked = { credential_id: randomUUID(), zak_token_url: 'https://example.com/zak' }
    const job = jobOf({ ...parts({ conf_config: asked }, zoom), grant: { ...grant, obfToken: null } })
    expect(job).toMatchObject({ conf_sdk_id: 'app', conf_access_token_url: 'https://example.com/zak' })
  })

  test('extra that is too long for the address of a token is said, before a worker refuses it', () => {
    const asked = { obf_token_url: 'https://example.com/obf' }
    const given = parts(
      { conf_config: asked },
      { ...zoom, extra: { text: 'x'.repeat(7000) } },
      { sdkId: 'a', sdkPassword: 'b' },
    )
    expect(() => jobOf(given)).toThrow(expect.objectContaining({ code: 'CONF_OBF_TOKEN_ERROR' }))
    expect(() => jobOf(given)).toThrow('extra is sent within the address of the token')
  })

  test('is the only one that gets them', () => {
    const asked = { zak_token_url: 'https://example.com/zak' }
    const job = jobOf(parts({ conf_config: asked }, {}, { sdkId: 'id', sdkPassword: 'password' }))
    expect(Object.keys(job).filter((name) => name.startsWith('conf_'))).toEqual([])
  })
})

test('every combination of options is a job that the worker accepts', () => {
  let count = 0
  for (const mode of ['speaker_view', 'gallery_view', 'audio_only'])
    for (const provider of [null, 'Default', 'deepgram', 'assemblyai', 'captions'] as const)
      for (const audioFrequency of [null, 16_000, 24_000, 32_000, 48_000] as const)
        for (const joinAt of [null, new Date()])
          for (const storage of [
            { type: 'folder' as const, path: '/recordings/bot/1' },
            { type: 's3' as const, bucket: 'recordings', prefix: 'bot/1' },
          ]) {
            const given = parts(
              {
                transcription: provider && { provider, custom_params: null },
                streaming: audioFrequency && {
                  input: null,
                  output: 'wss://stream.example/',
                  audio_frequency: audioFrequency,
                },
                timeout_config: {
                  waiting_room_timeout: 1800,
                  no_one_joined_timeout: 1800,
                  silence_timeout: 3600,
                  grace_period: 600,
                  recording_timeout: 21_600,
                },
              },
              { recording_mode: mode, is_scheduled: joinAt !== null, join_at: joinAt },
            )
            const job = jobOf({ ...given, storage: jobSchema.shape.storage.parse(storage) })
            expect(jobSchema.parse(JSON.parse(JSON.stringify(job)))).toEqual(job)
            count++
          }
  expect(count).toBe(300)
})

test('a request that makes no valid job says which field', () => {
  expect(() => jobOf(parts({ bot_image: ['http://example.com/1.png'] }))).toThrow(ImpossibleJob)
  expect(() => jobOf(parts({ bot_image: ['http://example.com/1.png'] }))).toThrow('bot_image')
})

test.each(['a text', 7, false, ['a', 'list']])(
  'extra that is no object (%j) keeps no bot from being launched',
  (extra) => {
    expect(jobOf(parts({}, { extra })).extra).toBeNull()
  },
)

test('an object is handed on, as token addresses need it', () => {
  expect(jobOf(parts({}, { extra: { customer: 7 } })).extra).toEqual({ customer: 7 })
})

test('a stream whose receiver is away does not keep the bot from recording', () => {
  const streaming = { input: null, output: 'wss://ears.example/live', audio_frequency: 16_000 as const }
  expect(jobOf(parts({ streaming })).streaming).toMatchObject({ is_required: false })
})

describe('a bot that is resumed after a crash', () => {
  const now = new Date('2026-11-20T09:10:00Z')
  const lost = {
    ...{
      resumes: 1,
      updated_at: now,
      status: 'in_call_recording',
      recording_started_at: new Date('2026-11-20T09:00:00Z'),
    },
    ...{ joined_at: new Date('2026-11-20T09:00:00Z'), participants: [{ id: 1, name: 'Ada', platform_id: 'a' }] },
    parts: [{ attempt: 1, seconds: 500, code: 'FORCE_KILLED', reason: null }],
  }
  const request = {
    entry_message: 'Hello',
    timeout_config: { waiting_room_timeout: 300, recording_timeout: 1800 },
  }

  test('writes no second entry message and has what is left of the time to record', () => {
    const job = jobOf(parts(request, lost))
    expect(job.entry_message).toBeNull()
    expect(job.timeout_config).toMatchObject({ recording_timeout: 1300, waiting_room_timeout: 300 })
    expect(job.continues).toEqual({ has_seen_others: true, is_paused: false })
  })

  test('is paused again where it was paused', () => {
    expect(jobOf(parts(request, { ...lost, status: 'recording_paused' })).continues?.is_paused).toBe(true)
  })

  test('has its agent off where it was off, and leaves that out for older workers where it was not', () => {
    const offOf = (isAgentOff: boolean) => jobOf({ ...parts(request, lost), isAgentOff }).continues
    expect(offOf(true)).toMatchObject({ is_agent_off: true })
    expect(offOf(false)).not.toHaveProperty('is_agent_off')
  })

  test('keeps waiting where it crashed in the waiting room, and greets then', () => {
    const waiting = { waiting_at: new Date('2026-11-20T09:08:00Z'), joined_at: null, recording_started_at: null }
    const job = jobOf(parts(request, { ...lost, ...waiting, parts: [], participants: [] }))
    expect(job.timeout_config).toMatchObject({ recording_timeout: 1800, waiting_room_timeout: 180 })
    expect(job).toMatchObject({ entry_message: 'Hello', continues: { has_seen_others: false, is_paused: false } })
  })

  test('an ordinary bot continues nothing', () => {
    expect(jobOf(parts(request)).continues).toBeUndefined()
  })
})
