/** Alerts of the whole service: each role as a separate service, with settings as an operator writes them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, startService } from '@standin/control-plane/wiring/service.ts'
import { afterAll, expect, test } from 'vitest'
import { readServiceConfig } from '../../../control-plane/config/config.ts'
import { newSealKey } from '../../../control-plane/secrets/seals.ts'
import { startSmtp } from '../outgoing/smtp-server.ts'
import { openTestDatabase } from '../postgres.ts'
import { startReceiver } from '../webhooks/receiver.ts'

const LONG = { timeout: 60_000 }
const PASSWORD = 'Tr0ub4dor-of-the-mailer'
const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

test('a rule that is made over HTTP fires once for two processes that evaluate; mail and callback arrive', async () => {
  const base = await mkdtemp(join(tmpdir(), 'standin-alerts-'))
  cleanups.push(() => rm(base, { recursive: true, force: true }))
  const database = await openTestDatabase()
  cleanups.push(database.close)
  const smtp = await startSmtp({
    authOptional: false,
    onAuth: ({ username, password }, _session, done) =>
      password === PASSWORD ? done(null, { user: username }) : done(new Error('No')),
  })
  cleanups.push(smtp.close)
  const receiver = await startReceiver()
  cleanups.push(receiver.close)
  const lines: unknown[] = []
  const note = (...line: unknown[]) => void lines.push(line)
  const environment = {
    DATABASE_URL: database.url,
    STANDIN_SECRET_KEYS: newSealKey('k1'),
    STANDIN_PRIVATE_ADDRESSES: 'allow',
    STANDIN_PUBLIC_URL: 'http://bots.test',
    STANDIN_SMTP_URL: `smtp://mailer:${PASSWORD}@127.0.0.1:${smtp.server.port}`,
    STANDIN_MAIL_FROM: 'Standin <standin@example.com>',
  }
  const start = async (roles: string): Promise<Service> => {
    const options = { data: join(base, String(cleanups.length)), port: '0', roles }
    const config = readServiceConfig(options, environment, '/')
    const log = { info: note, warn: note, error: note }
    const service = await startService(config, { PATH: process.env.PATH }, log)
    cleanups.push(() => service.close())
    return service
  }
  const api = await start('api')
  for (const roles of ['jobs', 'jobs', 'dispatcher']) await start(roles)

  const send = (path: string, body: unknown, headers: Record<string, string>) =>
    fetch(new URL(path, api.address), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-requested-by': 'dashboard', ...headers },
      body: JSON.stringify(body),
    })
  const token = new URL(api.signInLink!).hash.slice(1)
  const signedIn = await send('/dashboard/api/sign-in-link', { token }, {})
  const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!
  const rule = {
    name: 'Many bots',
    alert_type: 'daily_bot_cap',
    threshold: 1,
    callback_url: receiver.url,
    emails: ['ada@example.com'],
  }
  expect((await send('/dashboard/api/alert-rules', rule, { cookie })).status).toBe(201)
  const bot = { bot_name: 'Bot', meeting_url: 'https://meet.google.com/abc-defg-hij' }
  expect((await send('/v2/bots', bot, { 'x-service-api-key': api.firstKey! })).status).toBe(201)

  await expect.poll(() => [receiver.received.length, smtp.taken.length], LONG).toEqual([1, 1])
  expect(receiver.received[0]!.body).toMatchObject({
    alert_type: 'daily_bot_cap',
    category: 'threshold',
    current_value: 1,
  })
  expect(smtp.taken).toMatchObject([{ from: 'standin@example.com', to: ['ada@example.com'], user: 'mailer' }])
  expect(smtp.taken[0]!.text).toContain('http://bots.test/dashboard/alerts')
  const firings = await database.database.selectFrom('alert_firings').select('id').execute()
  expect(firings).toHaveLength(1)
  expect(JSON.stringify(lines)).not.toContain(PASSWORD)
})
