import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFileStore, type StorageSettings } from '@standin/control-plane/files/open-file-store.ts'
import { checkStorage, StorageProblem, watchStorage } from '@standin/control-plane/files/storage-check.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type S3Server, startS3Server, storeSettingsOf } from '../../servers/s3-server.ts'

const links = { secret: Buffer.alloc(32), publicUrl: 'http://service.test', now: Date.now }
let server: S3Server
let folder: string
beforeAll(async () => {
  server = await startS3Server()
  folder = await mkdtemp(join(tmpdir(), 'standin-check-'))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const s3 = (changes: object = {}): StorageSettings => ({ ...storeSettingsOf(server), prefix: 'all', ...changes })

/** The kind and the message of the problem; null if the storage works. */
async function problemOf(settings: StorageSettings): Promise<[kind: string, message: string] | null> {
  const files = await openFileStore(settings, links)
  onTestFinished(() => files.close())
  return files.check().then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof StorageProblem)) throw error
      return [error.kind, error.message]
    },
  )
}

test('an object is written below the root, read back and deleted', async () => {
  const before = server.requests.length
  expect(await problemOf(s3())).toBeNull()
  const made = server.requests.slice(before)
  expect(made.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['PutObject', 'GetObject', 'DeleteObject']),
  )
  for (const { key } of made.filter(({ operation }) => /^(?:Put|Get|Delete)Object$/.test(operation)))
    expect(key).toMatch(/^all\/\.standin-check-[\w-]+\/object$/)
  expect(await problemOf({ type: 'folder', path: folder })).toBeNull()
  expect(await readdir(folder)).toEqual([])
})

test.each<[string, object, [string, string]]>([
  ['a bucket', { bucket: 'nobucket' }, ['mistake', 'bucket nobucket does not exist']],
  ['a key', { accessKeyId: 'other' }, ['mistake', 'access to bucket recordings is refused (InvalidAccessKeyId)']],
  [
    'a secret',
    { secretAccessKey: 'other' },
    ['mistake', 'access to bucket recordings is refused (SignatureDoesNotMatch)'],
  ],
  ['a server', { endpoint: 'http://127.0.0.1:1' }, ['away', 'bucket recordings cannot be used (ECONNREFUSED)']],
])('%s that is wrong is named with the setting', async (_what, changes, [kind, message]) => {
  expect(await problemOf(s3(changes))).toEqual([kind, `STANDIN_STORAGE: ${message}`])
})

test('S3 that takes objects and gives none back, or keeps them for ever, is named', async () => {
  onTestFinished(() => server.forgive())
  const before = server.requests.length
  server.fail({ operation: 'GetObject', times: 9, effect: { kind: 'refuse', status: 403, code: 'AccessDenied' } })
  expect(await problemOf(s3())).toEqual([
    'mistake',
    'STANDIN_STORAGE: access to bucket recordings is refused (AccessDenied)',
  ])
  const made = server.requests.slice(before)
  const keysOf = (of: string) => made.filter(({ operation }) => operation === of).map(({ key }) => key)
  expect(keysOf('DeleteObject')).toEqual(keysOf('PutObject'))
  server.forgive()
  server.fail({ operation: 'DeleteObject', times: 9, effect: { kind: 'refuse', status: 403, code: 'AccessDenied' } })
  expect(await problemOf(s3())).toEqual([
    'keeps_everything',
    expect.stringContaining('what is stored cannot be deleted: access to bucket recordings is refused'),
  ])
})

test('S3 that does not answer is away after ten seconds', async () => {
  const waited: number[] = []
  const clock = { sleep: async (ms: number) => void waited.push(ms) }
  const silent = {
    write: () => new Promise<never>(() => {}),
    read: async () => null,
    deletePrefix: async () => ({ files: 0, bytes: 0 }),
  }
  const message = 'STANDIN_STORAGE: bucket recordings does not answer within 10 s'
  await expect(checkStorage(silent, s3(), clock)).rejects.toMatchObject({ kind: 'away', message })
  expect(waited).toEqual([10_000])
})

test('a path below a file is a mistake, and a folder that vanished is not made again', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  onTestFinished(() => rm(file))
  await expect(problemOf({ type: 'folder', path: join(file, 'x') })).rejects.toMatchObject({
    kind: 'mistake',
    message: `STANDIN_STORAGE: The folder of recordings cannot be used (ENOTDIR): ${file}/x`,
  })
  const path = join(folder, 'mounted')
  const files = await openFileStore({ type: 'folder', path }, links)
  await rm(path, { recursive: true })
  await expect(files.check()).rejects.toThrow('(ENOENT)')
  expect(await readdir(folder)).toEqual(['file'])
})

/** A storage that fails with `problem`, a clock that the test moves, and the changes that were reported. */
function watched(type: 's3' | 'folder', problem: StorageProblem | null) {
  const storage = { problem, checks: 0, now: 0, changes: [] as (string | null)[] }
  const watch = watchStorage({
    settings: type === 's3' ? s3() : { type, path: folder },
    first: problem,
    now: () => storage.now,
    onChange: (found) => storage.changes.push(found?.message ?? null),
    async check() {
      storage.checks += 1
      if (storage.problem) throw storage.problem
    },
  })
  const poll = async (afterMs: number) => {
    storage.now += afterMs
    const found = () =>
      watch.readiness().then(
        () => 'ready',
        (error: Error) => error.message,
      )
    await found()
    await new Promise(setImmediate)
    return found()
  }
  return { storage, watch, poll }
}
const away = new StorageProblem('away', 'bucket x cannot be used (ECONNREFUSED)', 'Check that it runs')

test('polls within a minute ask nothing; a bad result is checked again after five seconds', async () => {
  const { storage, poll } = watched('folder', null)
  for (let second = 0; second < 59; second++) expect(await poll(1000)).toBe('ready')
  expect(storage.checks).toBe(0)
  storage.problem = away
  expect(await poll(1000)).toBe(away.message)
  expect(storage.checks).toBe(1)
  storage.problem = null
  expect(await poll(4000)).toBe(away.message)
  expect(await poll(1000)).toBe('ready')
  expect(storage.changes).toEqual([away.message, null])
})

test('S3 that never worked makes the process unready; S3 that worked before is a warning', async () => {
  const { storage, watch, poll } = watched('s3', away)
  expect(await poll(0)).toBe(away.message)
  storage.problem = null
  expect(await poll(5000)).toBe('ready')
  expect(watch.warning()).toBeNull()
  storage.problem = away
  expect(await poll(60_000)).toBe('ready')
  expect(watch.warning()).toBe(away.message)
})

test('S3 from which nothing can be deleted is a warning', async () => {
  const { watch, poll } = watched('s3', new StorageProblem('keeps_everything', 'no deletion', ''))
  expect(await poll(0)).toBe('ready')
  expect(watch.warning()).toBe('STANDIN_STORAGE: no deletion')
})
