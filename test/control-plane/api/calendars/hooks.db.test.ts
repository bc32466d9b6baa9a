/** Notifications of calendar providers, which come without a key. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Notification } from '../../../../control-plane/calendars/operations.ts'
import { openWorld } from '../../world.ts'
import { fakeCalendars } from './fake.ts'

const fake = fakeCalendars()
const world = await openWorld({ api: { calendars: fake.operations } })
beforeEach(() => {
  fake.calls.length = 0
  fake.answer('notified', 'known')
})

const noted = () => fake.calls.map((call) => call.arguments[0] as Notification)
let addresses = 0
/** From a separate address, so that tests do not use up each other's budget. */
const post = (url: string, options: { headers?: Record<string, string>; payload?: string | object } = {}) =>
  world.app.inject({ method: 'POST', url, remoteAddress: `10.0.${addresses++ >> 8}.${addresses & 255}`, ...options })

const google = {
  'x-goog-channel-id': 'channel',
  'x-goog-channel-token': 'token',
  'x-goog-resource-state': 'exists',
  'x-goog-message-number': '2',
}

describe('Google', () => {
  test.each(['sync', 'exists', 'not_exists'])('a notification %s is noted and answered', async (state) => {
    const answer = await post('/hooks/google', { headers: { ...google, 'x-goog-resource-state': state } })
    expect({ status: answer.statusCode, text: answer.payload }).toEqual({ status: 204, text: '' })
    expect(noted()).toEqual([{ platform: 'google', channelId: 'channel', token: 'token', state }])
  })

  test('Google sends no body, whichever content type it names', async () => {
    const headers = { ...google, 'content-type': 'text/html', 'content-length': '0' }
    expect((await post('/hooks/google', { headers })).statusCode).toBe(204)
  })

  test('a channel that is not ours is a 404, so that Google drops the notification', async () => {
    fake.answer('notified', 'unknown')
    expect((await post('/hooks/google', { headers: google })).statusCode).toBe(404)
  })

  test.each([
    {},
    { ...google, 'x-goog-channel-id': '' },
    { ...google, 'x-goog-channel-id': 'x'.repeat(300) },
    { ...google, 'x-goog-resource-state': 'gone' },
  ])('%j is no notification', async (headers) => {
    expect((await post('/hooks/google', { headers })).statusCode).toBe(422)
    expect(noted()).toEqual([])
  })

  test('a missing or endless token is a wrong one', async () => {
    const { 'x-goog-channel-token': _token, ...without } = google
    await post('/hooks/google', { headers: without })
    await post('/hooks/google', { headers: { ...google, 'x-goog-channel-token': 'x'.repeat(500) } })
    expect(noted()).toMatchObject([{ token: '' }, { token: '' }])
  })

  test('a database that cannot be reached is a 503, which Google repeats', async () => {
    fake.answer('notified', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
    expect((await post('/hooks/google', { headers: google })).statusCode).toBe(503)
  })
})

describe('Microsoft', () => {
  const one = (fields: object = {}) => ({
    subscriptionId: 'sub',
    clientState: 'token',
    changeType: 'updated',
    resource: 'me/events/1',
    resourceData: { id: '1' },
    ...fields,
  })

  test.each(['/hooks/microsoft', '/hooks/microsoft/lifecycle'])(
    '%s gives the words of the handshake back',
    async (path) => {
      const token = 'Validation: <b>Test</b> 1+1 & ü'
      const answer = await post(`${path}?validationToken=${encodeURIComponent(token)}`, {
        headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': '0' },
      })
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(answer.headers['x-content-type-options']).toBe('nosniff')
      expect(answer.payload).toBe(token)
      expect(noted()).toEqual([])
    },
  )

  test('a handshake may come with a body of any type', async () => {
    const answer = await post('/hooks/microsoft?validationToken=abc', {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      payload: 'anything',
    })
    expect({ status: answer.statusCode, text: answer.payload }).toEqual({ status: 200, text: 'abc' })
    const other = await world.app.inject({
      method: 'POST',
      url: '/v2/bots',
      headers: { 'content-type': 'text/plain' },
      payload: 'anything',
    })
    expect(other.statusCode).toBe(401)
    const team = await world.team()
    expect((await team.post('/v2/bots', 'anything', { 'content-type': 'text/plain' })).status).toBe(415)
  })

  test('endless and doubled words of a handshake are refused', async () => {
    for (const query of [`validationToken=${'x'.repeat(5000)}`, 'validationToken=a&validationToken=b'])
      expect((await post(`/hooks/microsoft?${query}`)).statusCode).toBe(422)
  })

  test('several notifications of one body are noted, each once', async () => {
    const value = [
      one(),
      one({ resource: 'me/events/2' }),
      one({ subscriptionId: 'other' }),
      one({ clientState: null }),
    ]
    expect((await post('/hooks/microsoft', { payload: { value } })).statusCode).toBe(202)
    expect(noted()).toEqual([
      { platform: 'microsoft', subscriptionId: 'sub', token: 'token', kind: 'changed' },
      { platform: 'microsoft', subscriptionId: 'other', token: 'token', kind: 'changed' },
      { platform: 'microsoft', subscriptionId: 'sub', token: '', kind: 'changed' },
    ])
  })

  test('lifecycle events are distinguished, and new ones are left out', async () => {
    const value = ['reauthorizationRequired', 'subscriptionRemoved', 'missed', 'somethingNew'].map((lifecycleEvent) =>
      one({ lifecycleEvent }),
    )
    expect((await post('/hooks/microsoft/lifecycle', { payload: { value } })).statusCode).toBe(202)
    expect(noted().map((notification) => 'kind' in notification && notification.kind)).toEqual([
      'reauthorize',
      'removed',
      'missed',
    ])
  })

  test('what is not ours is a 202 too, since Graph repeats everything else', async () => {
    fake.answer('notified', 'unknown')
    expect((await post('/hooks/microsoft', { payload: { value: [one()] } })).statusCode).toBe(202)
  })

  test.each([{}, { value: 'x' }, { value: [{}] }, { value: Array(1001).fill({ subscriptionId: 'a' }) }, []])(
    'case %#: a body that is none of Graph is refused',
    async (payload) => {
      expect((await post('/hooks/microsoft', { payload })).statusCode).toBe(422)
      expect(noted()).toEqual([])
    },
  )

  test('a body beyond 1 MB is refused', async () => {
    const value = [one({ resource: 'x'.repeat(1_100_000) })]
    expect((await post('/hooks/microsoft', { payload: { value } })).statusCode).toBe(413)
  })
})

test('other methods are refused', async () => {
  for (const url of ['/hooks/google', '/hooks/microsoft', '/hooks/microsoft/lifecycle'])
    expect((await world.app.inject({ method: 'GET', url })).statusCode).toBe(405)
})

test('an address that guesses is slowed down, and others are not', async () => {
  fake.answer('notified', 'unknown')
  const from = (remoteAddress: string) =>
    world.app.inject({ method: 'POST', url: '/hooks/google', headers: google, remoteAddress })
  let status = 404
  for (let count = 0; count < 400 && status === 404; count++) ({ statusCode: status } = await from('192.0.2.1'))
  expect(status).toBe(503)
  const refused = await from('192.0.2.1')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  fake.answer('notified', 'known')
  expect((await from('192.0.2.2')).statusCode).toBe(204)
})
