/** Subscriptions of both providers, with a receiver on this machine. */

import { accessTokenOf } from '@standin/control-plane/connections/token-answer.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { at, DAY, NOW, openReceiver, openStandIns, PLATFORMS, problemOf } from '../stand-ins.ts'

let world: Awaited<ReturnType<typeof openStandIns>>
let receiver: Awaited<ReturnType<typeof openReceiver>>
let heard: (typeof receiver)['heard']
beforeEach(async () => {
  world = await openStandIns(NOW)
  receiver = await openReceiver()
  heard = receiver.heard
})

function request() {
  const { url } = receiver
  return { channelId: 'channel-1', token: 'proof', address: `${url}/hook`, lifecycleAddress: `${url}/lifecycle` }
}

describe('Google', () => {
  test('a channel says sync once, then that something changed, with token and numbers that rise', async () => {
    const { calendar, token } = await world.connect('google')
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

  test('a calendar that cannot be watched', async () => {
    const { account, token } = await world.connect('google')
    const holidays = account.addCalendar('Holidays')
    Object.assign(holidays, { canWatch: false })
    const problem = await problemOf(world.providers.google.watch(token, holidays.id, request()))
    expect(problem.kind).toBe('push_not_supported')
  })

  test('an address without https is refused, and the sentence has no token', async () => {
    const { calendar, token } = await world.connect('google')
    const plain = { ...request(), address: 'http://bots.example.com/hook' }
    const { message } = await problemOf(world.providers.google.watch(token, calendar.id, plain))
    expect(message).toContain('HTTPS')
    expect(message).not.toContain('proof')
  })
})

describe('Microsoft', () => {
  test('a subscription is made after the handshake, and notifies with its proof', async () => {
    const { calendar, token } = await world.connect('microsoft')
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
    const { calendar, token } = await world.connect('microsoft')
    receiver.shakesHands = false
    const problem = await problemOf(world.providers.microsoft.watch(token, calendar.id, request()))
    expect(problem).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('validation') })
    expect(world.microsoft.subscriptions.live).toEqual([])
  })

  test('it is prolonged, ends by itself, and cannot be prolonged then', async () => {
    const { calendar, account, token } = await world.connect('microsoft')
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
    const { calendar, token } = await world.connect('microsoft')
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
})

test.each(PLATFORMS)('%s: after its end no notification comes, and it can be ended again', async (platform) => {
  const { calendar, token, provider, standIn } = await world.connect(platform)
  const subscription = await provider.watch(token, calendar.id, request())
  await standIn.pushes.settled()
  for (let count = 0; count < 2; count++) await provider.unwatch(token, subscription)
  heard.length = 0
  calendar.create({ start: at('2026-11-25T10:00:00Z') })
  await standIn.pushes.settled()
  expect(heard).toEqual([])
})
