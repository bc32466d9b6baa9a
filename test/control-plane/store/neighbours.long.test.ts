/** The service on Debian's PostgreSQL, and behind its PgBouncer. */
import { readServiceConfig } from '@standin/control-plane/main/config/config.ts'
import { openInstallation } from '@standin/control-plane/main/wiring/installation.ts'
import { startService } from '@standin/control-plane/main/wiring/service.ts'
import { newSealKey } from '@standin/control-plane/platform/secrets/seals.ts'
import { expect, test } from 'vitest'
import { atEnd, temporaryFolder } from '../../fakes/at-end.ts'
import { startPgbouncer, startPostgres } from '../../servers/neighbours.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const keys = newSealKey('k1')
const postgres = await startPostgres()
/** Of the first start. */
let key = ''

const configOf = (url: string) =>
  readServiceConfig({ data: temporaryFolder(), port: '0' }, { DATABASE_URL: url, STANDIN_SECRET_KEYS: keys }, '/')

async function start(url: string) {
  const service = await startService(configOf(url), { PATH: process.env.PATH }, log)
  atEnd(() => service.close())
  key ||= service.firstKey!
  const send = async (path: string, body?: object) => {
    const headers = { 'content-type': 'application/json', 'x-service-api-key': key }
    const asked = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    return (await fetch(service.publicUrl + path, { headers, ...asked })).status
  }
  return { ready: () => send('/readyz'), send }
}

test('whatever the role has set, the service starts over the socket and behind PgBouncer in session mode', async () => {
  await postgres.query("alter role app set datestyle = 'German, DMY'")
  await postgres.query("alter role app set default_transaction_isolation = 'serializable'")
  const service = await start(postgres.socketUrl)
  const pooled = await start(await startPgbouncer(postgres.port, { pool_mode: 'session', default_pool_size: '60' }))
  expect([await service.ready(), await pooled.ready()]).toEqual([200, 200])
})

test('a server that an operator sets read-only is answered with 503, and used again', async () => {
  const service = await start(postgres.url)
  const join_at = new Date(Date.now() + 86_400_000).toISOString()
  const bot = { bot_name: 'Notes', meeting_url: 'https://meet.google.com/abc-defg-hij', join_at }
  const write = () => service.send('/v2/bots/scheduled', bot)
  expect(await write()).toBe(201)
  await postgres.query('alter system set default_transaction_read_only = on', 'select pg_reload_conf()')
  await expect.poll(service.ready, { timeout: 5_000 }).toBe(503)
  expect(await write()).toBe(503)
  await postgres.query('alter system reset default_transaction_read_only', 'select pg_reload_conf()')
  await expect.poll(write, { timeout: 10_000 }).toBe(201)
})

test.each(['transaction', 'statement'])('PgBouncer in %s mode is refused with the cure', async (pool_mode) => {
  for (const server_round_robin of ['0', '1']) {
    const url = await startPgbouncer(postgres.port, { pool_mode, server_round_robin })
    await expect(openInstallation(configOf(url), 'service', log)).rejects.toThrow('pool_mode = session')
  }
})

test('a parameter that PgBouncer does not know is named with the line for it', async () => {
  const url = `${await startPgbouncer(postgres.port, {})}?options=-c%20jit%3Doff`
  await expect(openInstallation(configOf(url), 'service', log)).rejects.toThrow('ignore_startup_parameters = options')
})
