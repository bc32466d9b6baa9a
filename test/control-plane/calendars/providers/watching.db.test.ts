/** Subscriptions of both providers, with a receiver on this machine. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { accessTokenOf } from '@standin/control-plane/connections/token-answer.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { at, connect, DAY, NOW, openWorld, problemOf } from './world.ts'

interface Heard {
  path: string
  headers: IncomingMessage['headers']
  body: string
}

let world: Awaited<ReturnType<typeof openWorld>>
const heard: Heard[] = []
/** The receiver's answer to notifications. */
let status = 202
let shakesHands = true
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const url = new URL(request.url ?? '/', 'http://receiver')
  const token = url.searchParams.get('validationToken')
  if (token !== null) {
    if (shakesHands) response.writeHead(200, { 'content-type': 'text/plain' }).end(token)
    else response.writeHead(404).end()
    return
  }
  heard.push({ path: url.pathname, headers: request.headers, body })
  response.writeHead(status).end()
})

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})
beforeEach(async () => {
  heard.length = 0
  status = 202
  shakesHands = true
  world = await openWorld()
})
afterEach(() => world.close())

function request(channelId = 'channel-1') {
  const base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  return { channelId, token: 'proof', address: `${base}/hook`, lifecycleAddress: `${base}/lifecycle` }
}

describe('Google', () => {
  test('a channel says sync once, then that something changed, with token and numbers that rise', async () => {
    const { calendar, token } = await connect(world.providers.google, world.google)
    const subscription = await world.providers.google.watch(token, calendar.id, request())
    expect(subscription.id).toBe('channel-1')
    expect(subscription.expiresAt.getTime()).toBeGreaterThan(NOW.getTime() + 6.9 * DAY)
    await world.google.pushes.settled()
    calendar.create({ start: at('2026-11-25T10:00:00Z') })
    calendar.create({ start: at('2026-11-25T11:00:00Z') })
    await world.google.pushes.settled()
    expect(heard.map(({ headers }) => headers['x-goog-resource-state'])).toEqual(['sync', 'exists', 'exists'])
    for (const { headers, body } of heard) {
      expect(body).toBe('')
      expect(headers).toMatchObject({
        'x-goog-channel-id': 'channel-1',
        'x-goog-channel-token': 'proof',
        'x-goog-resource-id': subscription.resourceId,
      })
    }
    const numbers = heard
      .map(({ headers }) => Number(headers['x-goog-message-number']))
      .sort((one, other) => one - other)
    expect(numbers[0]).toBe(1)
    expect(new Set(numbers).size).toBe(3)
  })

  test('a new channel before the old one ends: both deliver until the old one is stopped', async () => {
    const { calendar, token } = await connect(world.providers.google, world.google)
    const { google } = world.providers
    const old = await google.watch(token, calendar.id, request('old'))
    const fresh = await google.renew(token, calendar.id, old, request('new'))
    expect(fresh.id).toBe('new')
    await world.google.pushes.settled()
    heard.length = 0
    calendar.create({ start: at('2026-11-25T10:00:00Z') })
    await world.google.pushes.settled()
    expect(heard.map(({ headers }) => headers['x-goog-channel-id']).sort()).toEqual(['new', 'old'])
    await google.unwatch(token, old)
    await google.unwatch(token, old)
    heard.length = 0
    calendar.create({ start: at('2026-11-25T10:00:00Z') })
    await world.google.pushes.settled()
    expect(heard.map(({ headers }) => headers['x-goog-channel-id'])).toEqual(['new'])
  })

  test('a channel ends after a week, and its id cannot be used again', async () => {
    const { calendar, token } = await connect(world.providers.google, world.google)
    await world.providers.google.watch(token, calendar.id, request())
    await world.google.pushes.settled()
    expect((await problemOf(world.providers.google.watch(token, calendar.id, request()))).message).toContain(
      'not unique',
    )
    world.clock.advance(7 * DAY + 1000)
    heard.length = 0
    calendar.create({ start: at('2026-12-05T10:00:00Z') })
    await world.google.pushes.settled()
    expect(heard).toEqual([])
  })

  test('a push that is lost, one that comes twice, one that is repeated until it arrives', async () => {
    const { calendar, token } = await connect(world.providers.google, world.google)
    await world.providers.google.watch(token, calendar.id, request())
    await world.google.pushes.settled()
    heard.length = 0
    world.google.pushes.losing = 1
    calendar.create({ start: at('2026-11-25T10:00:00Z') })
    await world.google.pushes.settled()
    expect(heard).toHaveLength(0)
    world.google.pushes.doubles = true
    calendar.create({ start: at('2026-11-25T10:00:00Z') })
    await world.google.pushes.settled()
    expect(heard).toHaveLength(2)
    world.google.pushes.doubles = false
    world.google.pushes.retryMs = 1
    status = 503
    calendar.create({ start: at('2026-11-25T10:00:00Z') })
    await world.google.pushes.settled()
    expect(heard).toHaveLength(2 + 4)
    status = 400
    calendar.create({ start: at('2026-11-25T10:00:00Z') })
    await world.google.pushes.settled()
    expect(heard).toHaveLength(2 + 4 + 1)
  })

  test('a calendar that cannot be watched', async () => {
    const { account, token } = await connect(world.providers.google, world.google)
    const holidays = account.addCalendar('Holidays')
    Object.assign(holidays, { canWatch: false })
    const problem = await problemOf(world.providers.google.watch(token, holidays.id, request()))
    expect(problem.kind).toBe('push_not_supported')
  })

  test('an address without https is refused, and the sentence has no token', async () => {
    const { calendar, token } = await connect(world.providers.google, world.google)
    const plain = { ...request(), address: 'http://bots.example.com/hook' }
    const { message } = await problemOf(world.providers.google.watch(token, calendar.id, plain))
    expect(message).toContain('HTTPS')
    expect(message).not.toContain('proof')
  })
})

describe('Microsoft', () => {
  test('a subscription is made after the handshake, and notifies with its proof', async () => {
    const { calendar, token } = await connect(world.providers.microsoft, world.microsoft)
    const subscription = await world.providers.microsoft.watch(token, calendar.id, request())
    expect(subscription.resourceId).toBeNull()
    expect(subscription.expiresAt.getTime()).toBeLessThanOrEqual(NOW.getTime() + 4231 * 60_000)
    calendar.create({ start: at('2026-11-25T10:00:00Z') })
    await world.microsoft.pushes.settled()
    expect(heard).toHaveLength(1)
    expect(heard[0]!.path).toBe('/hook')
    expect(JSON.parse(heard[0]!.body)).toMatchObject({
      value: [{ subscriptionId: subscription.id, clientState: 'proof', changeType: 'updated' }],
    })
  })

  test('without a handshake there is none', async () => {
    const { calendar, token } = await connect(world.providers.microsoft, world.microsoft)
    shakesHands = false
    const problem = await problemOf(world.providers.microsoft.watch(token, calendar.id, request()))
    expect(problem).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('validation') })
    expect(world.microsoft.subscriptions.live).toEqual([])
  })

  test('it is prolonged, ends by itself, and cannot be prolonged then', async () => {
    const { calendar, account, token } = await connect(world.providers.microsoft, world.microsoft)
    const { microsoft } = world.providers
    const first = await microsoft.watch(token, calendar.id, request())
    world.clock.advance(1.5 * DAY)
    const refreshed = async () => {
      const refreshToken = world.microsoft.tokens.liveToken(account)!
      const { clientId, clientSecret } = world.microsoft.tokens
      return accessTokenOf(await microsoft.refresh({ clientId, clientSecret, refreshToken, tenantId: 'common' }))
    }
    const later = await microsoft.renew(await refreshed(), calendar.id, first, request())
    expect(later.id).toBe(first.id)
    expect(later.expiresAt.getTime() - first.expiresAt.getTime()).toBeGreaterThan(1.4 * DAY)
    world.clock.advance(4 * DAY)
    const tooLate = microsoft.renew(await refreshed(), calendar.id, first, request())
    expect((await problemOf(tooLate)).kind).toBe('not_found')
    await microsoft.unwatch(await refreshed(), first)
  })

  test('notifications about the subscription go to a separate address', async () => {
    const { calendar, token } = await connect(world.providers.microsoft, world.microsoft)
    const { id } = await world.providers.microsoft.watch(token, calendar.id, request())
    world.microsoft.subscriptions.lifecycle('missed')
    world.microsoft.subscriptions.lifecycle('subscriptionRemoved')
    calendar.create({ start: at('2026-11-25T10:00:00Z') })
    await world.microsoft.pushes.settled()
    expect(heard.map(({ path }) => path)).toEqual(['/lifecycle', '/lifecycle'])
    const events = heard.map(({ body }) => JSON.parse(body).value[0])
    expect(events.map(({ lifecycleEvent }) => lifecycleEvent).sort()).toEqual(['missed', 'subscriptionRemoved'])
    expect(events.every(({ subscriptionId, clientState }) => subscriptionId === id && clientState === 'proof')).toBe(
      true,
    )
  })

  test('after its end no notification comes', async () => {
    const { calendar, token } = await connect(world.providers.microsoft, world.microsoft)
    const subscription = await world.providers.microsoft.watch(token, calendar.id, request())
    await world.providers.microsoft.unwatch(token, subscription)
    calendar.create({ start: at('2026-11-25T10:00:00Z') })
    await world.microsoft.pushes.settled()
    expect(heard).toEqual([])
  })
})
