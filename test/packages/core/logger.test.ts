import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createLogger,
  type LogFields,
  logFile,
  redact,
  redactText,
  silentLogger,
} from '../../../packages/core/logger.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

const SECRET = 'S3cr3tV4lue'

/** The text that the logger writes for one line. */
function written(message: string, fields?: LogFields, bound?: LogFields): string {
  let text = ''
  const write = (line: string) => {
    text += line
  }
  const logger = createLogger({ write }, 'debug')
  const used = bound ? logger.child(bound) : logger
  used.info(message, fields)
  return text
}

test('a line is one JSON document with level, time, message and fields', () => {
  const line = written('The bot joined', { platform: 'meet', attempt: 2 }, { botId: 'b' })
  expect(line.endsWith('\n')).toBe(true)
  expect(JSON.parse(line)).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    botId: 'b',
    platform: 'meet',
    attempt: 2,
    message: 'The bot joined',
  })
})

test('a text with line ends or line separators stays one line', () => {
  const line = written('one\ntwo\u2028', { name: 'three\r\nfour\u2029' }).trimEnd()
  expect(line.split(/[\n\u2028\u2029]/)).toHaveLength(1)
  expect(JSON.parse(line)).toMatchObject({ message: 'one\ntwo\u2028', name: 'three\r\nfour\u2029' })
})

test('only lines of the wanted level and above are written', () => {
  const lines: string[] = []
  const logger = createLogger({ write: (line) => void lines.push(line) }, 'warn')
  for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level](level)
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['warn', 'error'])
})

const SECRET_FIELDS = [
  ...['token', 'accessToken', 'access_token', 'obf_token', 'zak_token_url', 'session_token', 'jwt', 'zak', 'auth'],
  ...['secret', 'secret_access_key', 'secretAccessKey', 'client_secret', 'password', 'passwd', 'conf_sdk_pwd'],
  ...['passcode', 'passphrase', 'api_key', 'apiKey', 'api-key', 'x-service-api-key', 'speech_to_text_api_key'],
  ...['access_key_id', 'accessKeyId', 'privateKey', 'authorization', 'Proxy-Authorization', 'cookie', 'Set-Cookie'],
  ...['credential', 'credentials', 'signature', 'X-Amz-Signature', 'sig'],
]

test.each(SECRET_FIELDS)('a field named %s is replaced, at every level and with any value', (key) => {
  for (const value of [SECRET, [SECRET], { inner: SECRET }, new Map([['a', SECRET]])])
    for (const fields of [{ [key]: value }, { a: { b: [{ [key]: value }] } }, { a: new Map([[key, value]]) }]) {
      expect(written('x', fields)).not.toContain(SECRET)
      expect(written('x', {}, fields)).not.toContain(SECRET)
    }
})

test('numbers under the name of a password are replaced, counts of tokens are not', () => {
  expect(redact({ password: 123456, pwd: 123456, tokens: 17, hasToken: true, token: null })).toEqual({
    password: '[redacted]',
    pwd: '[redacted]',
    tokens: 17,
    hasToken: true,
    token: null,
  })
})

const SECRET_TEXTS = [
  `https://b.s3.test/video.mp4?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=${SECRET}`,
  `https://b.s3.test/video.mp4?X-Amz-Credential=${SECRET}%2F20261121%2Fus-east-1&X-Amz-Date=x`,
  `https://b.s3.test/video.mp4?X-Amz-Security-Token=${SECRET}`,
  `https://b.s3.test/v.mp4?AWSAccessKeyId=${SECRET}&Expires=1`,
  `https://b.s3.test/v.mp4?Expires=1&Signature=${SECRET}%3D`,
  `https://account.blob.test/v.mp4?sv=1&sig=${SECRET}&se=2`,
  `https://zoom.us/j/123456789?pwd=${SECRET}`,
  `https://zoom.us/wc/join/1?tk=${SECRET}&zak=${SECRET}`,
  `https://teams.microsoft.com/meet/123?p=${SECRET}`,
  `https://host.test/#access_token=${SECRET}&state=x`,
  `https://host.test/callback?code=${SECRET}`,
  `https://host.test/?next=https%3A%2F%2Fother.test%2F%3Ftoken%3D${SECRET}%26a%3Db`,
  `wss://plane.test/link?access_token=${SECRET}`,
  `https://user:${SECRET}@host.test/`,
  `https://user:p@${SECRET}@host.test/`,
  `https://${SECRET}@host.test/path`,
  `redis://:${SECRET}@host.test:6379`,
  `Bearer ${SECRET}`,
  `authorization: Bearer ${SECRET}`,
  `Authorization: Basic ${Buffer.from(`user:${SECRET}`).toString('base64')}${SECRET}`,
  `Authorization: AWS4-HMAC-SHA256 Credential=AKIA/x, SignedHeaders=host, Signature=${SECRET}`,
  `Cookie: a=b; session=${SECRET}`,
  `Set-Cookie: sid=${SECRET}; HttpOnly`,
  `x-service-api-key: ${SECRET}`,
  `password: ${SECRET}`,
  `the body was {"token":"${SECRET}"}`,
  `the body was {"control_plane": {"token" : "${SECRET}"}}`,
  `the body was ${JSON.stringify(JSON.stringify({ token: SECRET }))}`,
  `options { accessKeyId: 'x', secretAccessKey: '${SECRET}' }`,
  `STANDIN_TOKEN=${SECRET} node main.js`,
  `--s3-secret-access-key=${SECRET}`,
  `AWS_SECRET_ACCESS_KEY='${SECRET}'`,
  `client_secret=${SECRET}&grant_type=x`,
  `the answer was {"zak":"${SECRET}"}`,
  `{ zak: '${SECRET}' }`,
  `pwd: ${SECRET}`,
  `the token eyJhbGciOiJIUzI1NiJ9.eyJ${SECRET}.${SECRET} was refused`,
  `<input type="hidden" name="state" value="${SECRET}">`,
  `<input value='${SECRET}' type=hidden id=x>`,
  `<input name="x" type="password" value=${SECRET}>`,
  `<meta name="csrf-token" content="${SECRET}">`,
]

test.each(SECRET_TEXTS)('the secret in %s is written nowhere', (text) => {
  const error = new Error(`outer: ${text}`, { cause: new Error(`inner: ${text}`, { cause: { why: text } }) })
  const fields = { text, list: [text], deep: { a: { b: text } }, error, aggregate: new AggregateError([error], text) }
  expect(redactText(`before ${text} after`)).not.toContain(SECRET)
  expect(written(text)).not.toContain(SECRET)
  expect(written('x', fields)).not.toContain(SECRET)
  expect(written('x', {}, fields)).not.toContain(SECRET)
  expect(written('x', { [text]: 1 })).not.toContain(SECRET)
})

test('what gives no access stays readable', () => {
  for (const text of [
    'https://meet.google.com/abc-defg-hij?hl=en',
    's3://bucket/prefix/7c9e6679/video.mp4',
    'ffmpeg ended with exit code=1 signal=null',
    'CANNOT_GET_JWT_TOKEN: Check the SDK credentials.',
    'control_plane.token: must not contain spaces',
    'storage.secret_access_key: Invalid input: expected string',
    'The control plane refuses the token of this bot',
    'mail ana@example.test about https://host.test/a@b?c=d@e',
    'participants=4 speakers=2 tokenized keyboard monkeys',
    'Basic settings',
    '<input type="text" value="Ann"><meta name="viewport" content="width=device-width">',
  ])
    expect(redactText(text)).toBe(text)
})

test('an address keeps its place when its secret goes', () => {
  expect(redactText(`PUT https://u:p@b.s3.test/v.mp4?X-Amz-Date=1&X-Amz-Signature=${SECRET}&x=y failed`)).toBe(
    'PUT https://[redacted]@b.s3.test/v.mp4?X-Amz-Date=1&X-Amz-Signature=[redacted]&x=y failed',
  )
})

test('an error is written with name, message, code, stack and causes, and without its other fields', () => {
  const cause = Object.assign(new TypeError('the reason'), { code: 'ECONNRESET' })
  const error = Object.assign(new Error('it broke', { cause }), { request: { headers: { anything: SECRET } } })
  const line = JSON.parse(written('x', { error }))
  expect(line.error).toMatchObject({
    name: 'Error',
    message: 'it broke',
    stack: expect.stringContaining('logger.test.ts'),
    cause: { name: 'TypeError', message: 'the reason', code: 'ECONNRESET' },
  })
  expect(JSON.stringify(line)).not.toContain(SECRET)
})

test('dates, addresses, maps, sets, bytes and big numbers are written as something readable', () => {
  expect(
    redact({
      date: new Date(0),
      noDate: new Date(Number.NaN),
      url: new URL(`https://a:${SECRET}@host.test/?token=${SECRET}`),
      map: new Map([['a', 1]]),
      set: new Set(['b']),
      bytes: Buffer.from(SECRET),
      big: 10n,
    }),
  ).toEqual({
    date: '1970-01-01T00:00:00.000Z',
    noDate: 'Invalid Date',
    url: 'https://[redacted]@host.test/?token=[redacted]',
    map: { a: 1 },
    set: ['b'],
    bytes: `[${SECRET.length} bytes]`,
    big: '10',
  })
})

test('nothing that is passed by mistake breaks or drowns the log', () => {
  const circular: Record<string, unknown> = { name: 'loop' }
  for (let index = 0; index < 60; index++) circular[`self${index}`] = circular
  const throwing = {
    get broken(): never {
      throw new Error(SECRET)
    },
  }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const wide = Array.from({ length: 1_000_000 }, (_, index) => ({ index }))
  const hostile = [circular, throwing, revoked.proxy, wide, 'x'.repeat(5_000_000), () => SECRET, Symbol('x'), undefined]
  for (const value of hostile) {
    const line = written('x', { value })
    expect(line.length).toBeLessThan(1_000_000)
    expect(line).not.toContain(SECRET)
    expect(JSON.parse(line).message).toBe('x')
  }
})

test('texts made to exhaust the search are searched in time', () => {
  const size = 200_000
  for (const text of [
    ...['?', '?a', 'token', 'token=', '"token":"', 'a://', 'a:', 'x-', '%3Ftoken%3D', '<input ', '<meta name='].map(
      (part) => part.repeat(size / part.length),
    ),
    'eyJaaaaaaaa'.repeat(size / 11),
    `?${'a'.repeat(size)}`,
    `token=${'"'.repeat(size)}`,
    `"token":"${'\\'.repeat(size)}`,
    `a://${'b'.repeat(size)}`,
    `Bearer ${' '.repeat(size)}`,
    `password${' '.repeat(size)}`,
  ])
    expect(typeof redactText(text)).toBe('string')
}, 20_000)

test('the silent logger says nothing, and neither do its children', () => {
  expect(silentLogger.child({ a: 1 })).toBe(silentLogger)
  expect(() => silentLogger.error('x', { a: 1 })).not.toThrow()
})

test('a log that no disk takes ends nothing, and the lost lines are counted', () => {
  const file = logFile('/dev/full')
  const logger = createLogger(file)
  expect(() => {
    for (let index = 0; index < 2000; index++) logger.info(`${index} ${'x'.repeat(1000)}`)
  }).not.toThrow()
  expect(file.lost).toBeGreaterThan(500)
})

test('the log says how many lines were lost', () => {
  const path = join(temporaryFolder(), 'log')
  const file = logFile(path)
  createLogger(file).info('before')
  file.onRecovery(7)
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'info', message: 'before' }),
    expect.objectContaining({ level: 'warn', message: 'Log lines were lost', lines: 7 }),
  ])
})
