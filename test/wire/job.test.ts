import {
  jobSchema,
  MAX_BOT_IMAGE_BYTES,
  MAX_CALLER_DATA_DEPTH,
  MAX_CALLER_DATA_LENGTH,
  MAX_PROBLEMS,
  type Problem,
  problemsOf,
} from '@standin/wire/job.ts'
import { expect, test } from 'vitest'

const LEAST = { bot_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', meeting_url: 'https://meet.google.com/abc-defg-hij' }

const S3 = { type: 's3', bucket: 'recordings' }
const withStorage = (fields: object) => ({ storage: { ...S3, ...fields } })
const withTimeout = (name: string, value: unknown) => ({ timeout_config: { [name]: value } })
const withPlane = (fields: object) => ({ control_plane: { url: 'wss://plane.test/', token: 't', ...fields } })
const nested = (levels: number): unknown => (levels === 0 ? 'end' : { in: nested(levels - 1) })

/** Everything that is wrong with the least job plus these fields. */
function problemsIn(fields: unknown): Problem[] {
  const result = jobSchema.safeParse(typeof fields === 'object' && fields !== null ? { ...LEAST, ...fields } : fields)
  return result.success ? [] : problemsOf(result.error)
}

function wrongPaths(fields: unknown): string[] {
  return problemsIn(fields).map(({ path }) => path)
}

test('the least job is an id and a link; everything else has a default', () => {
  expect(jobSchema.parse(LEAST)).toEqual({
    ...LEAST,
    bot_name: 'Standin',
    recording_mode: 'speaker_view',
    frame_rate: 25,
    wait_for_welcome_seconds: 0,
    recording_consent: 'accept',
    separate_tracks: false,
    account: 'never',
    keeps_browser_state: false,
    denials: 0,
    timeout_config: {
      waiting_room_timeout: 600,
      no_one_joined_timeout: 600,
      silence_timeout: 600,
      recording_timeout: 14_400,
      everyone_left_timeout: 30,
      only_bots_timeout: 300,
      bot_names: expect.arrayContaining(['notetaker', 'fireflies']),
      grace_period: 0,
      removed_too_early: 5,
      storing_timeout: 900,
    },
    storage: { type: 'folder', path: 'recordings' },
  })
})

test('a job with ten mistakes gets ten messages, each with its path', () => {
  const result = jobSchema.safeParse({
    bot_id: 'not-a-uuid',
    bot_name: '   ',
    entry_message: 'x'.repeat(501),
    timeout_config: { silence_timeout: 0, waiting_room_timeut: 5 },
    streaming: { input: 'https://not-a-websocket.test' },
    conf_sdk_id: 'alone',
    storage: { type: 's3', bucket: 'b' },
    color: 'blue',
  })
  expect(result.error?.issues).toHaveLength(10)
  expect(problemsOf(result.error!).sort((a, b) => a.path.localeCompare(b.path))).toEqual([
    { path: 'bot_id', message: 'Invalid UUID' },
    { path: 'bot_name', message: 'must not be empty or only white space' },
    { path: 'color', message: 'unknown field' },
    { path: 'conf_sdk_pwd', message: 'SET_CONF_ID_AND_PWD_TOGETHER: conf_sdk_id and conf_sdk_pwd go together' },
    { path: 'entry_message', message: 'Too big: expected string to have <=500 characters' },
    { path: 'meeting_url', message: 'is missing' },
    { path: 'storage.bucket', message: 'Too small: expected string to have >=3 characters' },
    { path: 'streaming.input', message: 'must be an address that starts with ws:// or wss://' },
    { path: 'timeout_config.silence_timeout', message: 'Too small: expected number to be >=1' },
    { path: 'timeout_config.waiting_room_timeut', message: 'unknown field' },
  ])
})

test('unknown fields are refused by name at every level', () => {
  expect(
    wrongPaths({
      bot_nme: 'x',
      timeout_config: { silence: 1 },
      streaming: { inputs: 'x' },
      transcription: { key: 'x' },
      conf_config: { zak: 'x' },
      storage: { type: 'folder', path: 'x', folder: 'y' },
      control_plane: { url: 'ws://x', token: 'y', insecure: true },
    }).sort(),
  ).toEqual([
    'bot_nme',
    'conf_config.zak',
    'control_plane.insecure',
    'storage.folder',
    'streaming.inputs',
    'timeout_config.silence',
    'transcription.key',
  ])
})

const TIMEOUTS = [
  'waiting_room_timeout',
  'no_one_joined_timeout',
  'silence_timeout',
  'recording_timeout',
  'everyone_left_timeout',
  'only_bots_timeout',
]

/** Of each field: values at its bounds, which are taken, and values beyond them, which are not. */
const BOUNDS: [path: string, taken: object[], refused: unknown[]][] = [
  [
    'bot_id',
    [{ bot_id: '00000000-0000-0000-0000-000000000000' }],
    [{ bot_id: '../../etc' }, { bot_id: 7 }, { bot_id: '' }],
  ],
  [
    'meeting_url',
    [{ meeting_url: 'x' }, { meeting_url: 'x'.repeat(8192) }, { meeting_url: ' meet.google.com/abc ' }],
    [{ meeting_url: '' }, { meeting_url: '  ' }, { meeting_url: 'x'.repeat(8193) }, { meeting_url: null }],
  ],
  [
    'traceparent',
    [{ traceparent: null }, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }],
    [
      { traceparent: '' },
      { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-more` },
      { traceparent: `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01` },
      { traceparent: `\n00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    ],
  ],
  [
    'bot_name',
    [{ bot_name: 'x' }, { bot_name: '名'.repeat(255) }, { bot_name: '<b>"Bot" & Co.</b>' }],
    [
      { bot_name: '' },
      { bot_name: '\t\n' },
      { bot_name: '\u200b\u2060' },
      { bot_name: 'Notes\nfor Ann' },
      { bot_name: 'Notes\u2028for Ann' },
      { bot_name: 'x'.repeat(256) },
      { bot_name: 'a\u001b[31mred' },
      { bot_name: 'a\0b' },
    ],
  ],
  [
    'recording_mode',
    [{ recording_mode: 'gallery_view' }, { recording_mode: 'audio_only' }],
    [{ recording_mode: '' }, { recording_mode: 'Speaker_View' }, { recording_mode: null }],
  ],
  [
    'frame_rate',
    [{ frame_rate: 25 }, { frame_rate: 30 }],
    [{ frame_rate: 24 }, { frame_rate: '25' }, { frame_rate: 60 }],
  ],
  [
    'entry_message',
    [
      { entry_message: 'x' },
      { entry_message: 'x'.repeat(500) },
      { entry_message: null },
      { entry_message: 'two\nlines' },
    ],
    [
      { entry_message: '' },
      { entry_message: ' ' },
      { entry_message: 'x'.repeat(501) },
      { entry_message: 'bell\u0007' },
    ],
  ],
  [
    'not_before',
    [
      { not_before: '2026-11-21T10:00:00Z' },
      { not_before: '2026-11-21T10:00:00.125+01:00' },
      { not_before: '1999-12-31T23:59:59-11:00' },
      { not_before: null },
    ],
    [
      { not_before: '' },
      { not_before: '2026-11-21' },
      { not_before: '2026-11-21T10:00:00' },
      { not_before: '2026-02-30T10:00:00Z' },
      { not_before: 1_795_253_400 },
      { not_before: 'tomorrow' },
    ],
  ],
  [
    'wait_for_welcome_seconds',
    [{ wait_for_welcome_seconds: 0 }, { wait_for_welcome_seconds: 3600 }],
    [{ wait_for_welcome_seconds: -1 }, { wait_for_welcome_seconds: 3601 }, { wait_for_welcome_seconds: 1.5 }],
  ],
  [
    'recording_consent',
    [{ recording_consent: 'accept' }, { recording_consent: 'refuse' }],
    [{ recording_consent: true }, { recording_consent: 'ask' }],
  ],
  [
    'continues',
    [{ continues: { has_seen_others: true, is_paused: false } }, { continues: null }],
    [{ continues: [] }, { continues: true }, { continues: 'yes' }],
  ],
  [
    'continues.has_seen_others',
    [{ continues: { has_seen_others: false, is_paused: true } }],
    [{ continues: { is_paused: true } }, { continues: { has_seen_others: 1, is_paused: false } }],
  ],
  [
    'separate_tracks',
    [{ separate_tracks: true }, { separate_tracks: false }],
    [{ separate_tracks: 'yes' }, { separate_tracks: null }],
  ],
  [
    'browser_state',
    [{ browser_state: '/accounts/notes' }, { browser_state: 's3://accounts/notes.tar.gz' }, { browser_state: null }],
    [{ browser_state: '' }, { browser_state: { cookies: [] } }, { browser_state: 'x'.repeat(4097) }],
  ],
  [
    'bot_image_config.image_duration',
    [10, 120].map((image_duration) => ({ bot_image_config: { image_duration } })),
    [9, 121, 10.5, '30', null].map((image_duration) => ({ bot_image_config: { image_duration } })),
  ],
  [
    'bot_image_config.loop_mode',
    ['auto', 'bot_status'].map((loop_mode) => ({ bot_image_config: { loop_mode } })),
    ['Auto', null].map((loop_mode) => ({ bot_image_config: { loop_mode } })),
  ],
  ['bot_image.1', [], [{ bot_image: ['https://pictures.test/bot.png', 'http://pictures.test/bot.png'] }]],
  [
    'bot_image',
    [
      { bot_image: 'https://pictures.test/bot.png' },
      { bot_image: 'data:image/png;base64,iVBORw0KGgo=' },
      { bot_image: null },
      { bot_image: ['https://pictures.test/1.png', 'data:image/png;base64,iVBORw0KGgo='] },
      { bot_image: Array(5).fill('https://pictures.test/bot.png'), bot_image_config: { loop_mode: 'bot_status' } },
    ],
    [
      { bot_image: 'http://pictures.test/bot.png' },
      { bot_image: 'file:///etc/passwd' },
      { bot_image: [] },
      { bot_image: Array(6).fill('https://pictures.test/bot.png') },
      { bot_image: 'https://' },
      { bot_image: 'data:text/html;base64,PGI+' },
      { bot_image: 'data:image/svg+xml;base64,PGI+' },
      { bot_image: `data:image/png;base64,${'A'.repeat(MAX_BOT_IMAGE_BYTES * 1.4)}` },
    ],
  ],
  ...TIMEOUTS.map((name): [string, object[], unknown[]] => [
    `timeout_config.${name}`,
    [withTimeout(name, 1), withTimeout(name, 86_400)],
    [0, -1, 86_401, 1.5, '60', null, Number.NaN, Number.POSITIVE_INFINITY].map((value) => withTimeout(name, value)),
  ]),
  [
    'timeout_config.grace_period',
    [withTimeout('grace_period', 0), withTimeout('grace_period', 600)],
    [withTimeout('grace_period', -1), withTimeout('grace_period', 601)],
  ],
  [
    'timeout_config.removed_too_early',
    [withTimeout('removed_too_early', 0), withTimeout('removed_too_early', 86_400)],
    [withTimeout('removed_too_early', -1), withTimeout('removed_too_early', 86_401)],
  ],
  [
    'timeout_config',
    [{ timeout_config: {} }],
    [{ timeout_config: null }, { timeout_config: [] }, { timeout_config: 5 }],
  ],
  [
    'streaming.input',
    [
      { streaming: { input: 'ws://a.test' } },
      { streaming: { input: 'wss://a.test/x?y=z' } },
      { streaming: { input: null } },
    ],
    [
      { streaming: { input: 'http://a.test' } },
      { streaming: { input: 'ws://a.test/#b' } },
      { streaming: { input: 'wss' } },
    ],
  ],
  [
    'streaming.output',
    [{ streaming: { output: 'wss://a.test' } }, { streaming: null }],
    [{ streaming: { output: 'javascript:alert(1)' } }, { streaming: { output: 7 } }],
  ],
  [
    'transcription.timeout',
    [{ transcription: { timeout: 1 } }, { transcription: { timeout: 86_400 } }],
    [{ transcription: { timeout: 0 } }, { transcription: { timeout: '9' } }],
  ],
  [
    'streaming.set_up_timeout',
    [{ streaming: { set_up_timeout: 1 } }, { streaming: { set_up_timeout: 86_400 } }],
    [{ streaming: { set_up_timeout: 0 } }, { streaming: { set_up_timeout: 1.5 } }],
  ],
  [
    'streaming.is_required',
    [{ streaming: { is_required: true } }, { streaming: { is_required: false } }],
    [{ streaming: { is_required: 'yes' } }],
  ],
  [
    'streaming.audio_frequency',
    [16_000, 24_000, 32_000, 48_000].map((audio_frequency) => ({ streaming: { audio_frequency } })),
    [8_000, 44_100, '24khz', '24000'].map((audio_frequency) => ({ streaming: { audio_frequency } })),
  ],
  [
    'transcription.provider',
    [{ transcription: {} }, { transcription: { provider: 'Default' } }, { transcription: { provider: 'captions' } }],
    [{ transcription: { provider: '' } }, { transcription: { provider: 'default' } }],
  ],
  ['transcription.mode', [{ transcription: { mode: 'live_and_after' } }], [{ transcription: { mode: 'both' } }]],
  [
    'transcription.api_key',
    [{ transcription: { api_key: 'k' } }],
    [{ transcription: { api_key: '' } }, { transcription: { api_key: 'two words' } }],
  ],
  [
    'transcription.custom_params',
    [{ transcription: { custom_params: { a: [1, null, { b: true }] } } }],
    [{ transcription: { custom_params: [] } }, { transcription: { custom_params: nested(MAX_CALLER_DATA_DEPTH + 1) } }],
  ],
  [
    'conf_config.credential_id',
    [{ conf_config: { credential_id: LEAST.bot_id } }, { conf_config: null }],
    [{ conf_config: { credential_id: 'x' } }],
  ],
  [
    'conf_config.obf_token_url',
    [
      { conf_config: { obf_token_url: 'https://tokens.test/' } },
      { conf_config: { obf_token_url: 'http://tokens.test/' } },
    ],
    [{ conf_config: { obf_token_url: 'ftp://tokens.test/' } }],
  ],
  [
    'conf_config.zak_token_url',
    [{ conf_config: { zak_token_url: 'https://tokens.test/' } }],
    [{ conf_config: { zak_token_url: 'tokens.test' } }],
  ],
  [
    'conf_sdk_pwd',
    [{ conf_sdk_id: 'a', conf_sdk_pwd: 'b' }],
    [{ conf_sdk_id: 'a' }, { conf_sdk_id: 'a', conf_sdk_pwd: null }],
  ],
  ['conf_sdk_id', [{ conf_sdk_id: null, conf_sdk_pwd: null }], [{ conf_sdk_pwd: 'b' }]],
  [
    'conf_obf_token',
    [{ conf_obf_token: 'eyJ.a-b_c' }, { conf_obf_token: null }],
    [{ conf_obf_token: '' }, { conf_obf_token: 'x'.repeat(4097) }, { conf_obf_token: 'a b' }],
  ],
  [
    'conf_obf_token_url',
    [{ conf_obf_token_url: 'https://tokens.test/?key=1' }, { conf_obf_token_url: 'http://tokens.test/' }],
    [{ conf_obf_token_url: 'ftp://tokens.test/' }, { conf_obf_token_url: `https://tokens.test/${'x'.repeat(2048)}` }],
  ],
  [
    'conf_obf_token_user_id',
    [{ conf_obf_token_user_id: 'u' }],
    [{ conf_obf_token_user_id: '' }, { conf_obf_token_user_id: 'x'.repeat(257) }],
  ],
  ['keeps_browser_state', [{ keeps_browser_state: true }], [{ keeps_browser_state: null }]],
  ['account', [{ account: 'always' }, { account: 'if_required' }], [{ account: 'yes' }, { account: null }]],
  ['teams_token', [{ teams_token: 'eyJ.a-b_c' }, { teams_token: null }], [{ teams_token: '' }, { teams_token: 'a b' }]],
  ['teams_fresh_tokens', [{ teams_fresh_tokens: true }, { teams_fresh_tokens: null }], [{ teams_fresh_tokens: 1 }]],
  [
    'egress',
    [
      { egress: { proxy: 'http://proxy.test:3128' } },
      { egress: { proxy: 'socks5://user:word@proxy.test:1080', media: 'direct' } },
    ],
    [{ egress: 'http://proxy.test' }, { egress: [] }],
  ],
  [
    'egress.proxy',
    [{ egress: { proxy: 'https://proxy.test' } }],
    [
      { egress: { proxy: 'ftp://proxy.test' } },
      { egress: { proxy: 'socks5://proxy.test' } },
      { egress: { proxy: 'http://proxy.test/path' } },
    ],
  ],
  ['conf_fresh_tokens', [{ conf_fresh_tokens: true }, { conf_fresh_tokens: null }], [{ conf_fresh_tokens: 'yes' }]],
  [
    'conf_access_token',
    [{ conf_access_token: 'eyJ.a-b_c' }, { conf_access_token: null }],
    [{ conf_access_token: '' }, { conf_access_token: 'x'.repeat(4097) }, { conf_access_token: 'a b' }],
  ],
  [
    'conf_access_token_url',
    [{ conf_access_token_url: 'https://tokens.test/' }],
    [{ conf_access_token_url: 'tokens.test' }],
  ],
  [
    'storage.path',
    [{ storage: { type: 'folder', path: '/tmp/x' } }],
    [{ storage: { type: 'folder', path: '' } }, { storage: { type: 'folder', path: 'x'.repeat(4097) } }],
  ],
  [
    'storage.bucket',
    [withStorage({}), withStorage({ bucket: 'abc' }), withStorage({ bucket: 'x'.repeat(63) })],
    [withStorage({ bucket: 'ab' }), withStorage({ bucket: 'x'.repeat(64) }), withStorage({ bucket: undefined })],
  ],
  ['storage.prefix', [withStorage({ prefix: 'a/b/' })], [withStorage({ prefix: 'x'.repeat(901) })]],
  [
    'storage.endpoint',
    [withStorage({ endpoint: 'http://127.0.0.1:9000' }), withStorage({ endpoint: 'https://s3.test' })],
    [withStorage({ endpoint: 's3.test' }), withStorage({ endpoint: 'ftp://s3.test' })],
  ],
  ['storage.region', [withStorage({ region: 'eu-west-1' })], [withStorage({ region: '' })]],
  ['storage.checksums', [withStorage({ checksums: 'when_supported' })], [withStorage({ checksums: 'never' })]],
  ['storage.force_path_style', [withStorage({ force_path_style: false })], [withStorage({ force_path_style: 'yes' })]],
  [
    'storage',
    [withStorage({ access_key_id: 'a', secret_access_key: 'b' })],
    [withStorage({ access_key_id: 'a' }), withStorage({ secret_access_key: 'b' }), { storage: 'here' }],
  ],
  ['storage.type', [{ storage: { type: 'folder', path: 'x' } }], [{ storage: { type: 'ftp' } }, { storage: {} }]],
  [
    'control_plane.url',
    [withPlane({}), withPlane({ url: 'ws://127.0.0.1:8080/x' }), { control_plane: null }],
    [withPlane({ url: 'https://plane.test' }), withPlane({ url: 'wss://plane.test/#x' }), withPlane({ url: '' })],
  ],
  [
    'control_plane.token',
    [withPlane({ token: 'x'.repeat(4096) }), withPlane({ token: '~!a.b-c_d+e/f=' })],
    [
      withPlane({ token: '' }),
      withPlane({ token: 'x'.repeat(4097) }),
      withPlane({ token: 'a\r\nb' }),
      withPlane({ token: 'ключ' }),
    ],
  ],
  [
    'words.version',
    [{ words: { version: '2026.11.27', any: 1 } }, { words: null }],
    [{ words: {} }, { words: { version: 1 } }, { words: { version: '1'.repeat(21) } }],
  ],
  ['denials', [{ denials: 0 }, { denials: 7 }], [{ denials: -1 }, { denials: 0.5 }, { denials: null }]],
  [
    'extra',
    [
      { extra: { a: { b: ['c', 1.5, null, false] } } },
      { extra: null },
      { extra: nested(MAX_CALLER_DATA_DEPTH) },
      { extra: { a: 'x'.repeat(MAX_CALLER_DATA_LENGTH - 8) } },
    ],
    [
      { extra: 'text' },
      { extra: [] },
      { extra: nested(MAX_CALLER_DATA_DEPTH + 1) },
      { extra: { a: 'x'.repeat(MAX_CALLER_DATA_LENGTH) } },
    ],
  ],
]

test.each(BOUNDS)('%s is taken up to its bounds and refused, with its path, beyond them', (path, taken, refused) => {
  for (const fields of taken) expect(wrongPaths(fields), JSON.stringify(fields).slice(0, 200)).toEqual([])
  for (const fields of refused) expect(wrongPaths(fields), JSON.stringify(fields).slice(0, 200)).toEqual([path])
})

test('every field of a job has its bounds tested', () => {
  const tested = new Set(BOUNDS.map(([path]) => path.split('.')[0]))
  expect(Object.keys(jobSchema.shape).filter((field) => !tested.has(field))).toEqual([])
})

test('no foreign document makes the check throw, and each gets at least one message', () => {
  let deepList: unknown = 1
  let deepObject: unknown = 1
  for (let level = 0; level < 100_000; level++) {
    deepList = [deepList]
    deepObject = { a: deepObject }
  }
  const hostile: unknown[] = [
    undefined,
    null,
    true,
    0,
    '',
    'a job',
    [],
    [LEAST],
    () => LEAST,
    Symbol('job'),
    10n,
    new Date(),
    { ...LEAST, extra: { deepList } },
    { ...LEAST, extra: deepObject },
    { ...LEAST, transcription: { custom_params: { deepList } } },
    { ...LEAST, bot_name: deepList },
    { ...LEAST, storage: deepObject },
    { ...LEAST, bot_name: 'x'.repeat(10_000_000) },
    { ...LEAST, bot_image: `data:image/png;base64,${'A'.repeat(10_000_000)}!` },
    Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`field_${index}`, index])),
  ]
  for (const document of hostile) {
    const result = jobSchema.safeParse(document)
    expect(result.success).toBe(false)
    expect(problemsOf(result.error!).length).toBeGreaterThan(0)
  }
})

test('keys that reach for prototypes are refused by name and change nothing', () => {
  const text = `{"bot_id":"${LEAST.bot_id}","meeting_url":"x","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`
  const result = jobSchema.safeParse(JSON.parse(text))
  expect(
    problemsOf(result.error!)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['__proto__', 'constructor'])
  const extra = JSON.parse('{"__proto__":{"polluted":true},"kept":1}')
  const taken = jobSchema.parse({ ...LEAST, extra })
  expect((taken.extra as Record<string, unknown>).polluted).toBeUndefined()
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  expect(taken.extra).toMatchObject({ kept: 1 })
})

test('the messages never repeat a secret', () => {
  const secret = 'very-secret-value'
  const result = jobSchema.safeParse({
    ...LEAST,
    conf_sdk_pwd: secret,
    storage: { ...S3, secret_access_key: secret, access_key_id: 5 },
    control_plane: { url: `https://user:${secret}@plane.test`, token: `${secret} with spaces` },
    conf_config: { obf_token: [secret] },
  })
  expect(JSON.stringify(problemsOf(result.error!))).not.toContain(secret)
})

test('many unknown fields are counted, and the first of them are listed', () => {
  const unknown = Object.fromEntries(Array.from({ length: 130_000 }, (_, index) => [`field_${index}`, 1]))
  const problems = problemsIn({ ...unknown })
  expect(problems).toHaveLength(MAX_PROBLEMS + 1)
  expect(problems.at(-1)).toEqual({ path: '', message: expect.stringMatching(/^\d{6} more problems are not listed$/) })
})

test('a long name of a field is cut, and its control characters do not reach a terminal', () => {
  const paths = problemsIn({ [`\u001b[2J\u202e${'x'.repeat(20_000_000)}`]: 1 }).map(({ path }) => path)
  const path = paths.find((each) => each.includes('xxx'))!
  expect(path.length).toBeLessThanOrEqual(300)
  expect(path).toMatch(/^\?\[2J\?x+…$/)
})
