/** The examples say in one line what is missing. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const examples = join(import.meta.dirname, '../../docs/examples')
const taken = createServer((_request, answer) => void answer.writeHead(401).end('{"message": "no such key"}'))
await new Promise<void>((done) => void taken.listen(0, '127.0.0.1', done))
const port = String((taken.address() as AddressInfo).port)
afterAll(() => taken.close())

const WEBHOOK_SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const access = { STANDIN_URL: `http://127.0.0.1:${port}`, STANDIN_API_KEY: 'key' }

test.each<[file: string, args: string[], env: Record<string, string>, exitCode: number, said: string]>([
  ['webhook-receiver.mjs', [], {}, 2, 'Set WEBHOOK_SECRET'],
  ['webhook-receiver.mjs', [port], { WEBHOOK_SECRET }, 1, 'EADDRINUSE'],
  ['webhook-receiver.py', [], {}, 2, 'Set WEBHOOK_SECRET'],
  ['webhook-receiver.py', [port], { WEBHOOK_SECRET }, 1, 'already in use'],
  ['live-transcript.mjs', ['id'], {}, 2, 'usage: STANDIN_URL='],
  ['live-transcript.mjs', [], access, 2, 'usage: STANDIN_URL='],
  ['live-transcript.mjs', ['id'], access, 1, 'no such key'],
  ['make-bucket.mjs', ['http://127.0.0.1:1'], {}, 2, 'usage: AWS_ACCESS_KEY_ID='],
  ['echo-agent.mjs', ['--port', port], {}, 1, 'EADDRINUSE'],
  ['document-tool.mjs', ['handbook.md'], {}, 2, 'usage: WEBHOOK_SECRET='],
  ['document-tool.mjs', ['/no/such/file'], { WEBHOOK_SECRET }, 1, 'ENOENT'],
  ['interpreter.mjs', ['--language', 'de'], {}, 2, 'usage: OPENAI_API_KEY='],
  ['interpreter.mjs', ['--language', 'de', '--port', port], { OPENAI_API_KEY: 'key' }, 1, 'EADDRINUSE'],
  ['control-plane.mjs', ['--port', port], {}, 2, 'Set CONTROL_PLANE_TOKEN'],
  ['control-plane.mjs', ['--port', port], { CONTROL_PLANE_TOKEN: 'secret' }, 1, 'EADDRINUSE'],
])('%s %j with %j ends with %i', async (file, args, env, exitCode, said) => {
  const program = file.endsWith('.py') ? 'python3' : process.execPath
  const ended = await new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env }, timeout: 60_000 }
    execFile(program, [join(examples, file), ...args], options, (error, out, errors) =>
      resolve({ exitCode: error?.code ?? 0, lines: `${out}${errors}`.trim().split('\n') }),
    )
  })
  expect(ended).toEqual({ exitCode, lines: [expect.stringContaining(said)] })
})
