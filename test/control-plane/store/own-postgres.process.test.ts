import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { type OwnPostgres, startOwnPostgres } from '../../../control-plane/store/own-postgres.ts'

const servers: OwnPostgres[] = []
const folders: string[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop().catch(() => undefined)
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function mkdirs(name = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'standin-own-postgres-'))
  folders.push(folder)
  // The server's user has to enter it, where these tests run as root.
  chmodSync(folder, 0o711)
  return join(folder, name)
}

async function start(folder: string): Promise<OwnPostgres> {
  const server = await startOwnPostgres({ folder, settings: ['fsync=off'] })
  servers.push(server)
  return server
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

test('keeps its rows over a stop and a start', async () => {
  const folder = mkdirs()
  const first = await start(folder)
  await query(first.url, 'create table kept as select 7 as number')
  await first.stop()
  const second = await start(folder)
  expect(await query(second.url, 'select number from kept')).toEqual([{ number: 7 }])
})

test('a second start finds the running server, with the same password', async () => {
  const folder = mkdirs()
  const first = await start(folder)
  const [{ started }] = (await query(first.url, 'select pg_postmaster_start_time()::text as started')) as [
    { started: string },
  ]
  const second = await start(folder)
  expect(second.url).toBe(first.url)
  expect(await query(second.url, 'select pg_postmaster_start_time()::text as started')).toEqual([{ started }])
})

test('recovers after the server was killed', async () => {
  const folder = mkdirs()
  const first = await start(folder)
  await query(first.url, 'create table kept as select 7 as number; checkpoint')
  const pid = Number(readFileSync(join(folder, 'database/cluster/postmaster.pid'), 'utf8').split('\n')[0])
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => isAlive(pid)).toBe(false)
  const second = await start(folder)
  expect(await query(second.url, 'select number from kept')).toEqual([{ number: 7 }])
})

test('listens on no port and refuses connections without the password', async () => {
  const folder = mkdirs()
  const { url } = await start(folder)
  expect(await query(url, 'show listen_addresses')).toEqual([{ listen_addresses: '' }])
  const wrong = new URL(url)
  wrong.password = 'wrong'
  await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed')
  expect(statSync(join(folder, 'database/password')).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'database')).mode & 0o777).toBe(0o700)
})

test.runIf(process.getuid?.() === 0)('a folder that is closed to the user of the server is named', async () => {
  const closed = mkdirs()
  chmodSync(closed, 0o700)
  await expect(start(join(closed, 'data'))).rejects.toThrow(
    new RegExp(`does not run as root.* may not enter .*${closed}\\.`),
  )
})

test('a data folder with a long path is no problem for the socket', async () => {
  const folder = mkdirs(`${'long-name-'.repeat(12)}data`)
  const { url } = await start(folder)
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a copy of a data folder with a long path never uses the server of the running original', async () => {
  const folder = mkdirs(`${'long-name-'.repeat(12)}data`)
  await (await start(folder)).stop()
  const copy = mkdirs(`${'long-name-'.repeat(12)}copy`)
  execFileSync('cp', ['-a', folder, copy])
  const original = await start(folder)
  const copied = await start(copy)
  await query(copied.url, 'create table made_in_copy as select 1 as one')
  expect(await query(original.url, "select to_regclass('made_in_copy') as found")).toEqual([{ found: null }])
})

function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z'
  } catch {
    return false
  }
}
