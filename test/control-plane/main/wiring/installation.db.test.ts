import { chmod, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readServiceConfig } from '@standin/control-plane/main/config/config.ts'
import { DataFolderInUse, holdDataFolder } from '@standin/control-plane/main/wiring/data-folder.ts'
import { type Installation, openInstallation } from '@standin/control-plane/main/wiring/installation.ts'
import { newSealKey } from '@standin/control-plane/platform/secrets/seals.ts'
import { findKeyHolder, listKeys } from '@standin/control-plane/store/teams/keys.ts'
import { listTeams } from '@standin/control-plane/store/teams/teams.ts'
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { openTestDatabase } from '../../postgres.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const configOf = (folder: string, environment: Record<string, string> = {}) =>
  readServiceConfig({ data: folder }, environment, '/')
const modeOf = async (file: string) => (await stat(file)).mode & 0o777

const open: Installation[] = []

const base = temporaryFolder()
// PostgreSQL runs as another user where the tests run as root, and has to pass through.
await chmod(base, 0o755)
const db = await openTestDatabase()

afterAll(async () => {
  for (const installation of open) await installation.close()
})

type Config = ReturnType<typeof configOf>
const start = (config: Config) => openInstallation(config, 'service', log)
async function opened(config: Config, use: 'service' | 'command' = 'service'): Promise<Installation> {
  const installation = await openInstallation(config, use, log)
  open.push(installation)
  return installation
}

test('the first start makes database, keys and a first team; a second start finds everything', async () => {
  const folder = join(base, 'own')
  const first = await opened(configOf(folder))
  expect(first.migrated.length).toBeGreaterThan(0)
  expect(first.firstKey).toMatch(/^standin_/)
  expect((await readFile(join(folder, 'api-key'), 'utf8')).trim()).toBe(first.firstKey)
  expect(await modeOf(join(folder, 'api-key'))).toBe(0o600)
  expect(await modeOf(join(folder, 'secret-keys'))).toBe(0o600)
  expect(await listTeams(first.database)).toEqual([
    { team_id: expect.any(String), name: 'First team', balance: null, reserved: 0 },
  ])

  await expect(start(configOf(folder))).rejects.toThrow(DataFolderInUse)
  await expect(start(configOf(folder))).rejects.toThrow(
    `Another service (process ${process.pid}) runs on the data folder ${folder}`,
  )
  const beside = await opened(configOf(folder), 'command')
  expect(await listKeys(beside.database)).toHaveLength(1)
  await beside.close()
  expect(await listTeams(first.database)).toHaveLength(1)
  await first.close()

  const second = await opened(configOf(folder))
  expect(second).toMatchObject({ migrated: [], firstKey: null })
  expect(await findKeyHolder(second.database, first.firstKey!)).toMatchObject({ permission: 'full' })
  await second.close()
})

test('a killed PostgreSQL of the service is started again, with everything that was committed', async () => {
  // With the database of the test before, which takes seconds to make.
  const folder = join(base, 'own')
  const installation = await opened(configOf(folder))
  const serverPid = async () =>
    Number((await readFile(join(folder, 'database/cluster/postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0])
  const killed = await serverPid()
  process.kill(killed, 'SIGKILL')
  await expect.poll(async () => [0, killed].includes(await serverPid()), { timeout: 40_000 }).toBe(false)
  await expect.poll(() => listTeams(installation.database).catch(() => []), { timeout: 40_000 }).toHaveLength(1)
  await installation.close()
})

test('a start with the wrong secret key stops at once', async () => {
  const environment = { DATABASE_URL: db.url, STANDIN_SECRET_KEYS: newSealKey('a') }
  const good = await opened(configOf(join(base, 'keys'), environment))
  await good.close()
  const wrong = configOf(join(base, 'keys'), { ...environment, STANDIN_SECRET_KEYS: newSealKey('b') })
  await expect(start(wrong)).rejects.toThrow('STANDIN_SECRET_KEYS does not hold the key')
})

test('a database whose secret keys are elsewhere is refused, and no new keys are left behind', async () => {
  const folder = join(base, 'fresh')
  const config = configOf(folder, { DATABASE_URL: db.url })
  await expect(start(config)).rejects.toThrow('set STANDIN_SECRET_KEYS')
  await expect(readFile(join(folder, 'secret-keys'))).rejects.toThrow('ENOENT')
})

test('secret keys that were damaged are named by their file', async () => {
  const folder = join(base, 'damaged')
  const config = configOf(folder, { DATABASE_URL: db.url })
  await start(config).catch(() => {})
  await writeFile(join(folder, 'secret-keys'), 'nonsense')
  await expect(start(config)).rejects.toThrow(`The secret keys in ${folder}/secret-keys`)
})

test('a command beside a service that has its database elsewhere makes none', async () => {
  const folder = await mkdtemp(join(base, 'elsewhere-'))
  const hold = await holdDataFolder(folder, 'service')
  await expect(openInstallation(configOf(folder), 'command', log)).rejects.toThrow('set DATABASE_URL')
  await hold.release()
})

test('a service waits for a command that uses the folder', async () => {
  const folder = await mkdtemp(join(base, 'command-'))
  const command = await holdDataFolder(folder, 'command')
  const service = holdDataFolder(folder, 'service')
  await command.release()
  await (await service).release()
})

test('a data folder that is a file is refused in words', async () => {
  const file = join(base, 'file')
  await writeFile(file, '')
  await expect(start(configOf(file))).rejects.toThrow(`The data folder ${file} cannot be used`)
})

test('a database that cannot be used is named with its setting', async () => {
  const startAt = (url: string) => start(configOf(join(base, 'no-database'), { DATABASE_URL: url }))
  await expect(startAt('postgresql://me:hidden@127.0.0.1:1/standin')).rejects.toThrow(
    'DATABASE_URL: the database cannot be used: connect ECONNREFUSED 127.0.0.1:1',
  )
  const other = new URL(db.url)
  other.pathname = '/no_such_database'
  await expect(startAt(other.href)).rejects.toMatchObject({
    name: 'InvalidConfig',
    problems: [{ place: 'DATABASE_URL', message: 'database "no_such_database" does not exist' }],
  })
})
