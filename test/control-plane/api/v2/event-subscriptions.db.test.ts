/** Subscriptions of a team: what a program has not acknowledged comes again, and nothing else. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { NumberedEvent } from '@standin/wire/events.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { routeUpgrade } from '../../../../control-plane/api/http/web-socket.ts'
import { eventsMessage } from '../../../../control-plane/api/v2/event-subscriptions/schema.ts'
import { freshMeet, startReporting } from '../reporting.ts'
import { openApiWorld } from '../world.ts'

const PATIENT = { timeout: 30_000, interval: 20 }
const RUNS = 25

let world: Awaited<ReturnType<typeof openApiWorld>>
let address: string
beforeAll(async () => {
  world = await openApiWorld()
  address = (await world.app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')
  world.app.server.on('upgrade', (...upgrade) => routeUpgrade(world.app, ...upgrade))
})
afterAll(() => world.close())

type Team = Awaited<ReturnType<typeof world.team>>

const said = (text: string): NumberedEvent['event'] => ({
  ...{ type: 'transcript', text, is_final: true, speaker: { id: 1, name: 'Ada', platform_id: 'p-1' } },
  ...{ start: 1, end: 2, language: 'en' },
})
const noticed = (message: string): NumberedEvent['event'] => ({ type: 'notice', level: 'info', message })

async function runningBot(team: Team) {
  const botId = await world.bot(team, { meeting_url: freshMeet() })
  const { report } = await startReporting(world.database, botId)
  return {
    botId,
    /** As the process with the bot's link does. */
    async report(...events: NumberedEvent['event'][]) {
      await report(...events)
      world.dependencies.eventTail.wake([botId, team.teamId])
    },
  }
}

interface Heard {
  botId: string
  id: string
  text: unknown
}

function follow({ key }: Team, name: string) {
  const socket = new WebSocket(`${address}/v2/event-subscriptions/${name}/socket`, {
    headers: { 'x-service-api-key': key },
  })
  const heard: Heard[] = []
  socket.on('message', (data) => {
    const message = eventsMessage.parse(JSON.parse(String(data)))
    for (const { id, data } of message.events)
      heard.push({ botId: message.bot_id, id, text: data.text ?? data.message })
  })
  // One that is cut before it is open.
  socket.on('error', () => {})
  const ended = new Promise<number>((resolve) => socket.once('close', resolve))
  return {
    heard,
    opened: new Promise((resolve) => socket.once('open', resolve)),
    ended,
    ack: ({ id }: Heard) => socket.send(JSON.stringify({ type: 'ack', id })),
    send: (text: string) => socket.send(text),
    async cut() {
      socket.terminate()
      await ended
    },
  }
}

const textsOf = (heard: readonly Heard[], botId: string) =>
  heard.filter((one) => one.botId === botId).map(({ text }) => text)
const subscribe = async (team: Team, body: object) => {
  const made = await team.post('/v2/event-subscriptions', body)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
}
const waitingBots = async (team: Team, name: string) => {
  const { body } = await team.get('/v2/event-subscriptions')
  return body.data.find((one: { name: string }) => one.name === name).waiting_bots
}

test('events of all bots come from the creation on, and those that are acknowledged come no more', async () => {
  const team = await world.team()
  const early = await runningBot(team)
  await early.report(said('before'))
  await subscribe(team, { name: 'crm', types: ['transcript'] })
  const first = follow(team, 'crm')
  const late = await runningBot(team)
  await early.report(said('one'), noticed('unwanted'), said('two'))
  await late.report(said('three'))
  await expect.poll(() => textsOf(first.heard, early.botId), PATIENT).toEqual(['one', 'two'])
  await expect.poll(() => textsOf(first.heard, late.botId), PATIENT).toEqual(['three'])
  expect(await waitingBots(team, 'crm')).toBe(2)
  first.ack(first.heard.find(({ text }) => text === 'one')!)
  first.ack(first.heard.find(({ text }) => text === 'three')!)
  await expect.poll(() => waitingBots(team, 'crm'), PATIENT).toBe(1)
  await first.cut()
  const second = follow(team, 'crm')
  await expect.poll(() => textsOf(second.heard, early.botId), PATIENT).toEqual(['two'])
  second.ack(second.heard[0]!)
  await expect.poll(() => waitingBots(team, 'crm'), PATIENT).toBe(0)
  await early.report(said('four'))
  await expect.poll(() => textsOf(second.heard, early.botId), PATIENT).toEqual(['two', 'four'])
  expect(textsOf(second.heard, late.botId)).toEqual([])
  await second.cut()
})

test('an event has the same id in the list', async () => {
  const team = await world.team()
  await subscribe(team, { name: 'ids' })
  const bot = await runningBot(team)
  const follower = follow(team, 'ids')
  await bot.report(said('one'), noticed('two'))
  await expect.poll(() => follower.heard, PATIENT).toHaveLength(2)
  const { body } = await team.get(`/v2/bots/${bot.botId}/events`)
  expect(follower.heard.map(({ id }) => id)).toEqual(body.data.map(({ id }: { id: string }) => id))
  await follower.cut()
})

test('connections that are cut anywhere give every event, in the order of its bot, and nothing that was acknowledged', async () => {
  const team = await world.team()
  let count = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          events: fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 2, maxLength: 2 }),
          acked: fc.double({ min: 0, max: 1, noNaN: true }),
          isCut: fc.boolean(),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      async (steps) => {
        const name = `cut-${++count}`
        await subscribe(team, { name })
        const bots = [await runningBot(team), await runningBot(team)]
        const stored = bots.map(() => 0)
        const heard: Heard[] = []
        let follower = follow(team, name)
        const lasts = () => bots.map(({ botId }) => textsOf([...heard, ...follower.heard], botId).at(-1) ?? 0)
        for (const { events, acked, isCut } of steps) {
          for (const [place, bot] of bots.entries()) {
            const texts = Array.from({ length: events[place]! }, () => ++stored[place]!)
            if (texts.length > 0) await bot.report(...texts.map((one) => said(String(one))))
          }
          const taken = follower.heard.slice(0, Math.ceil(follower.heard.length * acked))
          const ends = bots.flatMap(({ botId }) => taken.filter((one) => one.botId === botId).slice(-1))
          for (const end of ends) follower.ack(end)
          if (!isCut) continue
          await follower.cut()
          heard.push(...follower.heard)
          follower = follow(team, name)
        }
        await expect.poll(() => lasts().map(Number), PATIENT).toEqual(stored)
        await follower.cut()
        heard.push(...follower.heard)
        const wanted = stored.map((last) => Array.from({ length: last }, (_, place) => String(place + 1)))
        const distinct = bots.map(({ botId }) => [...new Set(textsOf(heard, botId))])
        expect(distinct, 'in the order of their first arrival').toEqual(wanted)
        const last = follow(team, name)
        await last.opened
        for (const { botId } of bots)
          heard
            .filter((one) => one.botId === botId)
            .slice(-1)
            .map(last.ack)
        await expect.poll(() => waitingBots(team, name), PATIENT).toBe(0)
        await last.cut()
        const after = follow(team, name)
        await bots[0]!.report(said('after all'))
        await expect.poll(() => after.heard.map(({ text }) => text), PATIENT).toEqual(['after all'])
        await after.cut()
        expect((await team.delete(`/v2/event-subscriptions/${name}`)).status).toBe(200)
      },
    ),
    { numRuns: RUNS },
  )
})

test('a program that acknowledges nothing gets a bounded part, and the rest after it does', async () => {
  const team = await world.team()
  for (const name of ['slow', 'quick']) await subscribe(team, { name })
  const quick = follow(team, 'quick')
  const acking = (one: ReturnType<typeof follow>) =>
    setInterval(() => {
      for (const { botId } of bots)
        one.heard
          .filter((event) => event.botId === botId)
          .slice(-1)
          .map(one.ack)
    }, 50)
  const bots = await Promise.all(Array.from({ length: 30 }, () => runningBot(team)))
  for (const bot of bots) await bot.report(...Array.from({ length: 100 }, (_, place) => said(String(place + 1))))
  const follower = follow(team, 'slow')
  await expect.poll(() => follower.heard.length, PATIENT).toBeGreaterThanOrEqual(1_000)
  const quickly = acking(quick)
  await expect.poll(() => quick.heard.length, PATIENT).toBe(3_000)
  clearInterval(quickly)
  await quick.cut()
  expect(follower.heard.length).toBeLessThan(3_000)
  const slowly = acking(follower)
  await expect.poll(() => follower.heard.length, PATIENT).toBe(3_000)
  await expect.poll(() => waitingBots(team, 'slow'), PATIENT).toBe(0)
  clearInterval(slowly)
  for (const { botId } of bots)
    expect(textsOf(follower.heard, botId)).toEqual(Array.from({ length: 100 }, (_, place) => String(place + 1)))
  await follower.cut()
})

test('the newest connection follows, and one of a deleted subscription ends', async () => {
  const team = await world.team()
  await subscribe(team, { name: 'one' })
  const first = follow(team, 'one')
  await first.opened
  const second = follow(team, 'one')
  expect(await first.ended).toBe(4001)
  await team.delete('/v2/event-subscriptions/one')
  expect(await second.ended).toBe(1008)
})

test('messages that are no acknowledgement end the connection', async () => {
  const team = await world.team()
  await subscribe(team, { name: 'bad' })
  for (const text of [
    '',
    'ack',
    '[]',
    '{"type":"ack"}',
    '{"type":"ack","id":"1:2"}',
    '{"type":"ack","id":"x","and":1}',
  ]) {
    const follower = follow(team, 'bad')
    await follower.opened
    follower.send(text)
    expect(await follower.ended, text).toBe(1008)
  }
  const follower = follow(team, 'bad')
  await follower.opened
  follower.send('x'.repeat(5_000))
  expect(await follower.ended).toBe(1009)
})

test('an id of another subscription acknowledges nothing', async () => {
  const [team, other] = [await world.team(), await world.team()]
  for (const one of [team, other]) await subscribe(one, { name: 'mine' })
  const bot = await runningBot(team)
  await bot.report(said('one'))
  const stranger = follow(other, 'mine')
  await stranger.opened
  const mine = follow(team, 'mine')
  await expect.poll(() => mine.heard, PATIENT).toHaveLength(1)
  stranger.ack(mine.heard[0]!)
  await mine.cut()
  const again = follow(team, 'mine')
  await expect.poll(() => textsOf(again.heard, bot.botId), PATIENT).toEqual(['one'])
  expect(stranger.heard).toEqual([])
  for (const one of [again, stranger]) await one.cut()
})

test('refusals come before the connection is a WebSocket', async () => {
  const [team, other] = [await world.team(), await world.team()]
  await subscribe(team, { name: 'mine' })
  const refusalOf = async (path: string, key: string) => {
    const socket = new WebSocket(`${address}${path}`, { headers: { 'x-service-api-key': key } })
    const [, response] = await once(socket, 'unexpected-response')
    const chunks = await Array.fromAsync(response as AsyncIterable<Buffer>)
    return [response.statusCode, JSON.parse(String(Buffer.concat(chunks))).code]
  }
  const path = '/v2/event-subscriptions/mine/socket'
  expect(await refusalOf(path, other.key)).toEqual([404, 'FST_ERR_NOT_FOUND'])
  expect(await refusalOf(path, 'wrong')).toEqual([401, 'FST_ERR_UNAUTHORIZED'])
  expect(await refusalOf('/v2/event-subscriptions/Mine/socket', team.key)).toEqual([400, 'FST_ERR_VALIDATION'])
  expect(await refusalOf('/v2/elsewhere', team.key)).toEqual([404, 'FST_ERR_NOT_FOUND'])
  const plain = await team.get(path)
  expect([plain.status, plain.body.code]).toEqual([426, 'FST_ERR_UPGRADE_REQUIRED'])
})

/** The whole answer to a request, whose connection the service has to close. */
const raw = (...lines: string[]) =>
  new Promise<string>((resolve, reject) => {
    const { port } = world.app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (data) => {
      text += data
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
    socket.write(lines.join('\r\n'))
  })

test('a request that offers HTTP/2 is answered as usual, with its body', async () => {
  const team = await world.team()
  const body = JSON.stringify({ name: 'java' })
  const head = ['POST /v2/event-subscriptions HTTP/1.1', 'host: x', `x-service-api-key: ${team.key}`]
  const offer = ['connection: Upgrade, HTTP2-Settings, close', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__']
  const about = ['content-type: application/json', `content-length: ${body.length}`, '', body]
  expect(await raw(...head, ...offer, ...about)).toMatch(/^HTTP\/1.1 201 /)
})

test('a handshake that is none is refused, and its connection closed', async () => {
  const team = await world.team()
  await subscribe(team, { name: 'mine' })
  const head = [
    'GET /v2/event-subscriptions/mine/socket HTTP/1.1',
    'host: x',
    'connection: upgrade',
    'upgrade: websocket',
  ]
  expect(await raw(...head, `x-service-api-key: ${team.key}`, '', '')).toMatch(/^HTTP\/1.1 400 /)
  expect(await raw(...head, '', '')).toMatch(/^HTTP\/1.1 401 /)
  const follower = follow(team, 'mine')
  await follower.opened
  await follower.cut()
})

test('names are taken once, and a team has twenty', async () => {
  const team = await world.team()
  for (let count = 0; count < 20; count++) await subscribe(team, { name: `n${count}` })
  const again = await team.post('/v2/event-subscriptions', { name: 'n1' })
  expect([again.status, again.body.message]).toEqual([409, 'The team has a subscription n1 already'])
  const more = await team.post('/v2/event-subscriptions', { name: 'more' })
  expect([more.status, more.body.message]).toEqual([409, 'A team has at most 20 subscriptions; delete one first'])
  expect((await team.delete('/v2/event-subscriptions/none')).status).toBe(404)
})
