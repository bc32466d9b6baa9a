/** Every line of docs/api.md that calls the API is run as it is written, against a real service. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Service, startService } from '@standin/control-plane/wiring/service.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readServiceConfig } from '../../control-plane/config/config.ts'
import { newSealKey } from '../../control-plane/secrets/seals.ts'
import { openTestDatabase, type TestDatabase } from '../control-plane/postgres.ts'

const DAY = 24 * 3600 * 1000
const log = { info: () => {}, warn: () => {}, error: () => {} }
let folder: string
let db: TestDatabase
let service: Service
let key: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-api-docs-'))
  db = await openTestDatabase()
  const environment = { DATABASE_URL: db.url, STANDIN_SECRET_KEYS: newSealKey('k1') }
  // Without a launcher: bots stay queued, and nothing joins the meetings of the page.
  const config = readServiceConfig({ data: folder, port: '0', roles: 'api' }, environment, '/')
  service = await startService(config, {}, log)
  key = service.firstKey!
})

afterAll(async () => {
  await service?.close()
  await db.close()
  await rm(folder, { recursive: true, force: true })
})

/** The `sh` blocks below a heading. */
async function blocksOf(heading: string): Promise<string[]> {
  const text = await readFile(join(import.meta.dirname, '../../docs/api.md'), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`docs/api.md has no section "${heading}"`)
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!)
}

/** Status and body of each call of a block. */
async function run(block: string, bot: string): Promise<{ status: number; body: string }[]> {
  // The page's day passes; a scheduled bot has to be in the future.
  const later = new Date(Date.now() + 10 * DAY).toISOString().slice(0, 10)
  const script = `curl() { command curl -s -w '\\n%{http_code}\\n--\\n' "$@"; }\n${block.replaceAll('2026-12-01', later)}`
  const { stdout } = await promisify(execFile)('/bin/sh', ['-ec', script], {
    env: { PATH: process.env.PATH, base: service.publicUrl, key, bot },
    cwd: folder,
  })
  return stdout
    .split('\n--\n')
    .filter((text) => text.trim() !== '')
    .map((text) => ({ status: Number(text.slice(-3)), body: text.slice(0, -4) }))
}

async function statusesOf(heading: string, bot = '', block = 0): Promise<number[]> {
  return (await run((await blocksOf(heading))[block]!, bot)).map(({ status }) => status)
}

async function createBot(path = '/v2/bots', fields: object = {}): Promise<string> {
  const answer = await fetch(`${service.publicUrl}${path}`, {
    method: 'POST',
    headers: { 'x-service-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ meeting_url: 'https://meet.google.com/abc-defg-hij', bot_name: 'Notes', ...fields }),
  })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { data: { bot_id: string } }).data.bot_id
}

test('a bot is sent, with the answer that the page shows', async () => {
  const [answer] = await run((await blocksOf('Send a bot into a meeting'))[0]!, '')
  expect(answer!.status).toBe(201)
  expect(JSON.parse(answer!.body)).toEqual({ success: true, data: { bot_id: expect.any(String) } })
})

test('results are asked for', async () => {
  expect(await statusesOf('Wait for the result', await createBot())).toEqual([200, 200, 200, 200])
})

test('a queued bot leaves; what needs a meeting is refused by its status', async () => {
  expect(await statusesOf('Tell a bot what to do', await createBot())).toEqual([200, 409, 409, 409, 200])
})

test('a bot is scheduled, listed, moved and cancelled', async () => {
  const joinAt = new Date(Date.now() + DAY).toISOString()
  const scheduled = await createBot('/v2/bots/scheduled', { join_at: joinAt })
  expect(await statusesOf('Send a bot later', scheduled)).toEqual([201, 200, 200, 200])
})

test('many bots are sent at once', async () => {
  const [answer] = await run((await blocksOf('Many bots at once'))[0]!, '')
  expect(answer!.status).toBe(201)
  expect(JSON.parse(answer!.body)).toMatchObject({ data: [{ index: 0 }, { index: 1 }], errors: [] })
})

test('bots are found', async () => {
  expect(await statusesOf('Find bots')).toEqual([200])
})

test('what is done afterwards is refused before the end, and done after it', async () => {
  const bot = await createBot()
  expect(await statusesOf('Afterwards', bot)).toEqual([409, 409, 409, 200, 409])
  await statusesOf('Tell a bot what to do', bot)
  // No callback was configured, and nothing was recorded.
  expect(await statusesOf('Afterwards', bot)).toEqual([200, 200, 409, 200, 409])
})
