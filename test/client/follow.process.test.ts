/** The client follows a bot over connections that break, and ends with the bot. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { NumberedEvent } from '@standin/wire/events.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createStandinClient, followEvents, followSubscription } from '../../client/index.ts'
import { routeUpgrade } from '../../control-plane/api/http/web-socket.ts'
import { freshMeet, startReporting } from '../control-plane/api/reporting.ts'
import { openApiWorld } from '../control-plane/api/world.ts'

let world: Awaited<ReturnType<typeof openApiWorld>>
let team: Awaited<ReturnType<typeof world.team>>
beforeAll(async () => {
  world = await openApiWorld()
  team = await world.team()
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  world.app.server.on('upgrade', (...upgrade) => routeUpgrade(world.app, ...upgrade))
})
afterAll(() => world.close())

const said = (text: string): NumberedEvent['event'] => ({ type: 'notice', level: 'info', message: text })

/** A way to the service whose connections can be cut. */
async function openRelay() {
  const sockets = new Set<Socket>()
  const { port } = world.app.server.address() as AddressInfo
  const relay: Server = createServer()
  relay.removeAllListeners('connection')
  relay.on('connection', (socket: Socket) => {
    const inner = connect(port, '127.0.0.1')
    for (const one of [socket, inner]) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => [socket, inner].map((each) => each.destroy()))
    }
    socket.pipe(inner).pipe(socket)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void relay.close())
  const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  return {
    url,
    client: createStandinClient({ baseUrl: url, apiKey: team.key }).v2,
    cut() {
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
  }
}

test('every event comes once and in order although connections break, until the bot has ended', async () => {
  const { client, cut } = await openRelay()
  const botId = await world.bot(team, { meeting_url: freshMeet() })
  const { report } = await startReporting(world.database, botId)
  const heard: string[] = []
  const troubles: Error[] = []
  const following = (async () => {
    for await (const { data } of followEvents(client, botId, {
      types: ['notice', 'status_change'],
      onTrouble: (error) => void troubles.push(error),
    }))
      if (data.message !== undefined) heard.push(String(data.message))
  })()
  for (let round = 1; round <= 3; round++) {
    await report(said(`before ${round}`))
    await expect.poll(() => heard, { timeout: 30_000 }).toContain(`before ${round}`)
    cut()
    await report(said(`while away ${round}`))
  }
  await report({ type: 'status_change', status: 'completed', end_code: 'API_REQUEST' })
  await world.database.updateTable('bots').set({ phase: 'closed' }).where('id', '=', botId).execute()
  await following
  expect(heard).toEqual([1, 2, 3].flatMap((round) => [`before ${round}`, `while away ${round}`]))
  expect(troubles.length).toBeGreaterThanOrEqual(1)
})

test('the example of the documentation prints words, chat and status, and ends with the bot', async () => {
  const { cut, url } = await openRelay()
  const botId = await world.bot(team, { meeting_url: freshMeet() })
  const { report } = await startReporting(world.database, botId)
  const speaker = { id: 1, name: 'Ada', platform_id: 'p-1' }
  const words = { type: 'transcript', speaker, start: 1, end: 2, language: 'en' } as const
  const example = spawn(process.execPath, ['docs/examples/live-transcript.mjs', botId], {
    env: { STANDIN_URL: url, STANDIN_API_KEY: team.key },
  })
  let printed = ''
  example.stdout.on('data', (chunk) => {
    printed += chunk
  })
  const ended = once(example, 'exit')
  await report({ ...words, text: 'Good morning', is_final: true })
  await expect.poll(() => printed, { timeout: 30_000 }).toContain('Ada: Good morning')
  cut()
  await report({ type: 'status_change', status: 'completed', end_code: 'API_REQUEST' })
  await world.database.updateTable('bots').set({ phase: 'closed' }).where('id', '=', botId).execute()
  expect(await ended).toEqual([0, null])
  expect(printed).toBe('Ada: Good morning\n[completed]\n')
})

test('a refusal is thrown, and an aborted follower ends', async () => {
  const { client } = await openRelay()
  const unknown = followEvents(client, '8e6a2c1e-0000-4000-8000-000000000000')
  await expect(unknown.next()).rejects.toMatchObject({ status: 404 })
  const botId = await world.bot(team, { meeting_url: freshMeet() })
  const stop = new AbortController()
  const quiet = followEvents(client, botId, { signal: stop.signal })
  const next = quiet.next()
  stop.abort()
  expect(await next).toEqual({ value: undefined, done: true })
})

test('a service that is away after a connection without events is tried again', async () => {
  const stream = (text: string) => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  const answers = [
    stream(': still here\n\n'),
    Response.json({ message: 'The service is busy' }, { status: 503 }),
    stream('event: end\ndata: {}\n\n'),
  ]
  const { v2 } = createStandinClient({ baseUrl: 'http://127.0.0.1', fetch: async () => answers.shift()! })
  const troubles: string[] = []
  const following = followEvents(v2, 'any', { onTrouble: ({ message }) => void troubles.push(message) })
  expect(await following.next()).toEqual({ value: undefined, done: true })
  expect(troubles).toEqual(['The service is busy'])
})

test('a subscription gives every event although connections break, and what was processed comes no more', async () => {
  const { url, client, cut } = await openRelay()
  await client.POST('/v2/event-subscriptions', { body: { name: 'all', types: ['notice'] } })
  const botId = await world.bot(team, { meeting_url: freshMeet() })
  const { report } = await startReporting(world.database, botId)
  const stop = new AbortController()
  const heard: string[] = []
  const following = (async () => {
    for await (const { bot_id, data } of followSubscription({
      ...{ baseUrl: url, apiKey: team.key, name: 'all', signal: stop.signal },
    })) {
      expect(bot_id).toBe(botId)
      heard.push(String(data.message))
    }
  })()
  const wanted = Array.from({ length: 60 }, (_, place) => String(place + 1))
  for (const text of wanted) {
    await report(said(text))
    if (Number(text) % 20 === 0) {
      await expect.poll(() => heard.at(-1), { timeout: 30_000 }).toBe(text)
      cut()
    }
  }
  const waiting = async () => (await client.GET('/v2/event-subscriptions')).data?.data[0]?.waiting_bots
  await expect.poll(() => [...new Set(heard)], { timeout: 30_000 }).toEqual(wanted)
  // The last one is acknowledged when the next one is asked for.
  await expect.poll(waiting, { timeout: 30_000 }).toBe(0)
  stop.abort()
  await following
})

test('a service that asks for a new connection is no trouble', async () => {
  const { url, client } = await openRelay()
  await client.POST('/v2/event-subscriptions', { body: { name: 'restarted' } })
  const stop = new AbortController()
  const troubles: Error[] = []
  let connections = 0
  class Restarted extends WebSocket {
    constructor(address: string, options: { headers: Record<string, string> }) {
      super(address, options as never)
      connections++
      if (connections <= 2)
        this.addEventListener('open', () => this.dispatchEvent(new CloseEvent('close', { code: 1012 })))
    }
  }
  const following = followSubscription({
    ...{ baseUrl: url, apiKey: team.key, name: 'restarted', signal: stop.signal, webSocket: Restarted },
    onTrouble: (error) => void troubles.push(error),
  }).next()
  await expect.poll(() => connections, { timeout: 30_000 }).toBe(3)
  stop.abort()
  await following
  expect(troubles).toEqual([])
})

test('a subscription that cannot be followed says why', async () => {
  const { url, client } = await openRelay()
  await client.POST('/v2/event-subscriptions', { body: { name: 'taken' } })
  const first = (apiKey: string, name: string) =>
    followSubscription({ baseUrl: url, apiKey, name, signal: AbortSignal.timeout(60_000) }).next()
  await expect(first(team.key, 'none')).rejects.toThrow('There is no such subscription; create it with POST')
  await expect(first('wrong', 'taken')).rejects.toThrow('API key')
  const earlier = first(team.key, 'taken')
  earlier.catch(() => {})
  await expect
    .poll(
      async () =>
        (await client.GET('/v2/event-subscriptions')).data?.data.find(({ name }) => name === 'taken')?.followed_at,
    )
    .not.toBeNull()
  const later = new AbortController()
  const second = followSubscription({ baseUrl: url, apiKey: team.key, name: 'taken', signal: later.signal }).next()
  await expect(earlier).rejects.toThrow('another connection follows this subscription')
  later.abort()
  await second
})
test('a follower that is aborted ends, also long after its request was sent', async () => {
  const { client } = await openRelay()
  const botId = await world.bot(team, { meeting_url: freshMeet() })
  const { report } = await startReporting(world.database, botId)
  await report(said('one'))
  const stop = new AbortController()
  const first = Promise.withResolvers<void>()
  const following = (async () => {
    for await (const _ of followEvents(client, botId, { signal: stop.signal })) first.resolve()
  })()
  await first.promise
  // The request is garbage now, and its signal with it.
  setFlagsFromString('--expose-gc')
  for (let round = 0; round < 5; round++) {
    runInNewContext('gc')()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  stop.abort()
  await following
})
