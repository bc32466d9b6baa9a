/** The example control plane as an operator starts it: a separate program. */

import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { temporaryFolder } from '../../fakes/at-end.ts'
import {
  BOT_ID,
  clientOf,
  eventsOf,
  notice,
  numbersUpTo,
  openLink,
  seqs,
  startExample,
  TOKEN,
  until,
} from './support.ts'

const EXAMPLE = fileURLToPath(new URL('../../../docs/examples/control-plane.mjs', import.meta.url))

const headers = { authorization: `Bearer ${TOKEN}` }

function startProgram(token: string, folder = '') {
  const child = spawn(process.execPath, [EXAMPLE, '--port', '0', '--folder', folder], {
    env: { ...process.env, CONTROL_PLANE_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
  return { child, ended: new Promise((resolve) => child.once('close', resolve)), said: () => said }
}

test('it runs as a program, takes a bot, and keeps its events in a file', async () => {
  const folder = temporaryFolder()
  const { child, ended, said } = startProgram(TOKEN, folder)
  await until(() => expect(said()).toMatch(/listening on \S+\n/))
  const url = /listening on (\S+)/.exec(said())![1]!
  const { link, report } = await openLink({ url })
  link.onCommand(async () => ({ ok: true }))
  report(20)
  await link.drain(25_000)
  const { command } = clientOf(url.replace('ws:', 'http:').replace(/\/$/, ''))
  expect(await command({ type: 'leave' })).toMatchObject({ ok: true })
  child.kill('SIGKILL')
  await ended
  const [file] = await readdir(join(folder, BOT_ID))
  expect(seqs(eventsOf(await readFile(join(folder, BOT_ID, file!), 'utf8')))).toEqual(numbersUpTo(20))
})

test('killed in the middle of writing, it continues after the last whole line of its file', async () => {
  const folder = temporaryFolder()
  const first = await startExample(folder)
  const { link, report, folder: journalFolder } = await openLink({ url: first.url })
  report(5)
  await link.drain(25_000)
  await first.close()
  const [file] = await readdir(join(folder, BOT_ID))
  const path = join(folder, BOT_ID, file!)
  await writeFile(path, (await readFile(path, 'utf8')).slice(0, -25))
  await startExample(folder, Number(new URL(first.api).port))
  link.report(notice('Notice 6'))
  await until(async () => expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(7))
  expect(await readFile(path, 'utf8')).toBe(await readFile(join(journalFolder, 'events.jsonl'), 'utf8'))
})

test('requests without the token are refused, on either side', async () => {
  const plane = await startExample()
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

const HELLO = { type: 'hello', protocol_version: 1, bot_id: BOT_ID, journal_id: BOT_ID, last_seq: 0 }

test.each([
  ['no JSON', 'hello'],
  ['null', 'null'],
  ['another message first', JSON.stringify({ type: 'heartbeat' })],
  ['another version', JSON.stringify({ ...HELLO, protocol_version: 2 })],
  ['an id that is a path', JSON.stringify({ ...HELLO, bot_id: '../../../tmp/x' })],
  ['a journal that is a path', JSON.stringify({ ...HELLO, journal_id: '../x' })],
])('a link that begins with %s is closed, and nothing is written', async (_, text) => {
  const folder = join(temporaryFolder(), 'events')
  await mkdir(folder)
  const plane = await startExample(folder)
  const socket = new WebSocket(plane.url, { headers })
  socket.on('open', () => socket.send(text))
  expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(1002)
  expect(await readdir(folder)).toEqual([])
  expect((await fetch(`${plane.api}/bots`, { headers })).status).toBe(200)
})

test('requests that make no sense are refused, each with its reason', async () => {
  const plane = await startExample()
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
