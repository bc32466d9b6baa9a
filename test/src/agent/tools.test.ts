/** What a model may do with the bot, whatever it writes into its calls. */
import type { AgentTool } from '@standin/wire/agent.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import type { AgentMeeting } from '../../../packages/core/ports.ts'
import { callTool, describeTools } from '../../../src/agent/tools.ts'
import { startService } from '../transcription/service.ts'

const SECRET = `whsec_${Buffer.from('a secret of the caller').toString('base64')}`
const OWN: AgentTool[] = [{ type: 'send_chat' }, { type: 'leave' }, { type: 'show_page' }]

async function call(name: string, argumentsText: string, { tools = OWN, isPermitted = true, shows = true } = {}) {
  const done: string[] = []
  const meeting: AgentMeeting & { leaveWhenSilent(): void } = {
    ...{ nameOf: () => '', instantOf: () => 0, leave: () => void done.push('leave at once') },
    sendChat: async (text) => {
      if (text === 'off') throw new Error('The chat is off.')
      done.push(`chat ${text}`)
    },
    leaveWhenSilent: () => void done.push('leave'),
    ...(shows && { showPage: async (url: string) => void done.push(`page ${url}`) }),
  }
  const parts = { tools, botId: 'bot', secret: SECRET, isPermitted, clock: systemClock }
  return { result: await callTool({ id: 'call', name, argumentsText }, parts, meeting), done }
}

test.each<[name: string, given: string, result: RegExp, done: string[]]>([
  ['send_chat', '{"message":"Hi"}', /written/, ['chat Hi']],
  ['send_chat', '{"message":"off"}', /The chat is off/, []],
  ['send_chat', `{"message":"${'x'.repeat(501)}"}`, /message/, []],
  ['send_chat', '{"message":"a\\u0000b"}', /message/, []],
  ['send_chat', '{"message":["Hi"]}', /message/, []],
  ['send_chat', '{"message":"Hi","to":"all"}', /unknown field/, []],
  ['send_chat', '{"__proto__":{"message":"Hi"}}', /failed/, []],
  ['send_chat', '', /is missing/, []],
  ['send_chat', '{', /failed/, []],
  ['send_chat', `{"message":"${'x'.repeat(9000)}"}`, /more than 8000/, []],
  ['leave', '{}', /leaves/, ['leave']],
  ['leave', 'null', /failed/, []],
  ['show_page', '{"url":"https://example.com/"}', /shown/, ['page https://example.com/']],
  ['show_page', '{"url":"file:///etc/passwd"}', /https/, []],
  ['show_page', '{"url":"javascript:alert(1)"}', /https/, []],
  ['constructor', '{}', /no such tool/, []],
])('%s %.60s', async (name, given, result, done) => {
  expect(await call(name, given)).toEqual({ result: expect.stringMatching(result), done })
})

test('a bot that can show no page does not offer it', async () => {
  expect(describeTools(OWN, {}).map(({ name }) => name)).toEqual(['send_chat', 'leave'])
  expect(await call('show_page', '{"url":"https://example.com/"}', { shows: false })).toMatchObject({
    result: 'There is no such tool.',
  })
  const [chat] = describeTools(OWN, {})
  expect(chat!.parameters).toMatchObject({ type: 'object', required: ['message'], additionalProperties: false })
})

const webhook = (url: string): AgentTool[] => [
  { type: 'webhook', name: 'find', description: 'Finds.', parameters: { type: 'object' }, url },
]

test('a webhook gets the call with its signature, and its answer is the result', async () => {
  const calls: unknown[] = []
  const port = await startService({
    answer(request, body) {
      calls.push(new Webhook(SECRET).verify(String(body), request.headers as Record<string, string>))
      return { body: { found: 7 } }
    },
  })
  const tools = webhook(`http://127.0.0.1:${port}/find`)
  expect(await call('find', '{"words":"order 17"}', { tools })).toMatchObject({ result: '{"found":7}' })
  expect(calls).toEqual([
    {
      event: 'agent.tool_call',
      data: { bot_id: 'bot', call_id: 'call', name: 'find', arguments: { words: 'order 17' } },
    },
  ])
})

test.each<[what: string, answer: object, result: RegExp]>([
  ['is too long', { body: 'x'.repeat(8001) }, /more than 8000 bytes/],
  ['leads elsewhere', { status: 302, headers: { location: 'https://example.com' }, body: '' }, /status 302/],
  ['refuses', { status: 500, body: 'no' }, /status 500/],
])('an answer that %s is a failure', async (_, answer, result) => {
  const port = await startService({ answer: () => answer as { body: string } })
  expect((await call('find', '{}', { tools: webhook(`http://127.0.0.1:${port}/`) })).result).toMatch(result)
})

test.each([
  ['https://127.0.0.1/', '{}', /not a public address/],
  ['http://example.com/', '{}', /only https/],
  ['https://localhost/', '{}', /not a public address/],
  ['https://example.com/', '[1]', /failed/],
  ['https://example.com/', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, /nested deeper/],
])('%s with %.20s is not asked', async (url, given, result) => {
  expect((await call('find', given, { tools: webhook(url), isPermitted: false })).result).toMatch(result)
})
