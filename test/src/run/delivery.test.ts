/** When a bot's own copies of its files may go: only if everything is stored elsewhere. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jobSchema } from '@standin/wire/job.ts'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../core/logger.ts'
import type { Storage } from '../../../core/recording.ts'
import { type DeliveryParts, deliverJournal } from '../../../src/run/delivery.ts'
import { HandClock } from '../../fakes/clock.ts'
import { grown } from '../../fakes/world.ts'

const BUCKET = { type: 's3', bucket: 'recordings' }

function delivery(storage: object, store: () => Promise<void> = async () => {}) {
  const workFolder = mkdtempSync(join(tmpdir(), 'standin-delivery-'))
  onTestFinished(() => rmSync(workFolder, { recursive: true, force: true }))
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

const filesIn = (folder: string) => {
  try {
    return readdirSync(folder).sort()
  } catch {
    return null
  }
}

test('the local copies go after the journal, the last file, is in the bucket', async () => {
  const { parts, workFolder, stored } = delivery(BUCKET)
  await deliverJournal(parts, null)
  expect(stored).toEqual(['events.jsonl'])
  expect(filesIn(workFolder)).toBeNull()
})

test('they stay if another file could not be stored', async () => {
  const { parts, workFolder } = delivery(BUCKET)
  await deliverJournal(parts, new Error('the bucket was away'))
  expect(filesIn(workFolder)).toEqual(['events.jsonl', 'video.mp4'])
})

test('they stay if the journal itself could not be stored', async () => {
  const { parts, workFolder } = delivery(BUCKET, () => Promise.reject(new Error('the bucket is away')))
  await deliverJournal(parts, null)
  expect(filesIn(workFolder)).toEqual(['events.jsonl', 'video.mp4'])
})

test('they stay beside a spool, which may be all that is left of an earlier recording', async () => {
  const { parts, workFolder } = delivery(BUCKET)
  mkdirSync(join(workFolder, 'spool'))
  await deliverJournal(parts, null)
  expect(filesIn(workFolder)).toEqual(['events.jsonl', 'spool', 'video.mp4'])
})

test('they stay in a storage that is a folder of this machine', async () => {
  const { parts, workFolder } = delivery({ type: 'folder', path: 'recordings' })
  await deliverJournal(parts, null)
  expect(filesIn(workFolder)).toEqual(['events.jsonl', 'video.mp4'])
})
