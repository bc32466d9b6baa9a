/**
 * Every line of docs/connections.md that calls the API is run as it is written, and its failures are those of the code.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Service, startService } from '@standin/control-plane/main/wiring/service.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readServiceConfig } from '../../control-plane/main/config/config.ts'
import { newSealKey } from '../../control-plane/platform/secrets/seals.ts'
import {
  type MockMicrosoftCalendar,
  startMockMicrosoftCalendar,
} from '../../packages/mock/calendars/microsoft/index.ts'
import { startZoomOauth, type ZoomOauth } from '../../packages/mock/zoom-oauth/index.ts'
import { openTestDatabase, type TestDatabase } from '../control-plane/postgres.ts'

const text = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const page = text('docs/connections.md')
const log = { info: () => {}, warn: () => {}, error: () => {} }
const EXAMPLE_ID = '0d5c6a2e-4a0f-4c39-8a43-2f6a3f0c7f11'

let folder: string
let db: TestDatabase
let zoom: ZoomOauth
let microsoft: MockMicrosoftCalendar
let service: Service

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-connection-docs-'))
  db = await openTestDatabase()
  zoom = await startZoomOauth()
  microsoft = await startMockMicrosoftCalendar()
  const environment = {
    DATABASE_URL: db.url,
    STANDIN_SECRET_KEYS: newSealKey('k1'),
    STANDIN_ZOOM_URL: zoom.url,
    STANDIN_MICROSOFT_LOGIN_URL: microsoft.loginUrl,
  }
  // Without a launcher: bots stay queued.
  const config = readServiceConfig({ data: folder, port: '0', roles: 'api' }, environment, '/')
  service = await startService(config, {}, log)
})
afterAll(async () => {
  await service?.close()
  await zoom?.close()
  await microsoft?.close()
  await db?.close()
  await rm(folder, { recursive: true, force: true })
})

const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)]
  .map(([, block]) => block!)
  .filter((block) => block.includes('$base'))

interface Said {
  status: number
  body: { data: Record<string, unknown> }
}

/** The answers of the calls of a block. */
async function run(block: string, id: string, words: Record<string, string> = {}): Promise<Said[]> {
  const filled = Object.entries(words).reduce((script, [word, value]) => script.replace(word, value), block)
  const script = `curl() { command curl -s -w '\\n%{http_code}\\n--\\n' "$@"; }\n${filled.replaceAll(EXAMPLE_ID, id)}`
  const { stdout } = await promisify(execFile)('/bin/sh', ['-ec', script], {
    env: { PATH: process.env.PATH, base: service.publicUrl, key: service.firstKey!, id },
    cwd: folder,
  })
  return stdout
    .split('\n--\n')
    .filter((part) => part.trim() !== '')
    .map((part) => ({ status: Number(part.slice(-3)), body: JSON.parse(part.slice(0, -4)) }))
}

test('the page of consent, the code and the calls of the page work one after the other', async () => {
  const app = zoom.addApp()
  const user = zoom.addUser()
  const redirectUri = app.redirectUris[0]!
  const [, authorize] = /```\n(https:\/\/zoom\.us\/oauth\/authorize[^\n]+)\n```/.exec(page)!
  const consent = authorize!
    .replace('https://zoom.us', zoom.url)
    .replace('<client id>', app.clientId)
    .replace('<redirect address>', encodeURIComponent(redirectUri))
    .replace('<yours>', 'state-1')
  const form = new URLSearchParams({ decision: 'allow', account: user.id })
  for (const scope of ['user:read:user', 'user:read:token', 'user:read:zak']) form.append('scope', scope)
  const allowed = await fetch(consent, { method: 'POST', body: form, redirect: 'manual' })
  const back = new URL(allowed.headers.get('location')!)
  expect(back.searchParams.get('state')).toBe('state-1')

  expect(blocks).toHaveLength(4)
  const [connect, send, lookAfter] = blocks
  const [made] = await run(connect!, EXAMPLE_ID, {
    '<client id>': app.clientId,
    '<client secret>': app.clientSecret,
    '<code>': back.searchParams.get('code')!,
    '<redirect address, exactly as above>': redirectUri,
  })
  expect(made).toMatchObject({
    status: 201,
    body: { data: { name: 'Ann', credential_type: 'user', scopes: 'user:read:user,user:read:token,user:read:zak' } },
  })
  const id = made!.body.data.credential_id as string
  const [, example] = /```json\n(.*?)```/s.exec(page)!
  const shown = JSON.parse(example!).data as Record<string, unknown>
  expect(Object.keys(shown).filter((field) => !(field in made!.body.data))).toEqual([])
  expect((await run(send!, id)).map(({ status }) => status)).toEqual([201])
  expect((await run(lookAfter!, id)).map(({ status }) => status)).toEqual([200, 200, 200])
})

test('a registered bot of Microsoft Teams is stored as the page says', async () => {
  const [stored] = await run(blocks[3]!, EXAMPLE_ID, {
    '<tenant id of Microsoft Entra>': 'example.com',
    '<client id>': microsoft.tokens.clientId,
    '<client secret>': microsoft.tokens.clientSecret,
  })
  expect(stored).toMatchObject({ status: 201, body: { data: { platform: 'teams', state: 'active' } } })
})

test('the failures that the page explains are worded as the program words them', () => {
  const program = [
    'control-plane/connections/join-grants.ts',
    'control-plane/connections/authorize.ts',
    'control-plane/connections/tokens.ts',
    'control-plane/bots/sentences.ts',
  ]
    .map(text)
    .join('\n')
  for (const words of [
    'has to authorize the app again',
    'was deleted or never existed',
    'The bot waits for its token',
    'user:read:user',
  ]) {
    expect(page).toContain(words)
    expect(program).toContain(words)
  }
  expect(page).toContain('FST_ERR_OAUTH_EXCHANGE_FAILED')
})
