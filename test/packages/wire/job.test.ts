import {
  MAX_CALLER_DATA_DEPTH,
  MAX_CALLER_DATA_LENGTH,
  PAGE_TARGETS,
  type PageTarget,
} from '@standin/wire/bot-fields.ts'
import { jobSchema, MAX_BOT_IMAGE_BYTES, MAX_PROBLEMS, type Problem, problemsOf } from '@standin/wire/job.ts'
import { expect, test } from 'vitest'

const LEAST = { bot_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', meeting_url: 'https://meet.google.com/abc-defg-hij' }

const S3 = { type: 's3', bucket: 'recordings' }
const PLANE = { url: 'wss://plane.test/' }
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
    output_media: null,
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
    { path: 'bot_name', message: 'must not be only white space' },
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

const TIMEOUTS = ['waiting_room', 'no_one_joined', 'silence', 'recording', 'everyone_left', 'only_bots']
const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
const PICTURE = 'https://pictures.test/bot.png'
const TOKENS = 'https://tokens.test/'
const PNG = 'data:image/png;base64,'
const FOLDER = { type: 'folder' }
const SECONDS = [1, 86_400]

const pageAt = (url: string, target: PageTarget = 'camera') => ({ [target]: { kind: 'webpage', url } })

/** Of each field: values at its bounds, which are taken, values beyond them, which are not, and its neighbors. */
const BOUNDS: [path: string, taken: unknown[], refused: unknown[], beside?: object][] = [
  ['bot_id', ['00000000-0000-0000-0000-000000000000'], ['../../etc', 7, '']],
  ['meeting_url', ['x', 'x'.repeat(8192), ' meet.google.com/abc '], ['', '  ', 'x'.repeat(8193), null]],
  ['output_media', [null, pageAt('https://a.test/'), pageAt(`https://a.test/${'x'.repeat(2033)}`)], [{}]],
  ['output_media', [{ ...pageAt('https://a.test/'), ...pageAt('https://b.test/', 'screen') }], []],
  ['traceparent', [null, TRACE], ['', `${TRACE}-more`, TRACE.replaceAll('a', 'A'), `\n${TRACE}`]],
  ['bot_name', ['x', '名'.repeat(255), '<b>"Bot" & Co.</b>'], ['', '\t\n', '\u200b\u2060', 'Notes\nfor Ann']],
  ['bot_name', [], ['Notes\u2028for Ann', 'x'.repeat(256), 'a\u001b[31mred', 'a\0b']],
  ['recording_mode', ['gallery_view', 'audio_only'], ['', 'Speaker_View', null]],
  ['frame_rate', [25, 30], [24, '25', 60]],
  ['entry_message', ['x', 'x'.repeat(500), null, 'two\nlines'], ['', ' ', 'x'.repeat(501), 'bell\u0007']],
  ['not_before', ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.125+01:00', '1999-12-31T23:59:59-11:00', null], []],
  ['not_before', [], ['', '2026-11-21', '2026-11-21T10:00:00', '2026-02-30T10:00:00Z', 1_795_253_400, 'tomorrow']],
  ['wait_for_welcome_seconds', [0, 3600], [-1, 3601, 1.5]],
  ['recording_consent', ['accept', 'refuse'], [true, 'ask']],
  ['continues', [{ has_seen_others: true, is_paused: false }, null], [[], true, 'yes']],
  ['continues.has_seen_others', [false], [undefined, 1], { is_paused: true }],
  ['continues.is_agent_off', [true, undefined], [null, 1], { has_seen_others: true, is_paused: true }],
  ['separate_tracks', [true, false], ['yes', null]],
  ['browser_state', ['/accounts/notes', 's3://accounts/notes.tar.gz', null], ['', { cookies: [] }, 'x'.repeat(4097)]],
  ['bot_image_config.image_duration', [10, 120], [9, 121, 10.5, '30', null]],
  ['bot_image_config.loop_mode', ['auto', 'bot_status'], ['Auto', null]],
  ['bot_image.1', [], ['http://pictures.test/bot.png'], [PICTURE]],
  ['bot_image', [PICTURE, `${PNG}iVBORw0KGgo=`, null, [PICTURE, `${PNG}iVBORw0KGgo=`], Array(5).fill(PICTURE)], []],
  ['bot_image', [], ['http://pictures.test/bot.png', 'file:///etc/passwd', [], Array(6).fill(PICTURE), 'https://']],
  ['bot_image', [], ['text/html', 'image/svg+xml'].map((type) => `data:${type};base64,PGI+`)],
  ['bot_image', [], [PNG + 'A'.repeat(MAX_BOT_IMAGE_BYTES * 1.4)]],
  ...TIMEOUTS.map((name): [string, unknown[], unknown[]] => [
    `timeout_config.${name}_timeout`,
    SECONDS,
    [0, -1, 86_401, 1.5, '60', null, Number.NaN, Number.POSITIVE_INFINITY],
  ]),
  ['timeout_config.grace_period', [0, 600], [-1, 601]],
  ['timeout_config.removed_too_early', [0, 86_400], [-1, 86_401]],
  ['timeout_config', [{}], [null, [], 5]],
  ['streaming.input', ['ws://a.test', 'wss://a.test/x?y=z', null], ['http://a.test', 'ws://a.test/#b', 'wss']],
  ['streaming.output', ['wss://a.test'], ['javascript:alert(1)', 7]],
  ['streaming', [null], []],
  ['transcription.timeout', SECONDS, [0, '9']],
  ['streaming.set_up_timeout', SECONDS, [0, 1.5]],
  ['streaming.is_required', [true, false], ['yes']],
  ['streaming.audio_frequency', [16_000, 24_000, 32_000, 48_000], [8_000, 44_100, '24khz', '24000']],
  ['transcription', [{}], []],
  ['transcription.provider', ['Default', 'captions'], ['', 'default']],
  ['transcription.mode', ['live_and_after'], ['both']],
  ['transcription.api_key', ['k'], ['', 'two words']],
  ['transcription.custom_params', [{ a: [1, null, { b: true }] }], [[], nested(MAX_CALLER_DATA_DEPTH + 1)]],
  ['conf_config', [null], []],
  ['conf_config.credential_id', [LEAST.bot_id], ['x']],
  ['conf_config.obf_token_url', [TOKENS, 'http://tokens.test/'], ['ftp://tokens.test/']],
  ['conf_config.zak_token_url', [TOKENS], ['tokens.test']],
  ['conf_sdk_pwd', ['b'], [undefined, null], { conf_sdk_id: 'a' }],
  ['voice_api_key', [null, 'k'], ['', 5]],
  ['agent', [null, { provider: 'openai_realtime', address: 'always' }], ['x', 1]],
  ['conf_sdk_id', [null], [], { conf_sdk_pwd: null }],
  ['conf_sdk_id', ['a'], [undefined], { conf_sdk_pwd: 'b' }],
  ['conf_obf_token', ['eyJ.a-b_c', null], ['', 'x'.repeat(4097), 'a b']],
  ['conf_obf_token_url', [`${TOKENS}?key=1`, 'http://tokens.test/'], ['ftp://tokens.test/', TOKENS + 'x'.repeat(2048)]],
  ['conf_obf_token_user_id', ['u'], ['', 'x'.repeat(257)]],
  ['keeps_browser_state', [true], [null]],
  ['account', ['always', 'if_required'], ['yes', null]],
  ['teams_token', ['eyJ.a-b_c', null], ['', 'a b']],
  ['teams_fresh_tokens', [true, null], [1]],
  ['egress', [{ proxy: 'socks5://user:word@proxy.test:1080', media: 'direct' }], ['http://proxy.test', []]],
  ['egress.proxy', ['http://proxy.test:3128', 'https://proxy.test'], ['ftp://proxy.test', 'socks5://proxy.test']],
  ['egress.proxy', [], ['http://proxy.test/path']],
  ['conf_fresh_tokens', [true, null], ['yes']],
  ['conf_access_token', ['eyJ.a-b_c', null], ['', 'x'.repeat(4097), 'a b']],
  ['conf_access_token_url', [TOKENS], ['tokens.test']],
  ['storage.path', ['/tmp/x'], ['', 'x'.repeat(4097)], FOLDER],
  ['storage.bucket', ['abc', 'x'.repeat(63)], ['ab', 'x'.repeat(64), undefined], S3],
  ['storage.prefix', ['a/b/'], ['x'.repeat(901)], S3],
  ['storage.endpoint', ['http://127.0.0.1:9000', 'https://s3.test'], ['s3.test', 'ftp://s3.test'], S3],
  ['storage.region', ['eu-west-1'], [''], S3],
  ['storage.checksums', ['when_supported'], ['never'], S3],
  ['storage.force_path_style', [false], ['yes'], S3],
  ['storage', [S3, { ...S3, access_key_id: 'a', secret_access_key: 'b' }], [{ ...S3, access_key_id: 'a' }, 'here']],
  ['storage', [], [{ ...S3, secret_access_key: 'b' }]],
  ['storage.type', ['folder'], ['ftp', undefined], { path: 'x' }],
  ['control_plane', [null], []],
  ['control_plane.url', ['wss://plane.test/', 'ws://127.0.0.1:8080/x'], ['https://plane.test', ''], { token: 't' }],
  ['control_plane.url', [], ['wss://plane.test/#x'], { token: 't' }],
  ['control_plane.token', ['x'.repeat(4096), '~!a.b-c_d+e/f='], ['', 'x'.repeat(4097), 'a\r\nb', 'ключ'], PLANE],
  ['words', [{ version: '2026.11.27', any: 1 }, null], []],
  ['words.version', [], [undefined, 1, '1'.repeat(21)]],
  ['denials', [0, 7], [-1, 0.5, null]],
  ['extra', [{ a: { b: ['c', 1.5, null, false] } }, null, nested(MAX_CALLER_DATA_DEPTH)], ['text', []]],
  ['extra', [], [nested(MAX_CALLER_DATA_DEPTH + 1), { a: 'x'.repeat(MAX_CALLER_DATA_LENGTH) }]],
  ['extra.a', ['x'.repeat(MAX_CALLER_DATA_LENGTH - 8)], []],
]

test.each(BOUNDS)(
  '%s is taken up to its bounds and refused, with its path, beyond them',
  (path, taken, refused, beside) => {
    const [field, inner] = path.split('.') as [string, string?]
    const wrong = (value: unknown) => {
      if (inner === undefined) return wrongPaths({ ...beside, [field]: value })
      return wrongPaths({ [field]: Array.isArray(beside) ? [...beside, value] : { ...beside, [inner]: value } })
    }
    for (const value of taken) expect(wrong(value), `${value}`.slice(0, 200)).toEqual([])
    for (const value of refused) expect(wrong(value), `${value}`.slice(0, 200)).toEqual([path])
  },
)

test.each([
  ...['', 'a.test', 'ftp://a.test/', 'https://a:b@a.test/', 'https://a@a.test/', `https://a.test/${'x'.repeat(2034)}`],
])('%s is no page to show', (url) => {
  for (const target of PAGE_TARGETS)
    expect(wrongPaths({ output_media: pageAt(url, target) })).toEqual([`output_media.${target}.url`])
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
    ...[undefined, null, true, 0, '', 'a job', [], [LEAST], () => LEAST, Symbol('job'), 10n, new Date()],
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
