/** docs/api.md and the recipes of docs/cookbook.md, pasted as they are after `npm run service`. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { type MockGoogleCalendar, startMockGoogleCalendar } from '../../packages/mock/calendars/index.ts'
import { programOf } from '../docker/tools.ts'
import { freePort } from '../servers/free-port.ts'
import { installCommand } from './command-of-checkout.ts'

const LONG = 1_200_000
const DAY_MS = 86_400_000
const DEMO = 'https://meet.google.com/dem-omee-tin'

let folder: string
let environment: Record<string, string>
let google: MockGoogleCalendar
let service: ChildProcess
let address: string
let receiver: ChildProcess | undefined
let receivedText = ''
let receiverPort: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-cookbook-'))
  // PostgreSQL runs as another user if the tests run as root.
  await chmod(folder, 0o755)
  for (const name of ['docs', 'docker']) await symlink(join(packageRoot, name), join(folder, name))
  environment = await installCommand(folder)
  google = await startMockGoogleCalendar()
  receiverPort = await freePort()
  const calendars = { STANDIN_GOOGLE_URL: google.url, STANDIN_GOOGLE_TOKEN_URL: google.tokenUrl }
  service = spawn('standin', ['service', '--port', '0'], {
    cwd: folder,
    // Private addresses are for the agent of "Hear and speak".
    env: { ...environment, ...calendars, STANDIN_PRIVATE_ADDRESSES: 'allow' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise<void>((resolve, reject) => {
    let said = ''
    service.stderr!.on('data', (text) => {
      said += text
      if (said.includes('Service ready')) resolve()
    })
    service.once('exit', () => reject(new Error(said)))
  })
  address = (await readFile(join(folder, 'service-data/address'), 'utf8')).trim()
}, LONG)

afterAll(async () => {
  if (receiver) process.kill(-receiver.pid!)
  if (service.exitCode === null) {
    service.kill()
    await once(service, 'exit')
  }
  await google.close()
  await rm(folder, { recursive: true, force: true })
}, LONG)

/** The first block of a recipe. */
async function recipe(title: string, language = 'sh'): Promise<string> {
  const text = await readFile(join(packageRoot, 'docs/cookbook.md'), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ''
  const [, block] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section) ?? []
  if (block === undefined) throw new Error(`docs/cookbook.md has no recipe "${title}"`)
  return block.replaceAll(':9000', `:${receiverPort}`).replaceAll('mjs 9000', `mjs ${receiverPort}`)
}

async function run(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script], { cwd: folder, env: environment })
  return stdout
}

async function leaveAll(): Promise<void> {
  const running = 'queued,joining_call,in_waiting_room,in_call_not_recording,in_call_recording'
  await run(`standin bots list --status ${running} --quiet | xargs -r standin bots leave`)
}

/** Runs scripts at once. As soon as all have printed their words, their bots leave: one bot of api.md stays to the end of its meeting. */
async function runTogether(...scripts: [script: string, words: RegExp][]): Promise<string[]> {
  const texts = scripts.map(() => '')
  let leaving: Promise<void> | undefined
  async function runOne(script: string, index: number) {
    const shell = spawn('/bin/sh', ['-c', script], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = once(shell, 'exit')
    for await (const piece of shell.stdout) {
      texts[index] += piece
      if (scripts.every(([, words], at) => words.test(texts[at]!))) leaving ??= leaveAll()
    }
    expect(await ended, texts[index]).toEqual([0, null])
  }
  await Promise.all(scripts.map(([script], index) => runOne(script, index)))
  await leaving
  return texts
}

async function call(path: string, body?: object): Promise<{ data: Record<string, unknown>[] }> {
  const headers = {
    'x-service-api-key': (await readFile(join(folder, 'service-data/api-key'), 'utf8')).trim(),
    ...(body && { 'content-type': 'application/json' }),
  }
  const answer = await fetch(`${address}${path}`, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(answer.ok, path).toBe(true)
  return (await answer.json()) as { data: Record<string, unknown>[] }
}

test('api.md is pasted up to its part about following, and each request has the answer that is written behind it', {
  timeout: LONG,
}, async () => {
  const page = (await readFile(join(packageRoot, 'docs/api.md'), 'utf8')).split(/^## Follow a meeting/m)[0]!
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block)
  const pasted = blocks.join('').replace('http://127.0.0.1:8080', address)
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
  // The two of "Many bots at once" have nothing more to show.
  await leaveAll()
})

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

  const [recorded, written] = await runTogether(
    [`${await recipe('Record a meeting and get the file')}echo "id $bot"`, /Cléo Ñandú: The numbers/],
    [await recipe('Greet, and write into the chat'), /Standin: Five minutes left/],
  )
  const id = /^id (.+)$/m.exec(recorded!)![1]!
  expect(recorded).toContain('completed')
  expect((await stat(join(folder, 'recordings', id, 'video.mp4'))).size).toBeGreaterThan(100_000)
  expect(written).toContain('Standin: I take notes for Ann.')
  await vi.waitFor(() => expect(receivedText).toMatch(new RegExp(`bot.completed ${id} http`)), { timeout: 60_000 })
})

test('words are printed live, and an agent hears and speaks', { timeout: LONG }, async () => {
  const port = String(await freePort())
  // The agent ends with the shell that started it.
  const agent = `${(await recipe('Hear and speak in the meeting')).replaceAll('9001', port)}kill $!`
  const [, heard] = await runTogether(
    [await recipe('Print a live transcript'), /^\d\d:\d\d \w.*: \w/m],
    [agent, /Ann Host speaks/],
  )
  expect(heard).toContain('The bot left after')
})

test('every event of a calendar that has a meeting link gets a bot', { timeout: LONG }, async () => {
  const account = google.addAccount()
  const start = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + DAY_MS)
  const link = 'https://meet.google.com/abc-defg-hij'
  account.primary.create({ title: 'Weekly', start, link, repeats: { every: 'week' } })
  account.primary.create({ title: 'Once', start, link })
  account.primary.create({ title: 'Lunch', start })
  const { clientId, clientSecret } = google.tokens
  const app = { oauth_client_id: clientId, oauth_client_secret: clientSecret }
  const grant = { ...app, oauth_refresh_token: google.tokens.consent(account) }
  await call('/v2/calendars', { calendar_platform: 'google', raw_calendar_id: 'primary', ...grant })
  const [calendar] = (await call('/v2/calendars')).data
  const events = async () => (await call(`/v2/calendars/${calendar!.calendar_id}/events`)).data
  await expect.poll(async () => (await events()).length, { timeout: 60_000 }).toBeGreaterThan(5)
  const listed = await run(await recipe('Send a bot to every meeting of a calendar'))
  const withBot = (await events()).filter(({ bot_scheduled: has }) => has)
  expect(withBot.map(({ title }) => title)).toEqual(
    (await events()).map(({ title }) => title).filter((name) => name !== 'Lunch'),
  )
  expect(listed.match(/Notes for Ann/g)).toHaveLength(withBot.length)
})

test('an assistant sends a bot, and makes it leave', { timeout: LONG }, async () => {
  const { command, args } = JSON.parse(await recipe('Let an assistant attend', 'json')).mcpServers.standin
  const inFolder = (text: string) => text.replace(/^\/path\/to(\/standin(?=\/))?/, folder)
  const assistant = new Client({ name: 'assistant', version: '1' })
  const env = { ...environment, STANDIN_URL: address }
  await assistant.connect(new StdioClientTransport({ command: inFolder(command), args: args.map(inFolder), env }))
  const ask = async (name: string, options: object) =>
    JSON.stringify(await assistant.callTool({ name, arguments: { ...options } }))
  const [id] = /[0-9a-f-]{36}/.exec(await ask('send_bot', { meeting_url: DEMO, bot_name: 'Scribe' }))!
  expect(await ask('list_bots', {})).toContain(`Scribe`)
  expect(await ask('leave_meeting', { bot_id: id })).not.toContain('"isError":true')
  await assistant.close()
})

test('the chart of the recipe is installed but for a cluster, which both programs ask for', {
  timeout: LONG,
}, async () => {
  const write = (name: string, line: string) =>
    writeFile(join(folder, 'bin', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  await write('helm', `exec ${programOf('helm')} "$@" --dry-run=client`)
  await write('kubectl', `${programOf('kubectl')} --server http://127.0.0.1:9 "$@" 2>&1 | grep refused`)
  const text = await run(`set -e\n${await recipe('Run it on Kubernetes')}`)
  expect(text).toMatch(/^kind: Deployment$/m)
  expect(text).toContain('127.0.0.1:9 was refused')
})

test.each([
  ['Store recordings in your own bucket', 's3://recordings/standin'],
  ["Sign in with your company's accounts", 'https://login.example.com'],
])('the settings of "%s" are known', async (title, value) => {
  expect(await run((await recipe(title)).replace(/standin service$/m, 'standin service config'))).toContain(value)
})

test('a scheduled bot is cancelled, and recordings are kept for 30 days', { timeout: LONG }, async () => {
  const later = new Date(Date.now() + 10 * DAY_MS).toISOString().slice(0, 10)
  const scheduled = (await recipe('Send a bot at a time, or not at all')).replace('2026-12-01', later)
  const id = /^id (.+)$/m.exec(await run(`set -e\n${scheduled}echo "id $bot"`))![1]!
  await run(`set -e\n${await recipe('Keep recordings for 30 days')}`)
  const failed = await run(`bot=${id}\n${await recipe('Find out why a bot did not get in')}`)
  expect(failed).toContain('Status')
})
