/** Recordings that are not where the database says, as the start of the service and the doctor look for them. */

import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OpenedFiles, openFileStore, type StorageSettings } from '@standin/control-plane/files/open-file-store.ts'
import { checkRecordings } from '@standin/control-plane/files/storage-check.ts'
import type { ServiceConfig } from '@standin/control-plane/main/config/config.ts'
import { lookForRecordings } from '@standin/control-plane/main/wiring/files.ts'
import { expect, onTestFinished, test } from 'vitest'
import { atEnd, temporaryFolder } from '../../fakes/at-end.ts'
import { startS3Server } from '../../servers/s3-server.ts'
import { openJobWorld } from './jobs/job-world.ts'

const world = await openJobWorld()
const server = await startS3Server()
const other = temporaryFolder()
atEnd(() => server.close())

async function opened(settings: StorageSettings): Promise<OpenedFiles> {
  const files = await openFileStore(settings, { secret: Buffer.alloc(32), publicUrl: '', now: Date.now })
  onTestFinished(() => files.close())
  return files
}

const look = async (settings: StorageSettings) =>
  checkRecordings(world.database, (await opened(settings)).store, settings)
const own = (): StorageSettings => ({ type: 'folder', path: world.root })

test('all are there, also those of bots that recorded nothing and those whose data is gone', async () => {
  expect(await look(own())).toBe(0)
  await world.recordedBot()
  await world.recordedBot()
  await world.addBot(world.team, { ended_at: new Date(), status: 'failed' })
  const deleted = await world.recordedBot({ data_deleted_at: new Date() })
  await rm(join(world.root, deleted), { recursive: true })
  expect(await look(own())).toBe(2)
})

test('a folder without them is named with its setting, and so is one missing file', async () => {
  const ids = [await world.recordedBot(), await world.recordedBot()]
  await expect(look({ type: 'folder', path: other })).rejects.toMatchObject({
    message: expect.stringContaining(
      `STANDIN_STORAGE: 2 of the 2 newest recordings are not where the database says: folder ${other} has no `,
    ),
  })
  const video = join(world.root, ids[0]!, '1', ids[0]!, 'video.mp4')
  await rename(video, `${video}.away`)
  await expect(look(own())).rejects.toMatchObject({
    fault: `1 of the 2 newest recordings is not where the database says: folder ${world.root} has no ${ids[0]}/1/${ids[0]}/video.mp4`,
  })
  await rename(`${video}.away`, video)
  expect(await look(own())).toBe(2)
})

test('of many recordings the newest ten are looked for, and a bucket is asked once for each', async () => {
  const days = (count: number) => new Date(Date.now() - count * 86_400_000)
  for (let count = 0; count < 12; count += 1) await world.recordedBot({ ended_at: days(count) })
  for (const id of (
    await world.database.selectFrom('bots').select('id').where('ended_at', '<', days(9.5)).execute()
  ).map((row) => row.id))
    await rm(join(world.root, id), { recursive: true })
  expect(await look(own())).toBe(10)
  const s3: StorageSettings = {
    type: 's3',
    bucket: server.bucket,
    prefix: 'wrong',
    endpoint: server.endpoint,
    ...server.keys,
  }
  const before = server.requests.length
  await expect(look(s3)).rejects.toThrow('10 of the 10 newest recordings are not where the database says: bucket')
  expect(server.requests.slice(before).map(({ operation }) => operation)).toEqual(Array(10).fill('ListObjectsV2'))
})

test('the start logs it with the cure, and nothing if storage or database do not answer', async () => {
  await world.recordedBot()
  const logged: string[] = []
  const log = {
    info() {},
    error() {},
    warn: (values: object, text: string) => void logged.push(`${text} → ${JSON.stringify(values)}`),
  }
  const start = async (storage: StorageSettings) =>
    lookForRecordings({ storage } as ServiceConfig, world, await opened(storage), log)
  await start(own())
  await start({ type: 's3', bucket: 'nobucket', prefix: '', endpoint: 'http://127.0.0.1:1', ...server.keys })
  expect(logged).toEqual([])
  await mkdir(join(other, 'empty'))
  await writeFile(join(other, 'empty', 'file'), '')
  await start({ type: 'folder', path: join(other, 'empty') })
  expect(logged).toEqual([expect.stringMatching(/^STANDIN_STORAGE: 1 of the 1 newest .* → \{"cure":"Name the folder/)])
})
