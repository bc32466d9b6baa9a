/** How the adapter reads Zoom's answers, also unusual ones. */
import { expect, test } from 'vitest'
import { createZoom } from '../../../control-plane/connections/zoom.ts'
import type { OutgoingAnswer, OutgoingRequest } from '../../../control-plane/platform/ports.ts'

const APP = { clientId: 'id', clientSecret: 'marker-secret' }
const CODE = { code: 'marker-code', redirectUri: 'https://app.example/done' }
const PAIR = {
  access_token: 'access',
  refresh_token: 'refresh',
  expires_in: 3599,
  scope: 'user:read:user user:read:token',
}

function answering(status: number, body: unknown, more: Partial<OutgoingAnswer> = {}) {
  const requests: OutgoingRequest[] = []
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const client = {
    async request(request: OutgoingRequest) {
      requests.push(request)
      return { status, headers: {}, body: new Uint8Array(Buffer.from(text)), isCut: false, ...more }
    },
  }
  return { zoom: createZoom({ client, address: null }), requests }
}

test("the real Zoom's two addresses are asked where no other is named, with bounds", async () => {
  const { zoom, requests } = answering(200, { ...PAIR, id: 'user', token: 'obf' })
  await zoom.exchange(APP, CODE)
  await zoom.refresh(APP, 'old')
  await zoom.profile('access')
  await zoom.userToken('access', 'obf', '88240852079')
  await zoom.userToken('access', 'zak', '88240852079')
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST https://zoom.us/oauth/token',
    'POST https://zoom.us/oauth/token',
    'GET https://api.zoom.us/v2/users/me',
    'GET https://api.zoom.us/v2/users/me/token?type=onbehalf&meeting_id=88240852079',
    'GET https://api.zoom.us/v2/users/me/token?type=zak',
  ])
  expect(requests[0]!.headers?.authorization).toBe(`Basic ${Buffer.from('id:marker-secret').toString('base64')}`)
  expect(Object.fromEntries(new URLSearchParams(String(requests[0]!.body)))).toEqual({
    grant_type: 'authorization_code',
    code: 'marker-code',
    redirect_uri: 'https://app.example/done',
  })
  for (const { timeoutMs, maxBytes } of requests) {
    expect(timeoutMs).toBeLessThanOrEqual(25_000)
    expect(maxBytes).toBeLessThanOrEqual(16 * 1024 * 1024)
  }
})

test.each([
  ['spaces', 'a:b c:d', ['a:b', 'c:d']],
  ['commas', 'a:b,c:d', ['a:b', 'c:d']],
  ['nothing', undefined, null],
  ['what is no scope', 'a:b <script> c\0d', ['a:b']],
])('scopes are read with %s between them', async (_name, scope, scopes) => {
  expect((await answering(200, { ...PAIR, scope }).zoom.refresh(APP, 'old')).scopes).toEqual(scopes)
})

test.each([
  [{ display_name: 'Ann', first_name: 'A', last_name: 'B' }, 'Ann'],
  [{ first_name: 'Ann', last_name: 'Host' }, 'Ann Host'],
  [{ first_name: '', last_name: 'Host' }, 'Host'],
  [{}, null],
  [{ display_name: 'A\0nn' }, 'Ann'],
  [{ display_name: 7 }, null],
])('the name of a user %j is %s', async (fields, displayName) => {
  const profile = await answering(200, { id: 'user', ...fields }).zoom.profile('access')
  expect(profile).toEqual({ userId: 'user', accountId: null, email: null, displayName })
})

const seconds = (count: number) => new Date(Date.now() + count * 1000).toUTCString()

test.each([
  ['seconds', '7', 7000, 7000],
  ['a date', seconds(30), 20_000, 31_000],
  ['a date that is over', seconds(-30), 0, 0],
])('the wait of a limit comes as %s', async (_name, header, least, most) => {
  const { zoom } = answering(429, { message: 'limit' }, { headers: { 'retry-after': header } })
  const problem = await zoom.profile('access').catch((error) => error)
  expect(problem).toMatchObject({ kind: 'rate_limited', isPassing: true })
  expect(problem.retryAfterMs).toBeGreaterThanOrEqual(least)
  expect(problem.retryAfterMs).toBeLessThanOrEqual(most)
})

test.each([
  ['no JSON', 200, '<html>', 'unavailable'],
  ['another JSON', 200, [1], 'unavailable'],
  ['no token', 200, { ...PAIR, access_token: 'a b', refresh_token: 7 }, 'unavailable'],
  ['a page of a wall', 403, '<html>', 'unavailable'],
  ['a time-out of a proxy', 408, {}, 'unavailable'],
  ['an unknown refusal', 400, { error: 'unsupported_grant_type' }, 'refused'],
  ['401 without words', 401, {}, 'client_refused'],
])('%s in the place of tokens is a problem of its kind', async (_name, status, body, kind) => {
  await expect(answering(status, body).zoom.refresh(APP, 'old')).rejects.toMatchObject({ kind })
})

test('an answer that was cut is not read', async () => {
  const { zoom } = answering(200, PAIR, { isCut: true })
  await expect(zoom.refresh(APP, 'old')).rejects.toMatchObject({ kind: 'unavailable' })
})

test('a client that rejects counts as a provider that is down, with its sentence', async () => {
  const client = { request: async () => Promise.reject(new Error('zoom.us refused the connection')) }
  const zoom = createZoom({ client, address: null })
  await expect(zoom.exchange(APP, CODE)).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'zoom.us refused the connection.',
  })
})

test('a problem never repeats the sent values, and is short and without control characters', async () => {
  const reason = `\u001b[31mmarker-code and marker-secret\n${'x'.repeat(5000)}`
  const { zoom } = answering(400, { error: 'invalid_grant', reason })
  const message = await zoom.exchange(APP, CODE).then(
    () => '',
    (error: Error) => error.message,
  )
  expect(message).toContain('invalid_grant')
  expect(message).not.toMatch(/marker|\p{Cc}/u)
  expect(message.length).toBeLessThan(300)
})
