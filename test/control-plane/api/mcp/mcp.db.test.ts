/** Assistants over HTTP: the protocol's own client speaks with the listening service, for two teams. */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, test, vi } from 'vitest'
import { MEET, openWorld } from '../../world.ts'
import { said, startReporting } from '../reporting.ts'

const utterances = [{ speaker: 'Ada', start: 5, text: 'The budget is fixed' }]
const reads = { all: 0, open: 0, most: 0 }
const world = await openWorld({
  api: {
    links: {
      ...{ publicUrl: 'https://standin.test/bots', sign: async () => null, linkTo: async () => null },
      ...{ olderTranscript: async () => [], screenshotsOf: async () => [] },
      linksOf: async () => ({
        ...{ video: null, audio: null, diarization: null, raw_transcription: null, chat_messages: null },
        transcription: 'https://standin.test/bots/files/words?signature=s',
      }),
    },
    files: async ({ key, query }) => {
      reads.all += 1
      reads.most = Math.max(reads.most, ++reads.open)
      await sleep(20)
      reads.open -= 1
      const isSigned = key === 'words' && query.signature === 's'
      const text = JSON.stringify({ result: { utterances } })
      return { status: isSigned ? 200 : 403, headers: {}, stream: Readable.from([text]) }
    },
  },
})
const url = new URL(`${await world.app.listen({ host: '127.0.0.1', port: 0 })}/mcp`)

async function assistant(headers: Record<string, string>) {
  const client = new Client({ name: 'assistant', version: '1' })
  // biome-ignore lint/suspicious/noExplicitAny: the transport's own type leaves out undefined
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as any)
  world.closes(() => client.close())
  return {
    client,
    async call(name: string, args: Record<string, unknown>) {
      const { content } = await client.callTool({ name, arguments: args })
      return (content as { text: string }[])[0]!.text
    },
  }
}

const [team, others] = [await world.team(), await world.team()]
const ours = await assistant({ 'x-service-api-key': team.key })
const theirs = await assistant({ authorization: `Bearer ${others.key}` })
const sent = await ours.call('send_bot', { meeting_url: MEET, bot_name: 'Scribe' })
const bot_id = /[0-9a-f-]{36}/.exec(sent)![0]

const IN_CALL = { phase: 'running', status: 'in_call_recording' } as const
const NOT_FOUND = /not found/i
test.each<[name: string, args: object, ours: RegExp, theirs: RegExp]>([
  ['get_bot', { bot_id }, /\(Scribe\)/, NOT_FOUND],
  ['list_bots', {}, /Scribe/, /^There are no such bots\.$/],
  ['follow_bot', { bot_id, wait_seconds: 0 }, /cursor: /, NOT_FOUND],
  ['read_transcript', { bot_id }, /0:05 Ada: The budget is fixed/, NOT_FOUND],
  ['read_chat', { bot_id }, /Nothing was written/, NOT_FOUND],
  ['explain_bot', { bot_id }, /The bot was queued/, NOT_FOUND],
  ['send_chat', { bot_id, message: 'hi' }, /Status of bot/, NOT_FOUND],
  ['say', { bot_id, text: 'hi' }, /Status of bot/, NOT_FOUND],
  ['leave_meeting', { bot_id }, /was asked to leave/, NOT_FOUND],
])('%s acts for the team of the key', async (name, args, here, there) => {
  expect(await theirs.call(name, { ...args })).toMatch(there)
  expect(await ours.call(name, { ...args })).toMatch(here)
})

test('resources are the texts of the tools, and of the own team', async () => {
  for (const [name, text] of Object.entries({ transcript: 'The budget is fixed', people: 'participants: ' })) {
    const uri = `standin://bots/${bot_id}/${name}`
    const { contents } = await ours.client.readResource({ uri })
    expect(contents).toMatchObject([{ uri, text: expect.stringContaining(text) }])
    await expect(theirs.client.readResource({ uri })).rejects.toThrow(NOT_FOUND)
  }
})

test('a call waits for news', async () => {
  const id = await world.bot(team, { allow_multiple_bots: true })
  const waiting = ours.call('follow_bot', { bot_id: id, wait_seconds: 50 })
  await (await startReporting(world.database, id)).report(said('Good morning'))
  expect(await waiting).toContain('Ada said: Good morning')
})

test('transcripts are searched two at a time, as long as the caller is there', async () => {
  for (let left = 12; left > 0; left -= 1) await world.addBot(team.teamId)
  expect(await theirs.call('search_transcripts', { query: 'budget' })).toBe('There is nothing yet.')
  const search = { query: 'budget' }
  const found = await Promise.all([1, 2].map(() => ours.call('search_transcripts', search)))
  expect(found.join()).toContain('The budget is fixed')
  expect(reads.most).toBe(2)
  const [before, gone, ofOne] = [reads.all, new AbortController(), reads.all / 2]
  const searching = post(calling('search_transcripts', search), {}, gone.signal)
  await expect.poll(() => reads.all, { interval: 1 }).toBeGreaterThan(before)
  gone.abort()
  await expect(searching).rejects.toThrow()
  // The next search waits for the turns of the one before.
  await ours.call('search_transcripts', search)
  expect(reads.all - before).toBeLessThan(2 * ofOne)
})

test('a key that may only create bots does that alone', async () => {
  const { key } = await world.team({}, 'sending')
  const { call } = await assistant({ 'x-service-api-key': key })
  expect(await call('send_bot', { meeting_url: MEET })).toContain('on its way')
  expect(await call('list_bots', {})).toContain('may only create bots')
})

const message = (method: string, params = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const USUAL = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
function post(given: unknown, headers: Record<string, string> = {}, signal: AbortSignal | null = null) {
  const body = typeof given === 'string' ? given : JSON.stringify(given)
  return fetch(url, { method: 'POST', headers: { 'x-service-api-key': team.key, ...USUAL, ...headers }, body, signal })
}
const calling = (name: string, args: object) => message('tools/call', { name, arguments: args })
const ping = message('ping')
const { cookie } = await world.person('owner', team)

test.each<[what: string, answer: () => Promise<Response>, status: number, code: number]>([
  ['no key', () => post(ping, { 'x-service-api-key': '' }), 401, -32600],
  ['a session of the dashboard', () => post(ping, { 'x-service-api-key': '', cookie: `${cookie}` }), 401, -32600],
  ['a key of no team', () => post(ping, { 'x-service-api-key': 'wrong' }), 401, -32600],
  ['a page of another site', () => post(ping, { origin: 'https://evil.example' }), 403, -32000],
  ['a giant body', () => post(message('ping', { text: 'x'.repeat(70_000) })), 413, -32600],
  ['many messages', () => post(Array(11).fill(ping)), 400, -32600],
  ['no JSON', () => post('{'), 400, -32700],
  ['no message', () => post({ id: 1 }), 400, -32700],
  ['a client that takes no JSON', () => post(ping, { accept: 'text/html' }), 406, -32000],
  ['GET, without a session', () => fetch(url, { headers: { accept: 'text/event-stream' } }), 405, -32600],
  ['DELETE, without a session', () => fetch(url, { method: 'DELETE' }), 405, -32600],
])('%s is refused in the form of the protocol', async (_what, answer, status, code) => {
  const response = await answer()
  expect(response.status).toBe(status)
  const error = { code, message: expect.any(String) }
  expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error })
})

test('a key has twenty calls at once, and those whose caller is gone are over', async () => {
  const id = await world.addBot(team.teamId, IN_CALL)
  const wait = calling('follow_bot', { bot_id: id, wait_seconds: 50 })
  const gone = new AbortController()
  const waiting = Array.from({ length: 20 }, () => post(wait, {}, gone.signal).catch(() => null))
  await expect.poll(async () => (await post(ping)).status).toBe(429)
  gone.abort()
  await Promise.all(waiting)
  await expect.poll(async () => (await post(ping)).status).toBe(200)
})

test('a call that waits is answered when the service closes', async () => {
  const id = await world.addBot(team.teamId, IN_CALL)
  const asked = vi.spyOn(world.app, 'inject')
  const waiting = ours.call('follow_bot', { bot_id: id, wait_seconds: 50 })
  // It has looked and looks again.
  await expect.poll(() => asked.mock.calls.length).toBeGreaterThan(3)
  await world.app.close()
  expect(await waiting).toContain('The service is closing')
})
