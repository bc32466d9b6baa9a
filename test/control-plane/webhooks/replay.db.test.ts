import { randomUUID } from 'node:crypto'
import type { NewBotRow } from '@standin/control-plane/store/rows/index.ts'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test } from 'vitest'
import { messagesOfEnd, messagesOfStatus } from '../../../control-plane/bots/messages/index.ts'
import { readBotForMessages } from '../../../control-plane/store/bots/messages.ts'
import { isEndpointOf } from '../../../control-plane/store/dashboard.ts'
import { deliveriesOfBot } from '../../../control-plane/store/webhooks/deliveries.ts'
import {
  enableEndpoint,
  listEndpoints,
  readAccountUrl,
  setAccountUrl,
} from '../../../control-plane/store/webhooks/endpoints.ts'
import { insertMessages } from '../../../control-plane/store/webhooks/messages.ts'
import { replayDeliveries, resendEnd, sendCallback, sendTest } from '../../../control-plane/webhooks/replay.ts'
import { openWorld, seals } from '../world.ts'
import { answer } from './receiver.ts'

const world = await openWorld({ webhooks: true })
afterEach(() => world.reset())

const LONG = { timeout: 20_000, interval: 25 }

async function setUp(values: Partial<NewBotRow> = {}) {
  const team = await world.teamId()
  const bot = await world.addBot(team, values)
  const receiver = await world.receiver()
  return { team, bot, receiver }
}

const expectStates = (states: object) => expect.poll(() => world.states(), LONG).toEqual(states)

async function end(bot: string) {
  const row = (await readBotForMessages(world.database, bot))!
  await world.database.transaction().execute((tx) => insertMessages(tx, messagesOfEnd(row, 'end')))
}

describe('what is sent', () => {
  test('of a final message: fresh links, and what a person gave stays as it is', async () => {
    const { team, bot, receiver } = await setUp({ extra: { mine: { $link: 'video.mp4', seconds: 1 } } })
    await world.endpoint({ teamId: team, kind: 'team', url: receiver.url })
    await end(bot)
    world.dispatcher()
    await expect.poll(() => receiver.received.length, LONG).toBe(1)
    const { body } = receiver.received[0]!
    expect(body.data.video).toMatch(`https://files.test/${bot}/video.mp4?seconds=14400`)
    expect(Date.parse(body.data.sent_at)).toBeLessThanOrEqual(Date.now())
    expect(body.extra).toEqual({ mine: { $link: 'video.mp4', seconds: 1 } })
  })

  test('under public names', async () => {
    const failed = { status: 'failed', error_code: 'CONF_OBF_TOKEN_ERROR' }
    const { team, bot, receiver } = await setUp({ is_compat: true, ...failed, extra: { a: 1 } })
    await world.endpoint({ teamId: team, kind: 'callback', botId: bot, url: receiver.url, secret: 'word' })
    await end(bot)
    world.dispatcher()
    await expect.poll(() => receiver.received.length, LONG).toBe(1)
    const { headers, body } = receiver.received[0]!
    expect(headers).toMatchObject({ 'x-service-secret': 'word', 'x-mb-secret': 'word' })
    expect(body).toMatchObject({ data: { error_code: 'ZOOM_OBF_TOKEN_ERROR', extra: { a: 1 } }, extra: { a: 1 } })
  })

  test('of the older generation: to the bot’s own address, else to the account’s', async () => {
    const { team, bot, receiver } = await setUp({ generation: 'older', transcription_status: 'done' })
    const own = await world.receiver()
    const other = await world.addBot(team, { generation: 'older' })
    await setAccountUrl(world.database, seals, team, 'http://127.0.0.1:1/replaced')
    await setAccountUrl(world.database, seals, team, receiver.url)
    expect(await readAccountUrl(world.database, team)).toBe(receiver.url)
    await world.endpoint({ teamId: team, kind: 'bot', botId: bot, url: own.url })
    await end(bot)
    await end(other)
    world.dispatcher()
    await expectStates({ delivered: 2 })
    expect(own.received.map(({ body }) => [body.event, body.data.bot_id, body.data.transcript])).toEqual([
      ['complete', bot, [{ speaker: 'Ada' }]],
    ])
    expect(receiver.received.map(({ body }) => body.data.bot_id)).toEqual([other])
    await world.change('endpoints', { url: receiver.url }, { disabled_at: new Date() })
    expect(await readAccountUrl(world.database, team)).toBe(receiver.url)
    await setAccountUrl(world.database, seals, team, receiver.url)
    await world.send(team, other, 1, 'older')
    await expectStates({ delivered: 3 })
    expect(receiver.received.length).toBe(2)
    await setAccountUrl(world.database, seals, team, null)
    expect(await readAccountUrl(world.database, team)).toBeNull()
    expect(await listEndpoints(world.database, { teamId: team })).toEqual([])
    for (const { id } of await world.rows('endpoints', { team_id: team, kind: 'account' })) {
      expect(await isEndpointOf(world.database, id, team)).toBe(false)
      expect(await enableEndpoint(world.database, id)).toBe(false)
    }
  })

  test('only the events that an endpoint wants', async () => {
    const { team, bot, receiver } = await setUp()
    await world.endpoint({ teamId: team, kind: 'team', url: receiver.url, events: ['bot.completed'] })
    const row = (await readBotForMessages(world.database, bot))!
    const status = messagesOfStatus(row, { code: 'call_ended', at: new Date(), sourceId: 'x' })
    await world.database.transaction().execute((tx) => insertMessages(tx, [...status, ...messagesOfEnd(row, 'x')]))
    await world.database.transaction().execute((tx) => insertMessages(tx, messagesOfEnd(row, 'x')))
    world.dispatcher()
    await expectStates({ delivered: 1 })
    expect(receiver.received.map(({ body }) => body.event)).toEqual(['bot.completed'])
  })
})

describe('again', () => {
  test.each<[what: string, ask: (world: { bot: string; endpoint: string; delivery: number }) => Promise<unknown>]>([
    ['a replay of one', ({ delivery }) => replayDeliveries(world.database, { deliveryId: delivery })],
    ['a replay of all', ({ endpoint }) => replayDeliveries(world.database, { endpointId: endpoint, onlyFailed: true })],
    ['a test', ({ endpoint }) => sendTest(world.database, endpoint)],
    ['the final message', ({ bot }) => resendEnd(world.database, bot)],
  ])('%s that a person asks for is tried at once and ends the pause', async (_what, ask) => {
    const { team, bot, receiver } = await setUp()
    const { id: endpoint } = await world.endpoint({ teamId: team, kind: 'team', url: receiver.url })
    await world.send(team, bot, 1)
    const { database } = world
    const { id: delivery } = await database.selectFrom('deliveries').select('id').executeTakeFirstOrThrow()
    await database.updateTable('deliveries').set({ state: 'failed', attempts: 7 }).execute()
    // These wait for the same endpoint, and are due for longer.
    await world.send(team, bot, 300)
    const before = new Date(Date.now() - 60_000)
    await database.updateTable('deliveries').set({ attempts: 1, next_at: before }).where('id', '!=', delivery).execute()
    const pause = new Date(Date.now() + 3600_000)
    await database.updateTable('endpoints').set({ failed_in_a_row: 7, probe_at: pause }).execute()
    await ask({ bot, endpoint, delivery })
    world.dispatcher()
    await expect.poll(() => receiver.received.length, LONG).toBeGreaterThan(300)
    const first = await database.selectFrom('delivery_attempts').select('is_replay').orderBy('id').limit(1).execute()
    expect(first).toEqual([{ is_replay: true }])
    const paused = database.selectFrom('endpoints').select('id').where('failed_in_a_row', '>', 0)
    expect(await paused.execute()).toEqual([])
  })

  test('a test message is signed and goes to one endpoint', async () => {
    const { team, receiver } = await setUp()
    const other = await world.receiver()
    const endpoint = await world.endpoint({ teamId: team, kind: 'team', url: receiver.url, events: [] })
    await world.endpoint({ teamId: team, kind: 'team', url: other.url })
    expect(await sendTest(world.database, endpoint.id, 'bot.completed')).toEqual(expect.any(Number))
    expect(await sendTest(world.database, randomUUID())).toBeNull()
    world.dispatcher()
    await expectStates({ delivered: 1 })
    const [{ text, headers, body }] = receiver.received as [(typeof receiver.received)[number]]
    new Webhook(endpoint.secret!).verify(text, headers)
    expect(body.event).toBe('bot.completed')
    expect(other.received).toEqual([])
  })

  test('one delivery under its id, shown as a replay; one under way stays', async () => {
    const { team, bot, receiver } = await setUp()
    await world.endpoint({ teamId: team, kind: 'team', url: receiver.url })
    await world.send(team, bot, 1)
    const { id } = await world.one('deliveries', {}, ['id'])
    expect(await replayDeliveries(world.database, { deliveryId: id })).toBe(0)
    world.dispatcher()
    await expectStates({ delivered: 1 })
    expect(await replayDeliveries(world.database, { deliveryId: id, teamId: await world.teamId() })).toBe(0)
    expect(await replayDeliveries(world.database, { deliveryId: id, teamId: team })).toBe(1)
    await expect.poll(() => receiver.received.length, LONG).toBe(2)
    await expectStates({ delivered: 1 })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const [delivery] = await deliveriesOfBot(world.database, bot)
    expect(delivery!.attemptList.map(({ is_replay }) => is_replay)).toEqual([false, true])
  })

  test('all that failed since a time, not what was delivered, and not older', async () => {
    let isWell = false
    const team = await world.teamId()
    const bot = await world.addBot(team)
    const receiver = await world.receiver((request, response, count) =>
      answer(isWell || request.body.data.n === 2 ? 200 : 500)(request, response, count),
    )
    const endpoint = await world.endpoint({ teamId: team, kind: 'team', url: receiver.url })
    await world.send(team, bot, 4)
    const [first] = (await world.rows('deliveries')).sort((one, other) => one.id - other.id)
    await world.change('messages', { id: first!.message_id }, { created_at: new Date(Date.now() - 3600_000) })
    world.dispatcher({ delays: [] })
    await expectStates({ failed: 3, delivered: 1 })
    isWell = true
    const since = new Date(Date.now() - 60_000)
    const filter = { endpointId: endpoint.id, since, onlyFailed: true }
    expect(await replayDeliveries(world.database, { ...filter, until: since })).toBe(0)
    expect(await replayDeliveries(world.database, filter)).toBe(2)
    await expectStates({ failed: 1, delivered: 3 })
    expect(receiver.received.slice(4).map(({ body }) => body.data.n)).toEqual([1, 3])
  })

  test('the final message under a new id, to endpoints and not to the callback', async () => {
    const { team, bot, receiver } = await setUp()
    const callback = await world.receiver()
    await world.endpoint({ teamId: team, kind: 'team', url: receiver.url })
    await world.endpoint({ teamId: team, kind: 'callback', botId: bot, url: callback.url })
    await end(bot)
    expect(await resendEnd(world.database, bot)).toBe('sent')
    world.dispatcher()
    await expectStates({ delivered: 3 })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    expect(callback.received.length).toBe(1)
    expect(await resendEnd(world.database, randomUUID())).toBe('not_found')
    const running = await world.addBot(team, { status: 'in_call_recording', phase: 'running' })
    expect(await resendEnd(world.database, running)).toBe('not_ended')
  })

  test('the callback to its own address, or once to another one', async () => {
    const { bot, receiver, team } = await setUp()
    const once = await world.receiver()
    expect(await sendCallback(world.database, seals, bot, null)).toBe('not_configured')
    const target = { url: once.url, secret: 'other', method: 'PUT' } as const
    expect(await sendCallback(world.database, seals, bot, target)).toBe('sent')
    expect(await sendCallback(world.database, seals, bot, null)).toBe('not_configured')
    await world.endpoint({ teamId: team, kind: 'callback', botId: bot, url: receiver.url })
    expect(await sendCallback(world.database, seals, bot, null)).toBe('sent')
    world.dispatcher()
    await expectStates({ delivered: 2 })
    expect(once.received.map(({ method, headers }) => [method, headers['x-service-secret']])).toEqual([
      ['PUT', 'other'],
    ])
    expect(receiver.received.map(({ body }) => body.event)).toEqual(['bot.completed'])
    expect(receiver.received[0]!.headers).not.toHaveProperty('x-service-secret')
  })
})
