/** When a bot's own copies of its files may go: only if everything is stored elsewhere. */

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jobSchema } from '@standin/wire/job.ts'
import { expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import type { Storage } from '../../../packages/core/recording.ts'
import { type DeliveryParts, deliverJournal } from '../../../src/run/delivery.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { HandClock } from '../../fakes/clock.ts'
import { grown } from '../../fakes/world.ts'

const BUCKET = { type: 's3', bucket: 'recordings' }

function delivery(storage: object, store: () => Promise<void> = async () => {}) {
  const workFolder = temporaryFolder()
  for (const name of ['events.jsonl', 'video.mp4']) writeFileSync(join(workFolder, name), 'content')
  const job = jobSchema.parse({
    bot_id: '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11',
    meeting_url: 'https://meet.google.com/abc-defg-hij',
    storage,
  })
  const stored: string[] = []
  const parts: DeliveryParts = {
    ...{ job, workFolder, clock: new HandClock(), logger: silentLogger, control: { report: () => {} } },
    storage: {
      store: async ({ name }: { name: string }) => {
        await store()
        stored.push(name)
        return grown(name).stored
      },
    } as unknown as Storage,
  }
  return { parts, workFolder, stored }
}

function leaveEarlier(workFolder: string): string {
  const folder = 'earlier-2026-11-21T20-15-00.000Z/audio'
  mkdirSync(join(workFolder, folder), { recursive: true })
  writeFileSync(join(workFolder, folder, '1.ogg'), 'content')
  return `${folder}/1.ogg`
}

const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : null)

test('the local copies go after the journal and what earlier bots left are in the bucket', async () => {
  const { parts, workFolder, stored } = delivery(BUCKET)
  const left = leaveEarlier(workFolder)
  await deliverJournal(parts, null)
  expect(stored).toEqual(['events.jsonl', left])
  expect(filesIn(workFolder)).toBeNull()
})

test('what earlier bots left stays if it cannot be stored', async () => {
  let stores = 0
  const { parts, workFolder } = delivery(BUCKET, () => (stores++ === 0 ? Promise.resolve() : away()))
  const left = leaveEarlier(workFolder)
  await deliverJournal(parts, null)
  expect(existsSync(join(workFolder, left))).toBe(true)
})

const away = () => Promise.reject(new Error('the bucket is away'))
test.each<[string, object, Error | null, string[], (() => Promise<void>)?]>([
  ['another file could not be stored', BUCKET, new Error('the bucket was away'), []],
  ['the journal itself could not be stored', BUCKET, null, [], away],
  ['there is a spool, which may be all that is left of an earlier recording', BUCKET, null, ['spool']],
  ['the storage is a folder of this machine', { type: 'folder', path: 'recordings' }, null, []],
])('they stay if %s', async (_, storage, problem, folders, store) => {
  const { parts, workFolder } = delivery(storage, store)
  for (const folder of folders) mkdirSync(join(workFolder, folder))
  await deliverJournal(parts, problem)
  expect(filesIn(workFolder)).toEqual(['events.jsonl', ...folders, 'video.mp4'])
})
