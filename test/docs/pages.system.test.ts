/**
 * The lines of the pages that ask a service, run in their order as a reader pastes them: one service with all roles, whose bots
 * have no browser.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Service, startService } from '@standin/control-plane/main/wiring/service.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readServiceConfig } from '../../control-plane/main/config/config.ts'
import { newSealKey } from '../../control-plane/platform/secrets/seals.ts'
import { type MockGoogleCalendar, startMockGoogleCalendar } from '../../packages/mock/calendars/index.ts'
import { openTestDatabase, type TestDatabase } from '../control-plane/postgres.ts'
import { installCommand } from './command-of-checkout.ts'

const ROOT = join(import.meta.dirname, '../..')
const DAY = 24 * 3600 * 1000
const OLDER = /^## The older generation.*/ms
const log = { info: () => {}, warn: () => {}, error: () => {} }
let folder: string
let db: TestDatabase
let google: MockGoogleCalendar
let service: Service
let environment: NodeJS.ProcessEnv

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-pages-'))
  db = await openTestDatabase()
  google = await startMockGoogleCalendar()
  const settings = {
    DATABASE_URL: db.url,
    STANDIN_SECRET_KEYS: newSealKey('k1'),
    STANDIN_DATA: join(folder, 'service-data'),
    STANDIN_GOOGLE_URL: google.url,
    STANDIN_GOOGLE_TOKEN_URL: google.tokenUrl,
    STANDIN_SPEECH: 'off',
    STANDIN_BOT_COMMAND: `${process.execPath} ${join(import.meta.dirname, 'page-bot.ts')}`,
  }
  environment = { ...(await installCommand(folder)), ...settings }
  const config = readServiceConfig({ port: '0' }, { ...settings, STANDIN_PRIVATE_ADDRESSES: 'allow' }, '/')
  service = await startService(config, { PATH: process.env.PATH, HOME: process.env.HOME }, log)
  await writeFile(join(folder, 'service-data/api-key'), service.firstKey!)
})

afterAll(async () => {
  await service?.close()
  await google?.close()
  await db?.close()
  await rm(folder, { recursive: true, force: true })
})

/** The variables of the shell after each block of a page. */
class Reader {
  readonly #blocks: string[]
  readonly #words: Readonly<Record<string, string>>
  #script = ''
  #next = 0

  private constructor(blocks: string[], words: Readonly<Record<string, string>>) {
    this.#blocks = blocks
    this.#words = words
  }

  /** `words` replaces what the page cannot know; `part` is the part of the page that a reader pastes. */
  static async of(page: string, words: Readonly<Record<string, string>> = {}, part = /.*/s): Promise<Reader> {
    const text = await readFile(join(ROOT, 'docs', page), 'utf8')
    const blocks = [...part.exec(text)![0].matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!)
    return new Reader(blocks, { 'http://127.0.0.1:8080': service.publicUrl, ...words })
  }

  get left(): number {
    return this.#blocks.length - this.#next
  }

  skip(words: string): void {
    expect(this.#blocks[this.#next]).toContain(words)
    this.#next += 1
  }

  /** Runs the next block in a shell that has the variables of those before. Resolves with its output and the status of each call. */
  async run(): Promise<{ statuses: number[]; out: string }> {
    const block = Object.entries(this.#words).reduce(
      (text, [word, value]) => text.replaceAll(word, value),
      this.#blocks[this.#next]!,
    )
    this.#next += 1
    // The status of each call goes to standard error, since the output may be the input of the next program.
    const curl = `curl() { command curl -s -w '%{stderr}status %{http_code}\\n' "$@"; }`
    const variables = join(folder, 'variables')
    const script = `${curl}\n${this.#script}\n${block}\nset > ${variables}`
    const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-ec', script], { env: environment, cwd: folder })
    const names = 'base|key|bot|later|calendar|event|series|app|endpoint|WEBHOOK_SECRET'
    const functions = this.#blocks[0]!.match(/^field\(\).*$/m)?.[0] ?? ''
    const set = (await readFile(variables, 'utf8')).match(new RegExp(`^(?:${names})='.*'$`, 'gm')) ?? []
    this.#script = [functions, ...set].join('\n')
    return { statuses: [...stderr.matchAll(/^status (\d+)$/gm)].map(([, status]) => Number(status)), out: stdout }
  }

  variable(name: string): string {
    return new RegExp(`^${name}='(.*)'$`, 'm').exec(this.#script)?.[1] ?? ''
  }
}

async function statusOf(botId: string): Promise<string | undefined> {
  const bot = await db.database.selectFrom('bots').select('status').where('id', '=', botId).executeTakeFirst()
  return bot?.status
}

test('the older generation in api.md', async () => {
  const reader = await Reader.of('api.md', {}, OLDER)
  const before = await reader.run()
  expect(before.statuses).toEqual([200, 200, 200, 200])
  await expect.poll(() => statusOf(reader.variable('bot'))).toMatch(/completed|failed/)
  expect((await reader.run()).statuses).toEqual([200])
  expect(reader.left).toBe(0)
})

test('calendars.md, with a stand-in of the provider', async () => {
  const account = google.addAccount()
  const start = new Date(Math.ceil((Date.now() + DAY) / 60_000) * 60_000)
  const link = 'https://meet.google.com/abc-defg-hij'
  account.primary.create({ title: 'Weekly', start, link, repeats: { every: 'week' } })
  const { clientId, clientSecret } = google.tokens
  const values = [clientId, clientSecret, google.tokens.consent(account)]
  const names = ['oauth_client_id', 'oauth_client_secret', 'oauth_refresh_token']
  const words = names.map((name, index) => [`"${name}": "…"`, `"${name}": "${values[index]}"`])
  const reader = await Reader.of('calendars.md', Object.fromEntries(words))
  await reader.run()
  reader.skip('https://oauth2.googleapis.com/token')
  expect((await reader.run()).statuses).toEqual([200])
  expect((await reader.run()).statuses).toEqual([201])
  const events = () => db.database.selectFrom('calendar_events').select('id').execute()
  await expect.poll(async () => (await events()).length).toBeGreaterThan(2)
  expect((await reader.run()).statuses).toEqual([200, 200, 200, 200, 200, 200])
  expect((await reader.run()).statuses).toEqual([201, 201, 200, 200])
  expect((await reader.run()).statuses.at(-1)).toBe(200)
  reader.skip('standin mock calendars')
  expect(reader.left).toBe(0)
})

test('webhooks.md', async () => {
  const reader = await Reader.of('webhooks.md', {
    'standin service endpoints create https://':
      'STANDIN_PRIVATE_ADDRESSES=allow standin service endpoints create http://127.0.0.1:18999/',
    'node docs/examples/webhook-receiver.mjs 9000 &': '',
    'standin bots listen --forward-to http://127.0.0.1:9000': '',
  })
  expect((await reader.run()).out).toContain('whsec_')
  await reader.run()
  expect(reader.variable('WEBHOOK_SECRET')).toMatch(/^whsec_/)
  const { out } = await reader.run()
  expect(out).toContain('A sample is on its way.')
  expect(out).toContain('whsec_')
  expect(reader.left).toBe(0)
})
