/** The receiver of docs/examples, as a person starts it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signatureHeaders } from '../../control-plane/webhooks/signatures.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const OTHER = 'whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE='
const BOT = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'
const completed = { event: 'bot.completed', data: { bot_id: BOT, video: 'https://example.com/video.mp4' }, extra: null }

let receiver: ChildProcess
let lines: Interface
const printed: string[] = []
let address: string

beforeAll(async () => {
  const program = join(import.meta.dirname, '../../docs/examples/webhook-receiver.mjs')
  receiver = spawn(process.execPath, [program, '0'], {
    env: { WEBHOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  lines = createInterface({ input: receiver.stdout! }).on('line', (line) => printed.push(line))
  address = await new Promise<string>((resolve) => lines.once('line', resolve))
  address = address.replace('Listening on ', '')
  printed.length = 0
})

afterAll(() => {
  lines.close()
  receiver.kill()
})

async function send(id: string, body: object, secrets: string[], at = Date.now()): Promise<number> {
  const text = JSON.stringify(body)
  const headers = signatureHeaders(id, Math.floor(at / 1000), text, secrets)
  return (await fetch(address, { method: 'POST', headers, body: text })).status
}

test('a webhook is printed once, however often it is sent', async () => {
  expect(await send('msg_1', completed, [SECRET])).toBe(204)
  expect(await send('msg_1', completed, [SECRET])).toBe(204)
  expect(await send('msg_2', { event: 'bot.failed', data: { bot_id: BOT, error_code: 'SIGTERM' } }, [SECRET])).toBe(204)
  await expect.poll(() => printed).toHaveLength(2)
  expect(printed).toEqual([`bot.completed ${BOT} https://example.com/video.mp4`, `bot.failed ${BOT} SIGTERM`])
})

test('while a secret is rotated, one of two signatures is enough', async () => {
  expect(await send('msg_3', completed, [OTHER, SECRET])).toBe(204)
})

test('a wrong signature, an old time and no signature are refused', async () => {
  expect(await send('msg_4', completed, [OTHER])).toBe(401)
  expect(await send('msg_5', completed, [SECRET], Date.now() - 600_000)).toBe(401)
  expect((await fetch(address, { method: 'POST', body: '{}' })).status).toBe(401)
})
