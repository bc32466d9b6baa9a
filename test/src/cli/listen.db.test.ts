/** `standin bots listen` and `trigger`: what a receiver on this machine gets from a service that cannot reach it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutput } from '@standin/wire/process/command-output.ts'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { listen } from '../../../src/cli/bots/listen.ts'
import { openService } from '../../../src/cli/bots/service.ts'
import { run } from '../../../src/cli/run.ts'
import { MEET, openWorld } from '../../control-plane/world.ts'
import { inProcess } from '../../fakes/in-process.ts'

const world = await openWorld({ api: {} })
const url = await world.app.listen({ host: '127.0.0.1', port: 0 })
const team = await world.team()
const environment = { STANDIN_URL: url, STANDIN_API_KEY: team.key }

let status = 204
const received: { headers: Record<string, string>; text: string }[] = []
const server = createServer(async (request, answer) => {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  received.push({ headers: request.headers as Record<string, string>, text })
  answer.writeHead(status).end()
}).listen(0, '127.0.0.1')
await new Promise((done) => server.once('listening', done))
world.closes(() => server.close())
const forwardTo = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
const standin = (...words: string[]) => inProcess(run, ['bots', ...words], environment)
const secret = (await standin('listen', '--print-secret')).out.trim()
/** What the receiver got since the last look, each with a good signature. */
const taken = () => received.splice(0).map(({ headers, text }) => new Webhook(secret).verify(text, headers))

test('webhooks that no endpoint wants come in order and once, and old ones not', async () => {
  const old = await world.bot(team)
  const stop = new AbortController()
  const lines: string[] = []
  const output = createOutput({ write: (text: string) => lines.push(text) } as never, false)
  const client = openService({}, environment, stop.signal)
  const listening = listen(
    client,
    { forwardTo, apiKey: team.key, signal: stop.signal, events: ['bot.status_change'] },
    output,
    (sentence) => lines.push(sentence),
  )
  await expect.poll(() => lines.join('')).toContain(secret)
  const others = await world.team()
  await world.bot(others)
  const sent: string[] = []
  // All of them are of one moment.
  for (let count = 0; count < 3; count += 1)
    sent.push((await team.post('/v2/bots', { meeting_url: MEET, bot_name: 'Bot' })).body.data.bot_id)
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(3)
  expect(received[0]!.headers['x-service-api-key']).toBe(team.key)
  const found = taken() as { event: string; data: { bot_id: string } }[]
  expect(found.map(({ data }) => data.bot_id)).toEqual(sent)
  expect(sent).not.toContain(old)
  const last = await team.post('/v2/bots', { meeting_url: MEET, bot_name: 'Last' })
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1)
  expect(taken()).toMatchObject([{ data: { bot_id: last.body.data.bot_id, status: { code: 'queued' } } }])
  await expect.poll(() => lines.at(-1)).toMatch(/^[\d:]{8} bot\.status_change queued \S+ → 204\n$/)
  stop.abort()
  await listening
})

test('samples are signed too, and what the receiver answers is printed', async () => {
  expect((await standin('trigger', 'bot.completed', '--forward-to', forwardTo)).exitCode).toBe(0)
  expect(taken()).toMatchObject([{ event: 'bot.completed', data: { duration_seconds: 60 } }])
  status = 401
  const refused = await standin('trigger', 'account.signed_out', '--forward-to', forwardTo)
  expect(refused).toMatchObject({ exitCode: 1, out: expect.stringContaining('→ 401') })
  const gone = await standin('trigger', 'bot.failed', '--forward-to', 'http://127.0.0.1:9/')
  expect(gone).toMatchObject({ exitCode: 1, out: expect.stringMatching(/→ not reached: bad port\n$/) })
  const unknown = await standin('trigger', 'bot.done', '--forward-to', forwardTo)
  expect(unknown).toMatchObject({ exitCode: 2, errors: expect.stringContaining('there are account.signed_out, bot.') })
})

test('the list has cursors of its own, and other cursors are refused', async () => {
  const page = async (query: string) => team.get(`/v2/webhooks?${query}`)
  const first = await page('limit=1')
  const second = await page(`limit=1&cursor=${encodeURIComponent(first.body.cursor)}`)
  expect(second.body.data[0].webhook_id).not.toBe(first.body.data[0].webhook_id)
  expect((await team.get(`/v2/bots?cursor=${encodeURIComponent(first.body.cursor)}`)).status).toBe(400)
  expect((await page('event=bot.transcript')).status).toBe(400)
})
