/** Lines as assistants write them, and the lines that come back. */
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { LineTransport } from '../../../packages/mcp/line-transport.ts'
import type { Meetings } from '../../../packages/mcp/meetings.ts'
import { createMcpServer } from '../../../packages/mcp/server.ts'

const asked: string[] = []
const meetings: Partial<Meetings> = {
  list: async ({ status }) => {
    asked.push(String(status))
    return { bots: [], cursor: null }
  },
}

async function open() {
  const [input, output] = [new PassThrough(), new PassThrough()]
  await createMcpServer(meetings as Meetings, { version: '1' }).connect(new LineTransport(input, output))
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  return async (given: unknown) => {
    input.write(`${typeof given === 'string' ? given : JSON.stringify(given)}\n`)
    return JSON.parse((await lines.next()).value!)
  }
}
const request = (id: number, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params })
const listBots = (id: number, args?: unknown) => request(id, 'tools/call', { name: 'list_bots', arguments: args })
const found = (id: number) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: 'There are no such bots.' }] },
})
const refused = { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } }

test.each<[what: string, line: unknown, answer: unknown]>([
  ['arguments that are null', listBots(1, null), found(1)],
  ['arguments of PHP, which has one type for lists and objects', listBots(1, []), found(1)],
  ['no arguments', listBots(1), found(1)],
  ['a batch', [listBots(1, {}), listBots(2, null)], [found(1), found(2)]],
  [
    'a batch with a notification',
    [{ jsonrpc: '2.0', method: 'notifications/initialized' }, listBots(2, {})],
    [found(2)],
  ],
  ['a batch with something else', [5, listBots(2, {})], [refused, found(2)]],
  ['a batch of nothing else', [5], [refused]],
  ['an empty batch', [], refused],
  ['no message', { id: 1 }, refused],
  ['no JSON', '{', { ...refused, error: { code: -32700, message: expect.any(String) } }],
])('%s', async (_what, line, answer) => {
  const ask = await open()
  expect(await ask(line)).toEqual(answer)
  expect(await ask(listBots(9, {}))).toEqual(found(9))
})

test('the tools are described in the dialect of the protocol', async () => {
  const { result } = await (await open())(request(1, 'tools/list'))
  expect(result.tools.length).toBeGreaterThan(5)
  for (const { inputSchema } of result.tools)
    expect(inputSchema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' })
})

test.each(['query', 'words'])('a search takes its words as %s', async (name) => {
  const ask = await open()
  const search = (args: object) => ask(request(1, 'tools/call', { name: 'search_transcripts', arguments: args }))
  asked.length = 0
  expect((await search({ [name]: 'budget' })).result.isError).toBeUndefined()
  expect(asked).toEqual(['completed'])
  expect((await search({ [name]: ' ' })).result).toMatchObject({ isError: true })
})
