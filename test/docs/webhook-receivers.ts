/** A receiver of docs/examples, as a person starts it, in front of signed webhooks. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { signatureHeaders } from '@standin/wire/webhook-signature.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const OTHER = 'whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE='
const BOT = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'
const completed = { event: 'bot.completed', data: { bot_id: BOT, video: 'https://example.com/video.mp4' }, extra: null }

/** `address`: of a program that does not print its own. */
export interface ReceiverProgram {
  command: string
  args: readonly string[]
  address?: string
}

export function describeReceiver(name: string, open: () => Promise<ReceiverProgram>): void {
  describe(name, () => {
    let receiver: ChildProcess
    let lines: Interface
    const printed: string[] = []
    let errors = ''
    let address: string
    let folder: string

    beforeAll(async () => {
      const program = await open()
      folder = await mkdtemp(join(tmpdir(), 'standin-receiver-'))
      const env = { PATH: process.env.PATH, HOME: process.env.HOME, WEBHOOK_SECRET: SECRET, TMPDIR: folder }
      receiver = spawn(program.command, program.args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
      receiver.stderr!.on('data', (text) => (errors += text))
      lines = createInterface({ input: receiver.stdout! }).on('line', (line) => printed.push(line))
      await vi.waitFor(
        async () => {
          address = program.address ?? printed[0]!.replace('Listening on ', '')
          expect((await fetch(address, { method: 'POST', body: '{}' })).status).toBe(401)
        },
        { timeout: 300_000, interval: 200 },
      )
      printed.length = 0
    }, 300_000)

    afterAll(async () => {
      lines.close()
      // `go run` is the parent of the program.
      if (receiver.pid !== undefined) process.kill(-receiver.pid)
      await rm(folder, { recursive: true, force: true })
    })

    async function send(id: string, body: object, secrets: string[], at = Date.now()): Promise<number> {
      const text = JSON.stringify(body)
      const headers = signatureHeaders(id, Math.floor(at / 1000), text, secrets)
      return (await fetch(address, { method: 'POST', headers, body: text })).status
    }

    test('a webhook is printed once, however often it is sent', async () => {
      expect(await send('msg_1', completed, [SECRET])).toBe(204)
      expect(await send('msg_1', completed, [SECRET])).toBe(204)
      const failed = { event: 'bot.failed', data: { bot_id: BOT, error_code: 'SIGTERM' } }
      expect(await send('msg_2', failed, [SECRET])).toBe(204)
      await expect.poll(() => printed).toHaveLength(2)
      expect(printed).toEqual([`bot.completed ${BOT} https://example.com/video.mp4`, `bot.failed ${BOT} SIGTERM`])
    })

    test('while a secret is rotated, one of two signatures is enough', async () => {
      expect(await send('msg_3', completed, [OTHER, SECRET])).toBe(204)
    })

    test('a wrong signature, an old time, a changed body and no signature are refused', async () => {
      expect(await send('msg_4', completed, [OTHER])).toBe(401)
      await expect.poll(() => errors).toMatch(/Refused "?msg_4/)
      expect(await send('msg_5', completed, [SECRET], Date.now() - 600_000)).toBe(401)
      const headers = signatureHeaders('msg_6', Math.floor(Date.now() / 1000), '{"event":"a"}', [SECRET])
      expect((await fetch(address, { method: 'POST', headers, body: '{"event":"b"}' })).status).toBe(401)
      expect((await fetch(address, { method: 'POST', body: '{}' })).status).toBe(401)
    })
  })
}
