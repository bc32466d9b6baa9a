import { describe, expect, test } from 'vitest'
import type { BotSecrets } from '../../../../control-plane/bots/request.ts'
import { openSecrets } from '../../../../control-plane/store/bots/secrets.ts'
import { MEET, openWorld } from '../../world.ts'

const world = await openWorld({ api: {} })
const { row } = world

const TALKS = { provider: 'openai_realtime', address: 'always' }
const plain = { bot_name: 'Notes', meeting_url: MEET }

describe('what a bot is asked for', () => {
  test('is stored with every default filled in', async () => {
    const team = await world.team()
    const bot = await row(await world.bot(team))
    expect(bot).toMatchObject({
      phase: 'due',
      status: 'queued',
      generation: 'v2',
      is_compat: false,
      recording_mode: 'speaker_view',
      is_exclusive: false,
      extra: null,
      secrets: null,
      transcription_status: 'not-applicable',
      api_key_id: team.keyId,
      reserved: 500_000,
      request: {
        bot_image: null,
        timeout_config: {
          waiting_room_timeout: 600,
          no_one_joined_timeout: 600,
          silence_timeout: 600,
          grace_period: 0,
        },
        streaming: null,
        transcription: null,
        callback: null,
        conf_config: null,
        allow_multiple_bots: true,
        sealed: [],
      },
    })
    expect(bot.due_at).toEqual(bot.queued_at)
  })

  test('is stored with every field, and secrets are sealed', async () => {
    const team = await world.team()
    const botId = await world.bot(team, {
      meeting_url: 'https://acme.zoom.us/j/1234567890?pwd=abc',
      bot_image: ['https://img.example/1.png', 'https://img.example/2.png'],
      bot_image_config: { loop_mode: 'bot_status', image_duration: 60 },
      allow_multiple_bots: false,
      recording_mode: 'gallery_view',
      entry_message: 'Hello,\nI take notes.',
      timeout_config: { waiting_room_timeout: 120, grace_period: 600, max_recording_duration: 7200 },
      conf_config: { obf_token: 'obf-secret', zak_token_url: 'https://tokens.example/zak' },
      extra: { customer: 7, nested: { list: [1, null, 'x'] } },
      streaming_enabled: true,
      streaming_config: { output_url: 'wss://stream.example/out' },
      transcription_enabled: true,
      transcription_config: { provider: 'Deepgram', api_key: 'dg-secret', custom_params: { language: 'de' } },
      callback_enabled: true,
      callback_config: { url: 'https://hooks.example/cb', secret: 'cb-secret', method: 'PUT' },
      agent: { ...TALKS, url: 'wss://agent.example/', api_key: 'ag-secret', webhook_secret: 'wh-secret' },
    })
    const bot = await row(botId)
    expect(bot).toMatchObject({
      meeting_platform: 'zoom',
      is_exclusive: true,
      extra: { customer: 7, nested: { list: [1, null, 'x'] } },
      transcription_status: 'not-started',
      request: {
        bot_image: ['https://img.example/1.png', 'https://img.example/2.png'],
        bot_image_config: { loop_mode: 'bot_status', image_duration: 60 },
        entry_message: 'Hello,\nI take notes.',
        timeout_config: {
          waiting_room_timeout: 120,
          no_one_joined_timeout: 600,
          silence_timeout: 600,
          grace_period: 600,
          recording_timeout: 7200,
        },
        streaming: { output: 'wss://stream.example/out', audio_frequency: 24_000 },
        transcription: { provider: 'deepgram', custom_params: { language: 'de' } },
        callback: { url: 'https://hooks.example/cb', method: 'PUT' },
        conf_config: { zak_token_url: 'https://tokens.example/zak' },
        agent: { ...TALKS, url: 'wss://agent.example/' },
        sealed: ['transcriptionApiKey', 'agentApiKey', 'agentWebhookSecret', 'obfToken', 'callbackSecret'],
        allow_multiple_bots: false,
      },
    })
    expect(JSON.stringify(bot)).not.toMatch(/obf-secret|dg-secret|cb-secret|ag-secret|wh-secret/)
    expect(openSecrets(world.dependencies.seals, bot)).toEqual<BotSecrets>({
      obfToken: 'obf-secret',
      transcriptionApiKey: 'dg-secret',
      agentApiKey: 'ag-secret',
      agentWebhookSecret: 'wh-secret',
      callbackSecret: 'cb-secret',
    })
    const { body, text } = await team.get(`/v2/bots/${botId}`)
    expect(body.data).toMatchObject({
      conf_config: {
        credential_id: null,
        credential_user_id: null,
        obf_token_url: null,
        zak_token_url: 'https://tokens.example/zak',
      },
      callback_config: { url: 'https://hooks.example/cb', method: 'PUT', secret: null },
    })
    expect(text).not.toMatch(/obf-secret|dg-secret|cb-secret|ag-secret|wh-secret/)
    const endpoint = await world.one('endpoints', { bot_id: botId })
    expect(endpoint).toMatchObject({ kind: 'callback', url: 'https://hooks.example/cb', method: 'PUT' })
  })

  test('is admitted with a reservation, a message and steps, all in one', async () => {
    const team = await world.team({ balance: 1 })
    const botId = await world.bot(team)
    const reserved = { kind: 'reserve', amount: 500_000, source: `reserve:${botId}` }
    expect(await world.rows('ledger', { bot_id: botId })).toMatchObject([reserved])
    expect(await world.rows('messages', { bot_id: botId })).toMatchObject([
      { event: 'bot.status_change', body: { data: { bot_id: botId, status: { code: 'queued' } } } },
    ])
    const steps = await world.rows('bot_steps', { bot_id: botId }, ['kind'])
    expect(steps.map(({ kind }) => kind)).toEqual(['asked', 'admitted', 'status'])
  })

  test.each([
    ['https://meet.google.com/abc-defg-hij', 'meet'],
    [
      'https://teams.microsoft.com/l/meetup-join/19%3ameeting_x%40thread.v2/0?context=%7b%22Tid%22%3a%2211111111-2222-3333-4444-555555555555%22%7d',
      'teams',
    ],
    ['https://teams.live.com/meet/9312345678901?p=abc', 'teams'],
    ['https://us02web.zoom.us/j/1234567890', 'zoom'],
    ['https://meet.jit.si/SomeRoom', 'jitsi'],
  ])('%s is a meeting of %s', async (meeting_url, platform) => {
    const team = await world.team()
    expect(await row(await world.bot(team, { meeting_url }))).toMatchObject({ meeting_platform: platform })
  })
})

describe('a body that does not fit', () => {
  const stream = (config: object) => ({ streaming_enabled: true, streaming_config: config })
  const agent = (config: object) => ({ agent: { ...TALKS, api_key: 'k', webhook_secret: 's', ...config } })
  const hook = (url: string) => ({ type: 'webhook', name: 'find', description: 'Finds.', url })
  const callback = (config: object) => ({ callback_enabled: true, callback_config: config })
  const bad: [name: string, fields: object, message: RegExp][] = [
    ['no name', { bot_name: undefined }, /body\/bot_name is missing/],
    ['an empty name', { bot_name: '' }, /body\/bot_name/],
    ['a name of white space', { bot_name: '  ' }, /body\/bot_name must not be only white space/],
    ['a name that no person sees', { bot_name: '\u200b\u3164' }, /body\/bot_name must not be only white space/],
    ['a name of 256 characters', { bot_name: 'x'.repeat(256) }, /body\/bot_name/],
    ['NUL in the name', { bot_name: 'a\u0000b' }, /body\/bot_name must not contain NUL/],
    ['a line separator in the name', { bot_name: 'a\u2028b' }, /body\/bot_name must not contain control characters/],
    ['half a surrogate pair in the name', { bot_name: 'a\ud800' }, /body\/bot_name/],
    ['a number as name', { bot_name: 5 }, /body\/bot_name/],
    ['no link', { meeting_url: undefined }, /body\/meeting_url is missing/],
    [
      'a text of 8,193 characters',
      { meeting_url: `${MEET} ${'x'.repeat(8193 - MEET.length - 1)}` },
      /body\/meeting_url/,
    ],
    ['NUL in the link', { meeting_url: `${MEET}\u0000` }, /body\/meeting_url/],
    ['an unknown field', { meeting_ulr: MEET }, /body\/meeting_ulr unknown field/],
    [
      'an unknown field inside',
      { timeout_config: { waitingroom: 1 } },
      /body\/timeout_config\/waitingroom unknown field/,
    ],
    ['a picture over http', { bot_image: 'http://img.example/1.png' }, /body\/bot_image/],
    ['a picture without slashes', { bot_image: 'https:img.example/1.png' }, /body\/bot_image/],
    ['six pictures', { bot_image: Array(6).fill('https://img.example/1.png') }, /body\/bot_image/],
    ['no picture in a list', { bot_image: [] }, /body\/bot_image/],
    ['a picture on a private address', { bot_image: 'https://127.0.0.1/1.png' }, /body\/bot_image: /],
    [
      'pictures that turn too fast',
      { bot_image_config: { image_duration: 9 } },
      /body\/bot_image_config\/image_duration/,
    ],
    ['another recording mode', { recording_mode: 'everyone' }, /body\/recording_mode/],
    ['a long entry message', { entry_message: 'x'.repeat(501) }, /body\/entry_message/],
    ['an escape character in the entry message', { entry_message: 'a\u001b[2J' }, /body\/entry_message/],
    ['a short wait', { timeout_config: { waiting_room_timeout: 119 } }, /waiting_room_timeout/],
    ['a long wait', { timeout_config: { no_one_joined_timeout: 1801 } }, /no_one_joined_timeout/],
    ['a fraction of a second', { timeout_config: { silence_timeout: 300.5 } }, /silence_timeout/],
    ['a long grace', { timeout_config: { grace_period: 601 } }, /grace_period/],
    ['a short longest recording', { timeout_config: { max_recording_duration: 7199 } }, /max_recording_duration/],
    ['a stream without configuration', { streaming_enabled: true }, /body\/streaming_config is needed/],
    ['a stream to nowhere', stream({}), /body\/streaming_config needs/],
    ['a stream over http', stream({ output_url: 'https://stream.example' }), /body\/streaming_config\/output_url/],
    ['a stream to a private address', stream({ input_url: 'wss://10.0.0.1/' }), /body\/streaming_config\/input_url: /],
    [
      'a stream address with a fragment',
      stream({ output_url: 'wss://stream.example/#x' }),
      /body\/streaming_config\/output_url must not have a part behind #/,
    ],
    ['an agent that nothing can call', agent({ address: 'name' }), /body\/agent\/address: must be always/],
    ['an agent at a private address', agent({ url: 'wss://10.0.0.1/' }), /body\/agent\/url: /],
    ['an agent over http', agent({ url: 'https://agent.example/' }), /body\/agent\/url/],
    ['a tool at a private address', agent({ tools: [hook('https://10.0.0.1/')] }), /body\/agent\/tools: /],
    [
      'a tool without a signature',
      agent({ tools: [hook('https://a.example/')], webhook_secret: null }),
      /webhook_secret/,
    ],
    [
      'an agent at another rate than the stream',
      { ...agent({}), ...stream({ output_url: 'wss://stream.example/', audio_frequency: 16_000 }) },
      /body\/streaming_config\/audio_frequency: must be 24000/,
    ],
    ['another frequency', { streaming_config: { audio_frequency: 44_100 } }, /audio_frequency/],
    ['another provider', { transcription_config: { provider: 'nobody' } }, /body\/transcription_config\/provider/],
    ['a callback without configuration', { callback_enabled: true }, /body\/callback_config is needed/],
    ['a callback to a private address', callback({ url: 'https://[::1]/' }), /body\/callback_config\/url: /],
    [
      'a callback by DELETE',
      { callback_config: { url: 'https://a.example', method: 'DELETE' } },
      /callback_config\/method/,
    ],
    ['a credential that is no UUID', { conf_config: { credential_id: 'x' } }, /conf_config\/credential_id/],
    ['a list as extra', { extra: [1] }, /body\/extra/],
    ['NUL in extra', { extra: { a: ['x\u0000'] } }, /body\/extra\/a\/0 must not contain NUL/],
    ['NUL in a key of extra', { extra: { 'a\u0000': 1 } }, /body\/extra must not contain NUL/],
    ['extra 33 levels deep', { extra: nested(33) }, /body\/extra must not be nested deeper than 32 levels/],
    ['extra of 300 kB', { extra: { a: 'x'.repeat(300_000) } }, /body\/extra must not be longer/],
    ['a string where true or false stands', { allow_multiple_bots: 'true' }, /body\/allow_multiple_bots/],
  ]
  test.each(bad)('%s is answered with 400', async (_name, fields, message) => {
    const team = await world.team()
    const { status, body } = await team.post('/v2/bots', { ...plain, ...fields })
    expect(status).toBe(400)
    expect(body).toEqual({
      success: false,
      error: 'Bad Request',
      code: 'FST_ERR_VALIDATION',
      statusCode: 400,
      message: expect.stringMatching(message),
      details: null,
      problems: expect.arrayContaining([{ path: expect.stringMatching(/^body/), message: expect.any(String) }]),
    })
  })

  test('every problem is named together', async () => {
    const team = await world.team()
    const { body } = await team.post('/v2/bots', { bot_name: '', meeting_url: '', nonsense: 1 })
    expect(body.message).toMatch(/bot_name .*; body\/meeting_url .*; body\/nonsense unknown field/)
  })

  test('the largest values are taken', async () => {
    const team = await world.team()
    await world.bot(team, {
      bot_name: 'ü'.repeat(255),
      entry_message: 'x'.repeat(500),
      extra: nested(32),
      timeout_config: { waiting_room_timeout: 1800, no_one_joined_timeout: 120, silence_timeout: 3600 },
    })
  })

  test('blank text stands for null if no minimum is promised', async () => {
    const team = await world.team()
    const id = await world.bot(team, {
      meeting_url: 'https://us02web.zoom.us/j/1234567890',
      entry_message: '',
      conf_config: { obf_token: '' },
      transcription_enabled: true,
      transcription_config: { api_key: '' },
      callback_enabled: true,
      callback_config: { url: 'https://hooks.example/cb', secret: '' },
    })
    expect(await row(id)).toMatchObject({ secrets: null, request: { entry_message: null, sealed: [] } })
    expect((await row(await world.bot(team, { entry_message: ' \n' }))).request).toMatchObject({ entry_message: null })
  })

  test.each([
    ['a pasted invitation', 'Ann invites you.\n\nJoin: https://us02web.zoom.us/j/85512345678\nPasscode: 554433\n'],
    [
      'a wrapped link of more than 2,048 characters',
      `https://www.google.com/url?q=${encodeURIComponent('https://us02web.zoom.us/j/85512345678?pwd=554433')}&sa=${'x'.repeat(4000)}`,
    ],
  ])('%s is read as the link in it', async (_name, meeting_url) => {
    const team = await world.team()
    expect(await row(await world.bot(team, { meeting_url }))).toMatchObject({
      meeting_platform: 'zoom',
      meeting_url: 'https://us02web.zoom.us/j/85512345678?pwd=554433',
    })
  })

  test('a link of no supported platform has its own code', async () => {
    const team = await world.team()
    const { status, body } = await team.post('/v2/bots', { ...plain, meeting_url: 'https://example.com/meeting' })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'FST_ERR_INVALID_MEETING_PLATFORM' })
  })

  test('a configuration whose switch is off is ignored', async () => {
    const team = await world.team()
    const botId = await world.bot(team, {
      transcription_config: { api_key: 'k' },
      callback_config: { url: 'https://hooks.example' },
      streaming_config: { output_url: 'wss://stream.example' },
    })
    expect(await row(botId)).toMatchObject({
      secrets: null,
      request: { transcription: null, callback: null, streaming: null },
    })
  })
})

function nested(levels: number): object {
  return levels === 1 ? {} : { inner: nested(levels - 1) }
}
