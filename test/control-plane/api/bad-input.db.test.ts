import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { MEET, openWorld } from '../world.ts'

const world = await openWorld({ api: { settings: { publicUrl: 'http://127.0.0.1', requestTimeoutMs: 1000 } } })
const team = await world.team()
await world.app.listen({ host: '127.0.0.1', port: 0 })
const port = (world.app.server.address() as AddressInfo).port

const plain = { bot_name: 'Notes', meeting_url: MEET }
const url = (path: string) => `http://127.0.0.1:${port}${path}`
const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(url('/v2/bots'), {
    method: 'POST',
    headers: { 'x-service-api-key': team.key, 'content-type': 'application/json', ...headers },
    body,
  })

const withExtra = (extra: string) => JSON.stringify(plain).replace(/}$/, `, "extra": ${extra}}`)
const keyed = () => ({ headers: { 'x-service-api-key': team.key } })
/** The head of a request with more lines, and a key. */
const head = (first: string, ...lines: string[]) =>
  [`${first} HTTP/1.1`, 'host: a', `x-service-api-key: ${team.key}`, ...lines, '', ''].join('\r\n')
const json = 'content-type: application/json'

/** Sends bytes piece by piece, and resolves with everything that comes back until the connection closes. */
function raw(...pieces: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => {
      for (const piece of pieces) socket.write(piece)
    })
    socket.setEncoding('utf8')
    socket.on('data', (text) => {
      answer += text
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(answer)
      else reject(error)
    })
  })
}

async function expectError(answer: Response, status: number, code: string) {
  expect(answer.status).toBe(status)
  const body = (await answer.json()) as Record<string, unknown>
  expect(body).toMatchObject({ success: false, code, statusCode: status })
  expect(Object.keys(body)).toEqual(expect.arrayContaining(['success', 'error', 'code', 'statusCode', 'message']))
  return body
}

describe('bodies', () => {
  test.each([
    ['{', 'line 1, column 2'],
    ['{"bot_name": }', 'line 1, column 14'],
    ['[1,', 'line 1, column 4'],
    ['bot_name=x', 'line 1, column 1'],
    ['\u0000', 'line 1, column 1'],
    ['{"a":1}{"b":2}', 'line 1, column 8'],
    ["{'bot_name':'x'}", 'line 1, column 2'],
    ['{"a": "x",\n "b": [1, nul]}', 'line 2, column 14'],
    ['{"a": "x', 'line 1, column 9'],
  ])('%j is no JSON, and the place is named', async (body, place) => {
    const answer = await expectError(await post(body), 400, 'FST_ERR_CTP_INVALID_JSON_BODY')
    expect(answer.problems).toEqual([{ path: 'body', message: `is not valid JSON (${place})` }])
  })

  test.each(['', '   ', '\n'])('an empty body %j is reported as missing where one is needed', async (body) => {
    await expectError(await post(body), 400, 'FST_ERR_CTP_EMPTY_JSON_BODY')
  })

  test.each(['null', '5', '"x"', 'true', '[]', '[{}]'])('%s is no bot', async (body) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
  })

  test.each([
    [
      '{"a": [1, {"b": 0.12345678901234567890123}]}',
      'body/extra/a/1/b is a number that cannot be kept exactly; send it as a string instead',
    ],
    ['{"a": {"__proto__": {}}}', 'body/extra/a/__proto__ has a name that is not allowed'],
  ])('extra of %s is refused with its place', async (extra, message) => {
    expect((await expectError(await post(withExtra(extra)), 400, 'FST_ERR_VALIDATION')).message).toBe(message)
  })

  test('numbers that a double holds come back as they were sent', async () => {
    const text = '12345678901234567890'
    const extra = { order: 9007199254740991, price: 19.9, small: 1e-7, large: 1e21, text, zero: 0 }
    const { body } = await team.post('/v2/bots', { ...plain, extra })
    expect((await team.get(`/v2/bots/${body.data.bot_id}`)).body.data.extra).toEqual(extra)
    expect((await post(withExtra('{"a": 1.00000000000000000000, "b": 100e-02}'))).status).toBe(201)
  })

  test('bytes that are no UTF-8 are refused', async () => {
    const text = JSON.stringify({ ...plain, bot_name: 'Caf?' })
    const bytes = Buffer.from(text, 'latin1')
    bytes[bytes.indexOf('?')] = 0xe9
    const body = await expectError(await post(bytes as never), 400, 'FST_ERR_VALIDATION')
    expect(body.message).toBe('body is not valid UTF-8')
  })

  test.each([
    [{ 'content-type': 'application/json; charset=iso-8859-1' }, 'charset iso-8859-1'],
    [{ 'content-type': 'application/json; charset="utf-16"' }, 'charset utf-16'],
    [{ 'content-encoding': 'gzip' }, 'content-encoding gzip'],
  ])('%j is refused by name', async (headers, named) => {
    const answer = await post(JSON.stringify(plain), headers as never)
    const { message } = await expectError(answer, 415, 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    expect(message).toContain(named)
  })

  test.each(['application/json; charset=utf-8', 'application/json; charset=', 'application/json;charset="UTF-8"'])(
    '%s is read',
    async (type) => {
      expect((await post(JSON.stringify(plain), { 'content-type': type })).status).toBe(201)
    },
  )

  test('10 MB are refused before they are read', async () => {
    const body = 'x'.repeat(10 * 1024 * 1024)
    await expectError(await post(body), 413, 'FST_ERR_CTP_BODY_TOO_LARGE')
  })

  test('1 MB is the bound, also where the length is not announced', async () => {
    const piece = 'x'.repeat(16_384)
    const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`
    const answer = await raw(head('POST /v2/bots', json, 'transfer-encoding: chunked'), ...Array(70).fill(chunk))
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toContain('FST_ERR_CTP_BODY_TOO_LARGE')
  })

  test('a batch may be larger, up to 4 MB', async () => {
    const item = { ...plain, extra: { a: 'x'.repeat(100_000) } }
    const { status, body } = await team.post('/v2/bots/batch', Array(20).fill(item))
    expect({ status, count: body.data.length }).toEqual({ status: 201, count: 20 })
    expect((await team.post('/v2/bots/batch', Array(50).fill(item))).status).toBe(413)
  })

  test('a hundred thousand brackets are no problem', async () => {
    for (const body of [
      '['.repeat(100_000),
      '{"extra":'.repeat(50_000),
      `{"bot_name":"x","meeting_url":"${MEET}","extra":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
    ])
      expect((await post(body)).status).toBe(400)
  })

  const TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']
  test.each([...TYPES, 'application/xml', 'nonsense'])('the type %s is refused', async (type) => {
    const answer = await post(JSON.stringify(plain), { 'content-type': type })
    const { message } = await expectError(answer, 415, 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    expect(message).toContain('content-type: application/json')
  })

  test('a body that arrives too slowly is cut off with 408', async () => {
    const answer = await raw(`${head('POST /v2/bots', json, 'content-length: 100')}{`)
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('FST_ERR_REQUEST_TIMEOUT')
  })

  test('a head that arrives too slowly is cut off with 408', async () => {
    expect(await raw('GET /v2/bots HTTP/1.1\r\nhost: a\r\n')).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('an announced length that is wrong loses nothing but the request', async () => {
    const text = JSON.stringify(plain)
    const lines = [json, 'connection: close', `content-length: ${text.length - 1}`]
    const answer = await raw(head('POST /v2/bots', ...lines) + text)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe('heads', () => {
  test('a head beyond 16 KB is answered with 431', async () => {
    const answer = await raw(`GET /v2/bots HTTP/1.1\r\nhost: a\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(answer).toContain('FST_ERR_HEADERS_TOO_LARGE')
  })

  test.each(['nonsense\r\n\r\n', 'GE\u0000T / HTTP/1.1\r\n\r\n', 'BREW /v2/bots HTTP/1.1\r\nhost: a\r\n\r\n'])(
    '%j is no HTTP',
    async (text) => {
      const answer = await raw(text)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('"success":false')
    },
  )

  test('two keys are no key', async () => {
    expect(await raw(head('GET /v2/bots', 'connection: close', 'x-service-api-key: other'))).toMatch(/^HTTP\/1\.1 401 /)
  })
})

describe('addresses', () => {
  test.each(['/', '/v2', '/v2/', '/v2/nothing', '/v2/bots/a/b/c', '/v3/bots', '/..%2f..%2fetc/passwd'])(
    '%s is no route',
    async (path) => {
      const answer = await fetch(url(path), keyed())
      expect(answer.status).toBe(404)
    },
  )

  test.each(['/v2/nothing', '/v1/bots', '/v1', '/nothing'])('the unknown route %s is named', async (path) => {
    const body = await expectError(await fetch(url(`${path}?x=1`)), 404, 'FST_ERR_NOT_FOUND')
    expect(body).toMatchObject({ message: `There is no GET ${path}; /docs lists all operations`, details: null })
  })

  test('an unknown route below one of the older generation has its shape', async () => {
    expect(await (await fetch(url('/bots/a/b/c'))).json()).toMatchObject({ code: 'NotFound' })
  })

  test('an answer repeats a part of a long name only, and no key', async () => {
    const headers = { 'x-service-api-key': team.key, 'content-type': 'application/json' }
    const long = 'x'.repeat(3000)
    const body = JSON.stringify({ meeting_url: MEET, bot_name: 'A bot', [team.key]: 1, [long]: 1 })
    const answers = await Promise.all([
      fetch(url(`/v2/bots?${long}=1`), { headers }),
      fetch(url(`/v2/${long}`), { headers }),
      fetch(url(`/v2/bots/%${long}`), { headers }),
      fetch(url('/v2/bots'), { method: 'POST', headers, body }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([400, 404, 400, 400])
    for (const answer of answers) {
      const text = await answer.text()
      expect(text.length).toBeLessThan(1000)
      expect(text).not.toContain(team.key)
    }
  })

  test.each(['/v2/bots/%', '/v2/bots/%zz', '/v2/bots/%c3%28'])('%s cannot be read', async (path) => {
    await expectError(await fetch(url(path), keyed()), 400, 'FST_ERR_BAD_URL')
  })

  test.each([
    ['PUT', '/v2/bots', 'GET, HEAD, POST'],
    ['DELETE', '/v2/bots', 'GET, HEAD, POST'],
    ['PATCH', '/v2/bots/batch', 'GET, HEAD, POST'],
    ['POST', '/v2/bots/3f0f0cbe-5d0f-4b6c-9a7e-0a5a6b0f6d5e/status', 'GET, HEAD'],
    ['GET', '/v2/bots/3f0f0cbe-5d0f-4b6c-9a7e-0a5a6b0f6d5e/leave', 'POST'],
  ])('%s %s is the wrong method', async (method, path, allow) => {
    const answer = await fetch(url(path), { method, ...keyed() })
    await expectError(answer, 405, 'FST_ERR_METHOD_NOT_ALLOWED')
    expect(answer.headers.get('allow')).toBe(allow)
  })

  test.each(['/healthz', '/readyz', '/metrics', '/openapi.json', '/v2/bots'])(
    'HEAD %s is GET without a body',
    async (path) => {
      const [bare, get] = await Promise.all(['HEAD', 'GET'].map((method) => fetch(url(path), { method, ...keyed() })))
      expect([bare!.status, await bare!.text()]).toEqual([get!.status, ''])
    },
  )

  test('a slash at the end makes no difference, and nothing is redirected', async () => {
    for (const path of ['/v2/bots/', '/v2/bots'])
      expect((await fetch(url(path), { ...keyed(), redirect: 'error' })).status).toBe(200)
  })
})

describe('what clients do', () => {
  test('an empty JSON body is taken on every operation that needs none', async () => {
    const id = await world.bot(team)
    for (const [method, path] of [
      ['GET', '/v2/bots'],
      ['GET', `/v2/bots/${id}`],
      ['POST', `/v2/bots/${id}/leave`],
      ['DELETE', `/v2/bots/${id}/delete-data`],
      ['POST', `/v2/bots/${id}/resend-webhook`],
      ['POST', `/v2/bots/${id}/retry-callback`],
    ] as const)
      for (const body of [undefined, '', '{}', 'null']) {
        if (method === 'GET' && body) continue
        const answer = await world.app.inject({
          method,
          url: path,
          headers: { 'x-service-api-key': team.key, 'content-type': 'application/json' },
          ...(body !== undefined && { payload: body }),
        })
        expect([200, 409], `${method} ${path} ${body}: ${answer.payload}`).toContain(answer.statusCode)
      }
  })

  test('a body of a DELETE that has no use for it is not read', async () => {
    const id = await world.bot(team)
    for (const [body, type] of [
      ['{"series_id": ', 'application/json'],
      ['a=1', 'application/x-www-form-urlencoded'],
    ] as const) {
      const headers = { 'x-service-api-key': team.key, 'content-type': type }
      const answer = await fetch(url(`/v2/bots/${id}/delete-data`), { method: 'DELETE', headers, body })
      await expectError(answer, 409, 'FST_ERR_BOT_STATUS')
    }
  })

  test('an empty body of another type is taken too', async () => {
    const id = await world.bot(team)
    const answer = await fetch(url(`/v2/bots/${id}/leave`), {
      method: 'POST',
      headers: { 'x-service-api-key': team.key, 'content-type': 'application/x-www-form-urlencoded' },
      body: '',
    })
    expect(answer.status).toBe(200)
  })
})

describe('problems of a 400', () => {
  const problemsOf = async (answer: Response) => {
    const body = (await answer.json()) as { details?: unknown; problems?: unknown }
    expect(body.details).toBeNull()
    return body.problems
  }
  const headers = () => ({ 'x-service-api-key': team.key, 'content-type': 'application/json' })

  test('name each problem with its place, in the body, the query and the path', async () => {
    const body = { meeting_url: MEET, timeout_config: { silence_timeout: 1 }, extra: { a: 1 }, bot_nmae: 'x' }
    expect(await problemsOf(await post(JSON.stringify(body)))).toEqual([
      { path: 'body/bot_name', message: 'is missing' },
      { path: 'body/timeout_config/silence_timeout', message: expect.any(String) },
      { path: 'body/bot_nmae', message: 'unknown field (did you mean bot_name?)' },
    ])
    expect(await problemsOf(await fetch(url('/v2/bots?limit=9999'), { headers: headers() }))).toEqual([
      { path: 'querystring/limit', message: expect.any(String) },
    ])
    expect(await problemsOf(await fetch(url('/v2/bots/x'), { headers: headers() }))).toEqual([
      { path: 'params/bot_id', message: 'is not a bot id' },
    ])
  })

  test('name the field of checks that follow the shape', async () => {
    const refused = async (fields: object) => problemsOf(await post(JSON.stringify({ ...plain, ...fields })))
    expect(await refused({ meeting_url: 'https://example.com/a' })).toEqual([
      { path: 'body/meeting_url', message: expect.any(String) },
    ])
    expect(await refused({ bot_image: 'https://127.0.0.1/a.png' })).toEqual([
      { path: 'body/bot_image', message: expect.any(String) },
    ])
  })

  test('are not sent to clients of the hosted service, which knows no such field', async () => {
    const answer = await fetch(url('/compat/v2/bots'), { method: 'POST', headers: headers(), body: '{}' })
    expect(answer.status).toBe(400)
    expect(await problemsOf(answer)).toBeUndefined()
  })
})

test('the answer to input that is no HTTP has an id of a request', async () => {
  expect(await raw('nonsense\r\n\r\n')).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/m)
})
