/**
 * The bot that `kills.ts` kills. It only records, with the recorder and the storage of a real bot. Its argument is JSON
 * (`Plan`). It reports its stored bytes and its progress on standard output, and finishes when it fails or is
 * interrupted.
 */

import { silentLogger } from '../../packages/core/logger.ts'
import { createRecorder } from '../../recorder/index.ts'
import { openStorage, type S3Tuning, type StorageConfig } from '../../src/storage/index.ts'
import { S3Storage } from '../../src/storage/s3/storage.ts'
import { prepareOnDisplay, realClock } from '../../test/media/capture-environment.ts'

export interface Plan {
  storage: StorageConfig
  botId: string
  /** The recording's folder on this machine. */
  workFolder: string
  tuning: Partial<S3Tuning>
}

const plan = JSON.parse(process.argv[2] ?? '{}') as Plan
const recording = { botId: plan.botId, workFolder: plan.workFolder }
const storage =
  plan.storage.type === 's3'
    ? new S3Storage(plan.storage, recording, plan.tuning)
    : await openStorage(plan.storage, recording)
const { signal } = new AbortController()
const say = (fact: unknown) => process.stdout.write(`${JSON.stringify(fact)}\n`)

await storage.prepare(signal)
const recorder = createRecorder({
  mode: 'speaker_view',
  framesPerSecond: 25,
  folder: plan.workFolder,
  grow: (file) => storage.grow(file, signal),
  // Room for the index of minutes, not of hours: parts go up within seconds then.
  longestSeconds: 300,
  clock: realClock,
  logger: silentLogger,
  pictureLatencyMs: 0,
})
let isEnding = false
recorder.watch((event) => {
  if (event.type === 'progress') say({ type: 'progress', seconds: event.seconds })
  if (event.type === 'failed') void end(event.error.message)
})
process.on('SIGINT', () => void end(null))
say({ type: 'environment', environment: await prepareOnDisplay(recorder) })
await recorder.start()

async function end(failure: string | null): Promise<void> {
  if (isEnding) return
  isEnding = true
  const { files, problem } = await recorder.finish(signal)
  await recorder.close()
  say({ type: 'end', failure, files: files.map(({ stored }) => stored.name), problem: problem?.message ?? null })
  process.exit()
}
