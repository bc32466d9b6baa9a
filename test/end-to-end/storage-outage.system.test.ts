/** A bot that stores its recording in a bucket, whose server is well, or goes away in the middle. */

import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MockMeeting } from '../../packages/mock/types.ts'
import { temporaryFolder } from '../fakes/at-end.ts'
import { probe } from '../media/media-info.ts'
import { type S3Server, startS3Server, storageOf, variablesOf } from '../servers/s3-server.ts'
import { type BotProcess, recover } from './bot-process.ts'
import { endToEnd } from './capture-environment.ts'
import { passes, WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()

describe('an S3 server', () => {
  const work = temporaryFolder()
  let server: S3Server
  beforeAll(async () => {
    server = await startS3Server()
  })
  afterAll(() => server.close())
  /** Resolves when the bot has recorded for a while a meeting of which no picture is looked at. */
  async function recorded(meeting: MockMeeting, job: Record<string, unknown> = {}): Promise<BotProcess> {
    const storage = { ...storageOf(server), prefix: 'calls' }
    const bot = startBot(meeting, { job: { ...job, storage }, environment: { STANDIN_WORK_FOLDER: work } })
    await bot.whenStatus('in_call_recording')
    await bot.whenEvent('participant_joined')
    await passes(3)
    return bot
  }

  async function storedSeconds(bot: BotProcess): Promise<number> {
    const path = join(work, 'stored.mp4')
    writeFileSync(path, server.state.objects.get(`calls/${bot.botId}/video.mp4`)!.body)
    return (await probe(path)).seconds
  }

  test('that is well gets every file of a bot that SIGTERM ends while it records, and then the local ones go', async () => {
    const meeting = openMeeting('open', WITHOUT_CAMERAS)
    const bot = await recorded(meeting)
    bot.kill('SIGTERM')
    const { exitCode, report } = await bot.ended()
    expect(exitCode).toBe(4)
    expect(report).toMatchObject({ status: 'failed', error_code: 'SIGTERM' })
    expect(report?.location).toBe(`s3://${server.bucket}/calls/${bot.botId}/`)
    expect(report?.artifacts.map(({ name }) => name)).toEqual(expect.arrayContaining(['video.mp4', 'audio.m4a']))
    expect(await storedSeconds(bot)).toBeGreaterThan(2)
    // As another user than root, the bot may empty its folder and not remove it.
    const local = join(work, bot.botId)
    expect(existsSync(local) ? readdirSync(local) : []).toEqual([])
    expect(meeting.truth.leftAt).not.toBeNull()
  })

  test('that crashes in the middle: no success is reported, and later the recording is recovered into it', async () => {
    const meeting = openMeeting('open', WITHOUT_CAMERAS)
    const bot = await recorded(meeting, { timeout_config: { storing_timeout: 2 } })
    await server.goDown()
    bot.kill('SIGINT')
    const { exitCode, report } = await bot.ended()
    expect(exitCode).toBe(4)
    expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
    await server.comeBack()
    await recover(join(work, bot.botId), variablesOf(server))
    expect(await storedSeconds(bot)).toBeCloseTo(report!.duration_seconds!, 0)
  })
})
