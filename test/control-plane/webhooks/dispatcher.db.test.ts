import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createGuardedClient } from '../../../control-plane/platform/outgoing/guarded-client.ts'
import { createSeals, newSealKey, parseSealKeys } from '../../../control-plane/platform/secrets/seals.ts'
import { finishFailed, replayDeliveries } from '../../../control-plane/store/webhooks/deliveries.ts'
import { claimDeliveries } from '../../../control-plane/store/webhooks/delivery-claims.ts'
import { rotateSecret } from '../../../control-plane/store/webhooks/endpoints.ts'
import { openWorld, quiet, seals, type WebhookWorld } from '../world.ts'
import { answer, type Received, type Receiver } from './receiver.ts'

const world = await openWorld({ webhooks: true })
afterEach(() => world.reset())

const LONG = { timeout: 20_000, interval: 25 }
const numbers = (received: Received[], botId?: string) =>
  received.filter(({ body }) => !botId || body.data.bot_id === botId).map(({ body }) => body.data.n)

const attempts = () => world.database.selectFrom('delivery_attempts').selectAll().orderBy('id').execute()
const endpointRow = () => world.one('endpoints')
const delivery = () => world.one('deliveries')
const claimRules = () => ({
  claim: randomUUID(),
  limit: 64,
  leaseSeconds: 1,
  perEndpoint: 20,
  perTeam: 100,
  busyEndpoints: {},
  busyTeams: {},
})

async function setUp(
  behavior?: Parameters<WebhookWorld['receiver']>[0],
  kind: 'team' | 'callback' | 'account' = 'team',
) {
  const team = await world.teamId()
  const bot = await world.addBot(team)
  const receiver = await world.receiver(behavior)
  const endpoint = await world.endpoint({
    teamId: team,
    kind,
    url: receiver.url,
    ...(kind === 'callback' && { botId: bot, secret: 'word', method: 'PUT' }),
  })
  return { team, bot, receiver, endpoint }
}

/** Sends so many messages to a receiver of this behavior, by a dispatcher that starts then. */
async function sent(behavior?: Parameters<WebhookWorld['receiver']>[0], count = 1, kind: 'team' | 'callback' = 'team') {
  const made = await setUp(behavior, kind)
  const event = kind === 'team' ? 'bot.status_change' : 'bot.completed'
  const messages = await world.send(made.team, made.bot, count, kind === 'team' ? 'webhooks' : kind, event)
  world.dispatcher()
  return { ...made, messages }
}
const expectStates = (states: object) => expect.poll(() => world.states(), LONG).toEqual(states)
const expectReceived = ({ received }: Receiver, count: number) => expect.poll(() => received.length, LONG).toBe(count)
/** What is noted of errors inside the service. */
function noted() {
  const logged: object[] = []
  return { logged, log: { ...quiet, error: (fields: object) => void logged.push(fields) } }
}

describe('a delivery', () => {
  test('is signed so that the judge accepts it, in both naming sets', async () => {
    const { receiver, endpoint, messages } = await sent()
    const [message] = messages
    await expectReceived(receiver, 1)
    const [{ headers, text }] = receiver.received as [Received]
    const judge = new Webhook(endpoint.secret!)
    expect(judge.verify(text, headers)).toEqual(message!.body)
    expect(headers['webhook-id']).toBe(message!.id)
    for (const part of ['id', 'timestamp', 'signature']) {
      expect(headers[`svix-${part}`]).toBe(headers[`webhook-${part}`])
    }
    expect(() => judge.verify(`${text} `, headers)).toThrow()
    expect(headers['content-type']).toBe('application/json')
    await expectStates({ delivered: 1 })
  })

  test('is signed with both secrets after a rotation, and with the new one alone a day later', async () => {
    const { team, bot, receiver, endpoint } = await setUp()
    const secret = await rotateSecret(world.database, seals, endpoint.id)
    await world.send(team, bot, 1)
    world.dispatcher()
    await expectReceived(receiver, 1)
    const first = receiver.received[0]!
    new Webhook(endpoint.secret!).verify(first.text, first.headers)
    new Webhook(secret!).verify(first.text, first.headers)
    await world.change('endpoints', {}, { previous_secret_until: new Date() })
    await world.send(team, bot, 1)
    await expectReceived(receiver, 2)
    const second = receiver.received[1]!
    new Webhook(secret!).verify(second.text, second.headers)
    expect(() => new Webhook(endpoint.secret!).verify(second.text, second.headers)).toThrow()
  })

  test('as a callback carries its secret and no signature', async () => {
    const { receiver } = await sent(answer(200), 1, 'callback')
    await expectReceived(receiver, 1)
    const [{ headers, method }] = receiver.received as [Received]
    expect(method).toBe('PUT')
    expect(headers['x-service-secret']).toBe('word')
    expect(Object.keys(headers).filter((name) => /webhook|svix|api-key/.test(name))).toEqual([])
  })
})

describe('what a receiver answers', () => {
  test('500 twice: tried again under the same id with the same body', async () => {
    const { receiver, endpoint } = await sent((request, response, count) =>
      answer(count < 3 ? 500 : 204, {}, count < 3 ? 'broken' : '')(request, response, count),
    )
    await expectStates({ delivered: 1 })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1)
    for (const { text, headers } of receiver.received) new Webhook(endpoint.secret!).verify(text, headers)
    expect((await attempts()).map(({ status, answer }) => [status, answer])).toEqual([
      [500, 'broken'],
      [500, 'broken'],
      [204, ''],
    ])
  })

  test('500 always: the schedule ends', async () => {
    const { receiver } = await sent(answer(500))
    await expectStates({ failed: 1 })
    expect(receiver.received.length).toBe(3)
  })

  test('a redirect is a failure and is not followed', async () => {
    const target = await world.receiver()
    const { receiver } = await sent(answer(307, { location: target.url }))
    await expectStates({ failed: 1 })
    expect(receiver.received.length).toBe(3)
    expect(target.received).toEqual([])
  })

  test('429: not again before a minute', async () => {
    await sent(answer(429))
    await expect.poll(async () => (await attempts()).length, LONG).toBe(1)
    await expect.poll(async () => (await delivery()).state, LONG).toBe('waiting')
    expect((await delivery()).next_at.getTime() - Date.now()).toBeGreaterThan(55_000)
  })

  test('410: the endpoint is disabled and what waits for it is dropped', async () => {
    const { team, bot, endpoint } = await sent(answer(410), 3)
    await expectStates({ failed: 1, dropped: 2 })
    const disabled = { disabled_at: expect.any(Date), disabled_reason: expect.stringContaining('410') }
    expect(await world.one('endpoints', { id: endpoint.id })).toMatchObject(disabled)
    await world.send(team, bot, 1)
    expect(await world.states()).toEqual({ failed: 1, dropped: 2 })
  })

  test.each<[what: string, isDisabled: boolean, failed: number, firstDays: number, lastDays: number | null]>([
    ['five days of failures, with a weekend between them, disable it', true, 7, 5.1, 2.6],
    ['the first failure after a week without messages does not', false, 7, 7, 6.9],
    ['nor do a few attempts in all', false, 4, 5.1, null],
  ])('%s', async (_what, isDisabled, failed_in_a_row, firstDays, lastDays) => {
    const { team, bot } = await setUp(answer(500))
    const ago = (days: number) => new Date(Date.now() - days * 24 * 3600_000)
    const probe_at = lastDays === null ? null : ago(lastDays)
    await world.change('endpoints', {}, { failed_in_a_row, failing_since: ago(firstDays), probe_at })
    await world.send(team, bot, 1)
    world.dispatcher()
    await expect.poll(async () => (await attempts()).length, LONG).toBeGreaterThan(0)
    await expect.poll(async () => (await endpointRow()).failed_in_a_row, LONG).toBeGreaterThan(failed_in_a_row)
    const { disabled_at, failing_since } = await endpointRow()
    expect([disabled_at !== null, failing_since! > ago(1)]).toEqual([isDisabled, !isDisabled])
    if (isDisabled) await expectStates({ dropped: 1 })
  })

  test('404 to a callback: no second attempt', async () => {
    const { receiver } = await sent(answer(404), 1, 'callback')
    await expectStates({ failed: 1 })
    expect(receiver.received.length).toBe(1)
  })

  test.each<[string, Parameters<WebhookWorld['receiver']>[0]]>([
    ['closes', (_request, response) => response.destroy()],
    [
      'says more than it sends',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('short')
        setTimeout(() => response.destroy(), 20)
      },
    ],
  ])('a receiver that %s: tried again', async (_name, misbehave) => {
    await sent((request, response, count) => (count === 1 ? misbehave! : answer(200))(request, response, count))
    await expectStates({ delivered: 1 })
    expect((await attempts()).map(({ error, status }) => [error !== null, status])).toEqual([
      [true, null],
      [false, 200],
    ])
  })

  test('only the first 2 kB of an answer are kept', async () => {
    await sent(answer(200, {}, `\0${'x'.repeat(100_000)}`))
    await expectStates({ delivered: 1 })
    expect((await attempts())[0]!.answer).toBe('x'.repeat(1_999))
  })

  test('a hanging receiver does not hold up another endpoint', async () => {
    const { team, bot } = await setUp(() => {})
    const good = await world.receiver()
    await world.endpoint({ teamId: team, kind: 'team', url: good.url })
    await world.send(team, bot, 10)
    world.dispatcher()
    await expect.poll(() => numbers(good.received), LONG).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('a private address is not asked where that is not allowed', async () => {
    const { team, bot, receiver } = await setUp()
    const client = createGuardedClient({ allowPrivate: false })
    await world.send(team, bot, 1)
    world.dispatcher({ client })
    await expectStates({ failed: 1 })
    expect(receiver.received).toEqual([])
    // Beside it may stand the attempt at the hanging receiver of the test before, which ends with its connection.
    expect((await attempts()).map(({ error }) => error)).toContainEqual(expect.stringContaining('https'))
    await client.close()
  })
})

describe('an error inside the service', () => {
  const makeDue = () => world.change('deliveries', {}, { next_at: new Date() })
  const withLink = (id: string) =>
    world.change(
      'messages',
      { id },
      { body: JSON.stringify({ event: 'x', data: { video: { $link: 'video.mp4', seconds: 60 } } }) },
    )

  test.each([
    ['the storage is away', async () => Promise.reject(new Error('The storage is away'))],
    ['the storage does not answer', () => new Promise<never>(() => {})],
  ])('is not counted against the receiver: %s', async (_name, sign) => {
    const { team, bot, receiver } = await setUp()
    const [message] = await world.send(team, bot, 1)
    await withLink(message!.id)
    const { logged, log } = noted()
    const broken = world.dispatcher({ links: { ...world.links, sign }, log, buildWithinMs: 200 })
    await expect.poll(() => logged.length, LONG).toBe(1)
    await expectStates({ waiting: 1 })
    await broken.close()
    expect(logged[0]).toMatchObject({ bot, message: message!.id, error: expect.stringContaining('Error: ') })
    const row = await delivery()
    expect(row).toMatchObject({ attempts: 0, claim: null, lease_until: null })
    expect(row.next_at.getTime()).toBeGreaterThan(Date.now() + 5_000)
    expect(await endpointRow()).toMatchObject({ failed_in_a_row: 0, failing_since: null })
    expect(await attempts()).toEqual([])
    await makeDue()
    world.dispatcher()
    await expectStates({ delivered: 1 })
    expect(receiver.received.length).toBe(1)
  })

  test('is not counted against the receiver: the key of its secret is gone', async () => {
    const { team, bot, receiver } = await setUp()
    await world.send(team, bot, 1)
    const { logged, log } = noted()
    world.dispatcher({ seals: createSeals(parseSealKeys(newSealKey('other'))), log })
    await expect.poll(() => logged.length, LONG).toBe(1)
    await expectStates({ waiting: 1 })
    expect(await endpointRow()).toMatchObject({ failed_in_a_row: 0, failing_since: null })
    expect(await attempts()).toEqual([])
    expect(receiver.received).toEqual([])
  })

  test('after an hour without the key a delivery ends with that reason, and is sent when it is replayed with the key', async () => {
    const { team, bot, receiver } = await setUp()
    await world.send(team, bot, 3)
    await world.change('deliveries', {}, { created_at: new Date(Date.now() - 61 * 60_000) })
    const withoutKey = world.dispatcher({ seals: createSeals(parseSealKeys(newSealKey('other'))) })
    await expectStates({ failed: 3 })
    await withoutKey.close()
    expect((await attempts()).map(({ error }) => error)).toEqual(
      Array(3).fill(expect.stringMatching(/^The secret key "test" of endpoints\.secret of [0-9a-f-]{36} is missing$/)),
    )
    expect(await endpointRow()).toMatchObject({ failed_in_a_row: 0, failing_since: null, disabled_at: null })
    expect(await replayDeliveries(world.database, { botId: bot, onlyFailed: true })).toBe(3)
    world.dispatcher()
    await expectStates({ delivered: 3 })
    expect(numbers(receiver.received).sort()).toEqual([0, 1, 2])
  })
})

test('what waits for a disabled endpoint is dropped, also what was claimed when it was disabled', async () => {
  const { team, bot, receiver } = await setUp()
  await world.send(team, bot, 3)
  await claimDeliveries(world.database, claimRules())
  await world.change('endpoints', {}, { disabled_at: new Date() })
  world.dispatcher()
  await expectStates({ dropped: 3 })
  expect(receiver.received).toEqual([])
})

test('an answer that comes after the deletion of the bot’s data is not stored', async () => {
  const { team, bot } = await setUp()
  await world.send(team, bot, 1)
  const rules = claimRules()
  const [claimed] = await claimDeliveries(world.database, rules)
  await world.set(bot, { data_deleted_at: new Date() })
  const result = { durationMs: 1, status: 500, error: null, answer: 'what was said' }
  const end = { nextInSeconds: null, isGone: false }
  expect(await finishFailed(world.database, claimed!, rules.claim, { ...result, ...end })).toBe(true)
  expect(await attempts()).toMatchObject([{ status: 500, answer: null }])
})

describe('order and bounds', () => {
  test('two dispatchers: none lost, none twice, in order for each bot', async () => {
    const { team, receiver } = await setUp((_request, response) => {
      setTimeout(() => response.writeHead(200).end(), Math.random() * 5)
    })
    const bots = await Promise.all(Array.from({ length: 20 }, () => world.addBot(team)))
    world.dispatcher()
    world.dispatcher()
    await Promise.all(bots.map((bot) => world.send(team, bot, 15)))
    await expect.poll(() => world.states(), { timeout: 60_000 }).toEqual({ delivered: 300 })
    for (const bot of bots) expect(numbers(receiver.received, bot)).toEqual(Array.from({ length: 15 }, (_, n) => n))
    expect(receiver.received.length).toBe(300)
  })

  test('a failed first attempt does not hold back what follows', async () => {
    const { team, bot, receiver } = await setUp((request, response, count) =>
      answer(request.body.data.n === 0 && count === 1 ? 500 : 200)(request, response, count),
    )
    await world.send(team, bot, 3)
    world.dispatcher({ delays: [3] })
    await expect.poll(() => numbers(receiver.received), LONG).toEqual([0, 1, 2, 0])
  })

  test('a killed dispatcher: its claims come back when the lease is over, and its late result counts for nothing', async () => {
    const { team, bot, receiver } = await setUp()
    await world.send(team, bot, 3)
    const rules = claimRules()
    const claimed = await claimDeliveries(world.database, rules)
    expect(claimed.map(({ body }) => (body.data as { n: number }).n)).toEqual([0])
    // It is gone. The remaining dispatcher respects the lease, and the order.
    world.dispatcher()
    await expectStates({ delivered: 3 })
    expect(numbers(receiver.received)).toEqual([0, 1, 2])
    const late = { durationMs: 1, status: 500, error: null, answer: null }
    const end = { nextInSeconds: 5, isGone: false }
    expect(await finishFailed(world.database, claimed[0]!, rules.claim, { ...late, ...end })).toBe(false)
    expect(await world.states()).toEqual({ delivered: 3 })
  })

  test('claims of a killed dispatcher come back although the clock of the other one steps back by an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { team, bot, receiver } = await setUp()
    await world.send(team, bot, 1)
    world.dispatcher()
    await expectStates({ delivered: 1 })
    vi.setSystemTime(Date.now() - 3_600_000)
    await world.change(
      'deliveries',
      {},
      { state: 'sending', claim: randomUUID(), lease_until: sql<Date>`now() - interval '1 second'` },
    )
    await expect.poll(() => numbers(receiver.received), LONG).toEqual([0, 0])
  })

  test('one endpoint gets no more than its share at once', async () => {
    const { team, receiver } = await setUp((_request, response) => {
      setTimeout(() => response.writeHead(200).end(), 20)
    })
    const bots = await Promise.all(Array.from({ length: 40 }, () => world.addBot(team)))
    await Promise.all(bots.map((bot) => world.send(team, bot, 1)))
    world.dispatcher({ perEndpoint: 4 })
    await expectStates({ delivered: 40 })
    expect(receiver.mostAtOnce()).toBe(4)
  })

  test('one team gets no more than a third of all', async () => {
    const team = await world.teamId()
    const bot = await world.addBot(team)
    const receiver = await world.receiver(() => {})
    for (let n = 0; n < 10; n++) await world.endpoint({ teamId: team, kind: 'team', url: receiver.url })
    await world.send(team, bot, 1)
    const other = await world.teamId()
    const good = await world.receiver()
    await world.endpoint({ teamId: other, kind: 'team', url: good.url })
    world.dispatcher({ concurrency: 9 })
    await expectReceived(receiver, 3)
    await world.send(other, await world.addBot(other), 5)
    await expect.poll(() => numbers(good.received), LONG).toEqual([0, 1, 2, 3, 4])
    expect(receiver.mostAtOnce()).toBe(3)
  })

  test('after five failures in a row an endpoint gets single probes, and one success ends that', async () => {
    let isWell = false
    const { team, receiver } = await setUp((request, response, count) =>
      answer(isWell ? 200 : 500)(request, response, count),
    )
    const bots = await Promise.all(Array.from({ length: 30 }, () => world.addBot(team)))
    for (const bot of bots) await world.send(team, bot, 1)
    const delays = [0.2, 0.2, 0.2, 0.2, 0.2]
    const one = world.dispatcher({ perEndpoint: 1, delays })
    await expectReceived(receiver, 5)
    await expect.poll(async () => (await endpointRow()).failed_in_a_row, LONG).toBe(5)
    const seconds = async () => ((await endpointRow()).probe_at!.getTime() - Date.now()) / 1000
    await one.close()
    world.dispatcher({ delays })
    world.dispatcher({ delays })
    expect(await seconds()).toBeGreaterThan(25)
    expect(await seconds()).toBeLessThan(31)
    const probe = () => world.change('endpoints', {}, { probe_at: new Date(Date.now() - 1000) })
    await probe()
    await expect.poll(async () => (await endpointRow()).failed_in_a_row, LONG).toBe(6)
    expect(receiver.received.length).toBe(6)
    expect(await seconds()).toBeGreaterThan(55)
    expect(await seconds()).toBeLessThan(61)
    isWell = true
    await probe()
    await expectStates({ delivered: 30 })
    expect(await endpointRow()).toMatchObject({ failed_in_a_row: 0, probe_at: null, failing_since: null })
  })
})
