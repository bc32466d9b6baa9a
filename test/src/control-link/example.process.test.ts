/** The example control plane as an operator starts it: a separate program. */
import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { openControlLink } from '../../../src/control-link/client.ts'
import { fakeUsage } from '../../fakes/usage.ts'
import {
  BOT_ID,
  FAST,
  memoryLogger,
  notice,
  numbersUpTo,
  seqs,
  startExample,
  TOKEN,
  temporaryFolder,
  until,
} from './support.ts'

const EXAMPLE = fileURLToPath(new URL('../../../docs/examples/control-plane.mjs', import.meta.url))

async function startProgram(folder: string): Promise<{ url: string; api: string; kill(): Promise<void> }> {
  const child = spawn(process.execPath, [EXAMPLE, '--port', '0', '--folder', folder], {
    env: { ...process.env, CONTROL_PLANE_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const kill = () => {
    child.kill('SIGKILL')
    return ended
  }
  onTestFinished(kill)
  let said = ''
  child.stdout.on('data', (text) => {
    said += text
  })
  await until(() => expect(said).toMatch(/listening on \S+\n/))
  const url = /listening on (\S+)/.exec(said)![1]!
  return { url, api: url.replace('ws:', 'http:').replace(/\/$/, ''), kill }
}

const headers = { authorization: `Bearer ${TOKEN}` }

test('it runs as a program, takes a bot, and keeps its events in a file', async () => {
  const folder = await temporaryFolder()
  const plane = await startProgram(folder)
  const options = { botId: BOT_ID, folder: await temporaryFolder(), logger: memoryLogger(), token: TOKEN, timing: FAST }
  const link = openControlLink({ usage: fakeUsage(), ...options, url: plane.url })
  onTestFinished(() => link.close())
  link.onCommand(async () => ({ ok: true }))
  for (const number of numbersUpTo(20)) link.report(notice(`Notice ${number}`))
  await link.drain(25_000)
  const answer = await fetch(`${plane.api}/bots/${BOT_ID}/commands`, {
    method: 'POST',
    headers,
    body: '{"type":"leave"}',
  })
  expect([answer.status, await answer.json()]).toMatchObject([200, { ok: true }])
  await plane.kill()
  const [file] = await readdir(join(folder, BOT_ID))
  const lines = (await readFile(join(folder, BOT_ID, file!), 'utf8')).trimEnd().split('\n')
  expect(seqs(lines.map((line) => JSON.parse(line)))).toEqual(numbersUpTo(20))
})

test('killed in the middle of writing, it continues after the last whole line of its file', async () => {
  const folder = await temporaryFolder()
  const journalFolder = await temporaryFolder()
  const first = await startExample(folder)
  const options = { botId: BOT_ID, folder: journalFolder, logger: memoryLogger(), token: TOKEN, timing: FAST }
  const link = openControlLink({ usage: fakeUsage(), ...options, url: first.url })
  onTestFinished(() => link.close())
  for (const number of numbersUpTo(5)) link.report(notice(`Notice ${number}`))
  await link.drain(25_000)
  await first.close()
  const [file] = await readdir(join(folder, BOT_ID))
  const path = join(folder, BOT_ID, file!)
  const whole = await readFile(path, 'utf8')
  await writeFile(path, whole.slice(0, -25))
  await startExample(folder, Number(new URL(first.api).port))
  link.report(notice('Notice 6'))
  await until(async () => expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(7))
  expect(await readFile(path, 'utf8')).toBe(await readFile(join(journalFolder, 'events.jsonl'), 'utf8'))
})

test('requests without the token are refused, on either side', async () => {
  const plane = await startExample(await temporaryFolder())
  for (const authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]) {
    const response = await fetch(`${plane.api}/bots`, { headers: { authorization } })
    expect(response.status).toBe(401)
    const status = await new Promise((resolve) => {
      const socket = new WebSocket(plane.url, { headers: { authorization } })
      socket.on('error', () => {})
      socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode))
      socket.on('open', () => resolve('open'))
    })
    expect(status).toBe(401)
  }
})

test('it does not start without a token', async () => {
  const child = spawn(process.execPath, [EXAMPLE, '--port', '0'], {
    env: { ...process.env, CONTROL_PLANE_TOKEN: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1)
  expect(said).toContain('A control plane without a token')
})

const HELLO = { type: 'hello', protocol_version: 1, bot_id: BOT_ID, journal_id: BOT_ID, last_seq: 0 }

test.each([
  ['no JSON', 'hello'],
  ['null', 'null'],
  ['another message first', JSON.stringify({ type: 'heartbeat' })],
  ['another version', JSON.stringify({ ...HELLO, protocol_version: 2 })],
  ['an id that is a path', JSON.stringify({ ...HELLO, bot_id: '../../../tmp/x' })],
  ['a journal that is a path', JSON.stringify({ ...HELLO, journal_id: '../x' })],
])('a link that begins with %s is closed, and nothing is written', async (_, text) => {
  const folder = join(await temporaryFolder(), 'events')
  await mkdir(folder)
  const plane = await startExample(folder)
  const socket = new WebSocket(plane.url, { headers })
  socket.on('open', () => socket.send(text))
  expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(1002)
  expect(await readdir(folder)).toEqual([])
  expect((await fetch(`${plane.api}/bots`, { headers })).status).toBe(200)
})

test('requests that make no sense are refused, each with its reason', async () => {
  const plane = await startExample(await temporaryFolder())
  const socket = new WebSocket(plane.url, { headers })
  socket.on('open', () => socket.send(JSON.stringify(HELLO)))
  await new Promise((resolve) => socket.once('message', resolve))
  const commands = `${plane.api}/bots/${BOT_ID}/commands`
  const status = async (url: string, init: RequestInit = {}) => (await fetch(url, { headers, ...init })).status
  expect(await status(`${plane.api}/bots/unknown`)).toBe(404)
  expect(await status(`${plane.api}/`)).toBe(404)
  expect(await status(`${plane.api}/bots/${BOT_ID}/secrets`)).toBe(404)
  expect(await status(commands, { method: 'POST', body: 'no json' })).toBe(400)
  expect(await status(commands, { method: 'POST', body: 'x'.repeat(70_000) })).toBe(413)
  expect(await status(`${plane.api}/bots/${BOT_ID}/events`)).toBe(200)
})
