/** The client against the real API, with a real database. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { answerOf, createStandinClient, StandinApiError } from '../../../packages/client/index.ts'
import { MEET, openWorld } from '../../control-plane/world.ts'
import { REDIRECTS } from './redirects.ts'

const world = await openWorld({ api: {} })
const baseUrl = await world.app.listen({ host: '127.0.0.1', port: 0 })
const key = (await world.team()).key

test('a bot is created and read in both generations, with a slash too many in the address', async () => {
  const { v2, older } = createStandinClient({ baseUrl: `${baseUrl}/`, apiKey: key })
  const { data } = await answerOf(v2.POST('/v2/bots', { body: { bot_name: 'Notes', meeting_url: MEET } }))
  const bot = await answerOf(v2.GET('/v2/bots/{bot_id}', { params: { path: { bot_id: data.bot_id } } }))
  expect(bot.data).toMatchObject({ bot_id: data.bot_id, bot_name: 'Notes', status: 'queued' })
  const list = await answerOf(older.GET('/bots/bots_with_metadata'))
  expect(list.bots).toBeInstanceOf(Array)
})

test('a refusal has status, code and sentence', async () => {
  const { v2 } = createStandinClient({ baseUrl, apiKey: key })
  const unknown = answerOf(v2.GET('/v2/bots/{bot_id}', { params: { path: { bot_id: randomUUID() } } }))
  await expect(unknown).rejects.toMatchObject({
    name: 'StandinApiError',
    status: 404,
    code: 'FST_ERR_BOT_NOT_FOUND_BY_ID',
  })
  const refused = answerOf(createStandinClient({ baseUrl, apiKey: 'none' }).v2.GET('/v2/bots'))
  await expect(refused).rejects.toMatchObject({ status: 401 })
})

test('an unreachable service is reported, without the key', async () => {
  const { v2 } = createStandinClient({ baseUrl: 'http://127.0.0.1:1', apiKey: key })
  const error = await answerOf(v2.GET('/v2/bots')).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StandinApiError)
  expect(error).toMatchObject({ status: 0, message: expect.stringMatching(/could not be reached/) })
  expect(String(error)).not.toContain(key)
})

test.each(REDIRECTS)('a redirect with %i is refused, and the other host gets no request', async (status) => {
  const seen: string[] = []
  const elsewhere = await serverOf((request) => void seen.push(request.url!))
  const service = await serverOf((_, response) => response.writeHead(status, { location: elsewhere }))
  const { v2 } = createStandinClient({ baseUrl: service, apiKey: key })
  const body = { bot_name: 'Notes', meeting_url: MEET }
  for (const asked of [answerOf(v2.GET('/v2/bots')), answerOf(v2.POST('/v2/bots', { body }))])
    await expect(asked).rejects.toMatchObject({ status, message: expect.stringMatching(/not followed/) })
  expect(seen).toEqual([])
})

async function serverOf(answer: RequestListener): Promise<string> {
  const server = createServer((...both) => {
    answer(...both)
    both[1].end()
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
