/**
 * A bot that only records: it prepares, starts, and reports its capture environment and its progress on standard
 * output.
 * For tests that kill the whole process or run it as another user. Arguments: folder, mode, seconds until it finishes
 * (none: until it is killed).
 */

import type { RecordingMode } from '@standin/wire/codes.ts'
import { silentLogger } from '../../packages/core/logger.ts'
import { createRecorder } from '../../recorder/index.ts'
import { growIn, prepareOnDisplay, realClock } from './capture-environment.ts'

const [folder = '', mode = 'speaker_view', seconds] = process.argv.slice(2)
const say = (fact: unknown) => process.stdout.write(`${JSON.stringify(fact)}\n`)
const recorder = createRecorder({
  mode: mode as RecordingMode,
  framesPerSecond: 30,
  folder,
  grow: growIn(folder),
  clock: realClock,
  logger: silentLogger,
  pictureLatencyMs: 0,
})
recorder.watch((event) => say(event))
say({ type: 'environment', environment: await prepareOnDisplay(recorder) })
await recorder.start()
if (seconds !== undefined) {
  await realClock.sleep(Number(seconds) * 1000)
  const { files } = await recorder.finish(new AbortController().signal)
  say({ type: 'files', files: files.map(({ stored }) => stored) })
  await recorder.close()
}
