/** `standin join` as it is installed: one bundle, with the parts that it loads when they are needed. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { temporaryFolder } from '../fakes/at-end.ts'
import { startS3Server, storageOf } from '../servers/s3-server.ts'
import { endToEnd } from './capture-environment.ts'
import { passes, speak, WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()

/** Hears the same word in every turn. */
const ENGINE = "export const openEngine = async () => ({ recognize: () => ({ text: 'hello', language: 'en' }) })"

test('the built bot records, hears words with a local engine, and stores its files in a bucket', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'models'))
  writeFileSync(join(folder, 'engine.mjs'), ENGINE)
  const server = await startS3Server()
  onTestFinished(() => server.close())
  const meeting = openMeeting('open', WITHOUT_CAMERAS)
  const bot = startBot(meeting, {
    program: [join(packageRoot, 'bin/standin')],
    job: { storage: storageOf(server), transcription: { provider: 'local', mode: 'live' } },
    environment: {
      STANDIN_WORK_FOLDER: folder,
      STANDIN_SPEECH_MODEL: join(folder, 'models'),
      STANDIN_SPEECH_ENGINE: join(folder, 'engine.mjs'),
    },
  })
  await bot.whenStatus('in_call_recording')
  await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Ben <b>Bold</b>')
  await passes(1)
  await speak(meeting, 'ben', 3)
  await bot.whenEvent('transcript')
  meeting.endForAll()
  const { exitCode, report } = await bot.ended()
  expect({ exitCode, status: report?.status }).toEqual({ exitCode: 0, status: 'completed' })
  const stored = [...server.state.objects.keys()]
  expect(stored).toEqual(expect.arrayContaining(['video.mp4', 'audio.m4a'].map((name) => `${bot.botId}/${name}`)))
})
