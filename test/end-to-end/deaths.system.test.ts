/** Whatever dies in the middle of a meeting: what was recorded until then is there and plays, and the code is right. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probe } from '../media/media-info.ts'
import { type S3Server, startS3Server } from '../servers/s3-server.ts'
import type { BotProcess } from './bot-process.ts'
import { passes } from './meeting-script.ts'
import { endToEnd } from './stage.ts'

const { openMeeting, startBot } = endToEnd()
/** Recorded before the death, and what a death may cost of it. */
const RECORDED_SECONDS = 8
const LOST_SECONDS = 3

async function recordedFor(seconds: number, options?: Parameters<typeof startBot>[1]): Promise<BotProcess> {
  const bot = startBot(openMeeting(), options)
  await bot.whenStatus('in_call_recording')
  await bot.whenEvent('participant_joined')
  await passes(seconds)
  return bot
}

function killOne(bot: BotProcess, text: string): void {
  const [pid] = bot.children(text)
  if (pid === undefined) throw new Error(`The bot has no child ${text}`)
  process.kill(pid, 'SIGKILL')
}

describe('killed in the middle of a meeting', () => {
  test.each([
    ['Chromium', '--remote-debugging-pipe'],
    ['ffmpeg', 'ffmpeg'],
    ['Xvfb', 'Xvfb'],
    ['Pulse', 'pulseaudio'],
  ])('%s: the recording until then is stored and plays', async (_, process_) => {
    const bot = await recordedFor(RECORDED_SECONDS)
    killOne(bot, process_)
    const { exitCode, report } = await bot.ended()
    expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
    expect(exitCode).toBe(4)
    const media = await probe(bot.file('video.mp4'))
    expect(media.codecs).toEqual(['h264', 'aac'])
    expect(media.seconds).toBeGreaterThan(RECORDED_SECONDS - LOST_SECONDS)
    expect(report?.artifacts.map(({ name }) => name)).toContain('video.mp4')
  })

  test('the bot itself: nothing of it lives on, and what it wrote plays', async () => {
    const bot = await recordedFor(RECORDED_SECONDS)
    const children = bot.children('')
    expect(children.length).toBeGreaterThan(3)
    bot.kill('SIGKILL')
    await bot.exitCode
    await expect.poll(() => children.filter(isAlive), { timeout: 30_000 }).toEqual([])
    const [segment] = readdirSync(join(bot.folder, 'segments'))
    const media = await probe(join(bot.folder, 'segments', segment!))
    expect(media.seconds).toBeGreaterThan(RECORDED_SECONDS - LOST_SECONDS)
    const statuses = bot
      .lines<{ event: { type: string; status?: string } }>('events.jsonl')
      .map(({ event }) => event.status)
    expect(statuses).toContain('in_call_recording')
  })
})

describe('an S3 server', () => {
  const work = mkdtempSync(join(tmpdir(), 'standin-work-'))
  const environment = { STANDIN_WORK_FOLDER: work }
  let server: S3Server
  beforeAll(async () => {
    server = await startS3Server()
  })
  afterAll(async () => {
    await server.close()
    rmSync(work, { recursive: true, force: true })
  })
  const storage = () => ({
    type: 's3',
    bucket: server.bucket,
    prefix: 'calls',
    endpoint: server.endpoint,
    access_key_id: server.keys.accessKeyId,
    secret_access_key: server.keys.secretAccessKey,
  })

  test('that is well gets every file, and then the local ones go', async () => {
    const bot = await recordedFor(4, { job: { storage: storage() }, environment })
    bot.kill('SIGINT')
    const { exitCode, report } = await bot.ended()
    expect(exitCode).toBe(0)
    expect(report?.location).toBe(`s3://${server.bucket}/calls/${bot.botId}/`)
    expect(report?.artifacts.map(({ name }) => name)).toEqual(expect.arrayContaining(['video.mp4', 'audio.m4a']))
    expect(existsSync(join(work, bot.botId))).toBe(false)
  })

  test('that dies in the middle: the files stay on the machine, and nobody is told of a success', async () => {
    const limits = { storing_timeout: 15 }
    const bot = await recordedFor(4, { job: { storage: storage(), timeout_config: limits }, environment })
    await server.goDown()
    bot.kill('SIGINT')
    const { exitCode, report } = await bot.ended()
    expect(exitCode).toBe(4)
    expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
    expect((await probe(join(work, bot.botId, 'video.mp4'))).seconds).toBeGreaterThan(3)
    await server.comeBack()
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
