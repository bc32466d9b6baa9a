/** The examples around agents that are programs: a tool that answers from a document, and a live interpreter. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

const EXAMPLES = join(import.meta.dirname, '../../docs/examples')
const WEBHOOK_SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const HANDBOOK = `# Handbook

Holidays: everybody has thirty days, and five may be kept for the next year.

The office opens at eight. The key is with the porter.

A laptop that is broken goes to Room 12; the porter has another one.`

async function startTool(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'standin-tool-'))
  writeFileSync(join(folder, 'handbook.md'), HANDBOOK)
  const args = [join(EXAMPLES, 'document-tool.mjs'), join(folder, 'handbook.md'), '0']
  const tool: ChildProcess = spawn(process.execPath, args, {
    env: { WEBHOOK_SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    tool.kill()
    rmSync(folder, { recursive: true })
  })
  const [line] = await once(tool.stdout!, 'data')
  return /http:\S+/.exec(String(line))![0]
}

test('an agent is answered from the document, and nobody else', async () => {
  const url = await startTool()
  const ask = async (question: unknown, secret = WEBHOOK_SECRET) => {
    const body = JSON.stringify({ event: 'agent.tool_call', data: { name: 'search', arguments: { question } } })
    const at = new Date()
    const signature = new Webhook(secret).sign('msg_1', at, body)
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature,
    }
    const answer = await fetch(url, { method: 'POST', body, headers })
    return `${answer.status} ${await answer.text()}`
  }
  expect(await ask('How many days of holidays can I keep?')).toMatch(/^200 Holidays: everybody/)
  expect(await ask('Where does a broken laptop go?')).toMatch(/^200 A laptop that is broken goes to Room 12;/)
  for (const odd of ['zebra', '', null, { a: 1 }]) expect(await ask(odd)).toBe('200 The document does not have it.')
  expect(await ask('holidays', 'whsec_b3RoZXI=')).toBe('401 ')
})

const { startInterpreter } = (await import(join(EXAMPLES, 'interpreter.mjs'))) as {
  startInterpreter(options: object): Promise<{ url: string; close(): Promise<void> }>
}
type Sent = { type: string; audio?: string; session?: object }

test('the interpreter passes sound and silence on, and plays and prints the translation', async () => {
  const service = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(service, 'listening')
  const got: Sent[] = []
  const key = Promise.withResolvers<unknown>()
  const translated = Buffer.from('translated')
  service.on('connection', (socket, request) => {
    key.resolve(request.headers.authorization)
    socket.on('message', (data) => {
      got.push(JSON.parse(String(data)))
      if (got.length !== 2) return
      socket.send(JSON.stringify({ type: 'session.output_audio.delta', delta: translated.toString('base64') }))
      for (const delta of ['Guten ', 'Morgen. Und', ' los'])
        socket.send(JSON.stringify({ type: 'session.output_transcript.delta', delta }))
    })
  })
  const printed: string[] = []
  const { port } = service.address() as AddressInfo
  const interpreter = await startInterpreter({
    ...{ key: 'secret', language: 'de', service: `ws://127.0.0.1:${port}` },
    print: (line: string) => printed.push(line),
  })
  const bot = new WebSocket(interpreter.url)
  onTestFinished(async () => {
    bot.terminate()
    for (const client of service.clients) client.terminate()
    service.close()
    await interpreter.close()
  })
  await once(bot, 'open')
  bot.send(JSON.stringify({ protocol_version: 1, bot_id: 'b', offset: 0, sample_rate: 24_000 }))
  expect(await key.promise).toBe('Bearer secret')
  await expect.poll(() => got[0]?.type).toBe('session.update')
  const played = once(bot, 'message')
  bot.send(Buffer.alloc(6_000, 1))
  bot.send(Buffer.alloc(6_000, 1))
  expect((await played)[0]).toEqual(translated)
  await expect.poll(() => got.length, { timeout: 10_000 }).toBeGreaterThan(3)
  const pieces = got.slice(1).map(({ audio = '' }) => Buffer.from(audio, 'base64'))
  expect(pieces.map(({ length }) => length)).toEqual(pieces.map(() => 9_600))
  expect([pieces.some((piece) => piece[0] === 1), pieces.at(-1)!.every((byte) => byte === 0)]).toEqual([true, true])
  expect(got[0]).toEqual({ type: 'session.update', session: { audio: { output: { language: 'de' } } } })
  bot.close()
  await expect.poll(() => got.at(-1)?.type).toBe('session.close')
  expect(printed).toEqual(['Guten Morgen.', 'Und los'])
})
