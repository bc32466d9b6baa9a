/** The client follows a bot or a team over connections that break. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { NumberedEvent } from '@standin/wire/events.ts'
import { expect, onTestFinished, test } from 'vitest'
import { createStandinClient, followEvents, followTeam } from '../../../packages/client/index.ts'
import { freshMeet, startReporting } from '../../control-plane/api/reporting.ts'
import { openWorld } from '../../control-plane/world.ts'

const world = await openWorld({ api: {} })
const team = await world.team()
await world.app.listen({ host: '127.0.0.1', port: 0 })

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
  await world.set(botId, { phase: 'closed' })
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
  await world.set(botId, { phase: 'closed' })
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

test('every event of a team comes once although connections break', async () => {
  const { client, cut } = await openRelay()
  const botId = await world.bot(team, { meeting_url: freshMeet() })
  const { report } = await startReporting(world.database, botId)
  const stop = new AbortController()
  const heard: string[] = []
  const following = (async () => {
    for await (const { bot_id, data } of followTeam(client, { cursor: '0', types: ['notice'], signal: stop.signal }))
      if (bot_id === botId) heard.push(String(data.message))
  })()
  const wanted = Array.from({ length: 9 }, (_, place) => String(place + 1))
  for (const text of wanted) {
    if (Number(text) % 3 === 1) cut()
    await report(said(text))
    if (Number(text) % 3 === 0) await expect.poll(() => heard.at(-1), { timeout: 30_000 }).toBe(text)
  }
  expect(heard).toEqual(wanted)
  stop.abort()
  await following
})

test('a follower of a team that was cut off before its first event continues at the place where it was', async () => {
  const asked: (string | null)[] = []
  const { v2 } = createStandinClient({
    baseUrl: 'http://127.0.0.1',
    fetch: async (request) => {
      asked.push(new URL((request as Request).url).searchParams.get('cursor'))
      if (asked.length === 2) return Response.json({ message: 'The key is revoked' }, { status: 401 })
      return new Response('event: place\nid: 7\ndata: {}\n\n', { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  await expect(followTeam(v2).next()).rejects.toMatchObject({ status: 401 })
  expect(asked).toEqual([null, '7'])
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
