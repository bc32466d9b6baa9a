/** docs/api.md, and the recipes of docs/cookbook.md that need nothing but this machine, pasted as they are after `npm run service`. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../servers/free-port.ts'

const ROOT = join(import.meta.dirname, '../..')
const LONG = 1_200_000

let folder: string
let environment: NodeJS.ProcessEnv
let service: ChildProcess
let receiver: ChildProcess | undefined
let receivedText = ''
let receiverPort: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-cookbook-'))
  // PostgreSQL runs as another user if the tests run as root.
  await chmod(folder, 0o755)
  await symlink(join(ROOT, 'docs'), join(folder, 'docs'))
  await mkdir(join(folder, 'bin'))
  // The command of the checkout, from its sources.
  const programs = [
    `service) shift; exec node ${ROOT}/control-plane/main/cli/index.ts "$@"`,
    `*) exec node ${ROOT}/src/cli/index.ts "$@"`,
  ]
  await writeFile(join(folder, 'bin/standin'), `#!/bin/sh\ncase $1 in ${programs.join(' ;; ')} ;; esac\n`)
  await chmod(join(folder, 'bin/standin'), 0o755)
  environment = {
    PATH: [join(folder, 'bin'), dirname(process.execPath), process.env.PATH].join(':'),
    HOME: process.env.HOME,
  }
  receiverPort = await freePort()
  service = spawn('standin', ['service', '--port', '0'], {
    cwd: folder,
    // For the agent of "Hear and speak".
    env: { ...environment, STANDIN_PRIVATE_ADDRESSES: 'allow' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await new Promise<void>((resolve, reject) => {
    let said = ''
    for (const stream of [service.stdout!, service.stderr!])
      stream.on('data', (text) => {
        said += text
        if (said.includes('Send a bot into the built-in mock meeting')) resolve()
      })
    service.once('exit', () => reject(new Error(said)))
  })
}, LONG)

afterAll(async () => {
  if (receiver) process.kill(-receiver.pid!)
  if (service.exitCode === null) {
    service.kill()
    await once(service, 'exit')
  }
  await rm(folder, { recursive: true, force: true })
}, LONG)

/** The first block of a recipe. */
async function recipe(title: string): Promise<string> {
  const text = await readFile(join(ROOT, 'docs/cookbook.md'), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`))
  const block = section === undefined ? null : /```sh\n(.*?)```/s.exec(section)
  if (block === null) throw new Error(`docs/cookbook.md has no recipe "${title}"`)
  return block[1]!.replaceAll(':9000', `:${receiverPort}`).replaceAll('mjs 9000', `mjs ${receiverPort}`)
}

test('api.md is pasted up to its part about following, and each request has the answer that is written behind it', {
  timeout: LONG,
}, async () => {
  const page = (await readFile(join(ROOT, 'docs/api.md'), 'utf8')).split(/^## Follow a meeting/m)[0]!
  const address = await readFile(join(folder, 'service-data/address'), 'utf8')
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block)
  const pasted = blocks.join('').replace('http://127.0.0.1:8080', address.trim())
  // A terminal shows each answer in a line of its own.
  const curl = `curl() { command curl -sS -w '\\n' "$@"; }\n`
  const lines = (await run(curl + pasted.replace(/^# (\{.*)$/gm, "echo 'expected $1'"))).split('\n').filter(Boolean)
  const expected = lines.flatMap((line, at) => (line.startsWith('expected ') ? [{ text: line.slice(9), at }] : []))
  expect(expected.length).toBeGreaterThan(15)
  for (const { text, at } of expected)
    expect(JSON.parse(lines[at - 1]!), text).toMatchObject(
      JSON.parse(text, (_key, value) => (value === '…' ? expect.any(String) : value)),
    )
  expect((await stat(join(folder, 'video.mp4'))).size).toBeGreaterThan(10_000)
})

async function run(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script], { cwd: folder, env: environment })
  return stdout
}

test('a bot records and is downloaded, a bot greets and writes, and a receiver gets their webhooks', {
  timeout: LONG,
}, async () => {
  receiver = spawn('/bin/sh', ['-c', await recipe('Receive webhooks')], {
    // Its group has the receiver that the recipe starts beside it.
    detached: true,
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  receiver.stdout!.on('data', (text) => {
    receivedText += text
  })
  await vi.waitFor(() => expect(receivedText).toContain('Waiting for events'), { timeout: 60_000 })

  const [recorded, written] = await Promise.all([
    run(`${await recipe('Record a meeting and get the file')}echo "id $bot"`),
    run(`${await recipe('Greet, and write into the chat')}`),
  ])
  const id = /^id (.+)$/m.exec(recorded)![1]!
  expect(recorded).toContain('completed')
  expect((await stat(join(folder, 'recordings', id, 'video.mp4'))).size).toBeGreaterThan(100_000)
  expect(written).toContain('Standin: I take notes for Ann.')
  expect(written).toContain('Standin: Five minutes left')
  await vi.waitFor(() => expect(receivedText).toMatch(new RegExp(`bot.completed ${id} http`)), { timeout: 60_000 })
})

test('words are printed live, and an agent hears and speaks', { timeout: LONG }, async () => {
  const port = String(await freePort())
  const [live, heard] = await Promise.all([
    run(await recipe('Print a live transcript')),
    // The agent ends with the shell that started it.
    run(`${(await recipe('Hear and speak in the meeting')).replaceAll('9001', port)}kill $!`),
  ])
  expect(live).toMatch(/^.*: \w.*$/m)
  expect(heard).toContain('Ann Host speaks')
  expect(heard).toContain('The bot left after')
})

test.each([
  ['Store recordings in your own bucket', 's3://recordings/standin'],
  ["Sign in with your company's accounts", 'https://login.example.com'],
])('the settings of "%s" are known', async (title, value) => {
  expect(await run((await recipe(title)).replace(/standin service$/m, 'standin service config'))).toContain(value)
})

test('a scheduled bot is cancelled, and recordings are kept for 30 days', { timeout: LONG }, async () => {
  const later = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10)
  const scheduled = (await recipe('Send a bot at a time, or not at all')).replace('2026-12-01', later)
  const id = /^id (.+)$/m.exec(await run(`set -e\n${scheduled}echo "id $bot"`))![1]!
  await run(`set -e\n${await recipe('Keep recordings for 30 days')}`)
  const failed = await run(`bot=${id}\n${await recipe('Find out why a bot did not get in')}`)
  expect(failed).toContain('Status')
})
