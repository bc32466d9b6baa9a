/**
 * If a program crashes in the middle of a meeting, the recording until then exists and plays, and the code is right.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../core/process/page-scripts.ts'
import type { DiarizationSegment } from '../../src/run/timeline.ts'
import { probe } from '../media/media-info.ts'
import { heardShare, pictureAt, shownShare, soundOf } from '../media/meeting-recording.ts'
import { type S3Server, startS3Server } from '../servers/s3-server.ts'
import type { BotProcess } from './bot-process.ts'
import { endToEnd } from './capture-environment.ts'
import { LOOK, passes, speak, startSpeaking, type Turn, truthOf } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()
/** Recorded before the death, and what a death may cost of it. */
const RECORDED_SECONDS = 8
const LOST_SECONDS = 3
/** A browser that has only just come back plays sound late on a machine that is busy with its start. */
const LATE_SECONDS = 2

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

describe('a browser that crashes in the middle of a meeting', () => {
  test('is replaced, as a whole and as a page, and the recording continues in the same file', async () => {
    const meeting = openMeeting()
    const bot = startBot(meeting, { job: { entry_message: 'Hello' } })
    await bot.whenStatus('in_call_recording')
    await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Dan')
    await passes(2)
    await startSpeaking(meeting, 'ann')
    await passes(5)
    killOne(bot, '--remote-debugging-pipe')
    const first = await bot.whenEvent('recording_gap')
    meeting.stopSpeaking('ann')
    await passes(1)
    await speak(meeting, 'ben', 6)
    meeting.say('cleo', 'After the first')
    await bot.whenEvent('chat_message', ({ text }) => text === 'After the first')
    for (const pid of bot.children('--type=renderer')) process.kill(pid, 'SIGKILL')
    const second = await bot.whenEvent('recording_gap', ({ offset }) => offset > first.event.offset)
    await passes(1)
    await speak(meeting, 'cleo', 6)
    await passes(1)
    meeting.endForAll()
    const { exitCode, report } = await bot.ended()

    expect(exitCode).toBe(0)
    expect(report).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED' })
    expect(bot.statuses()).toEqual(['joining_call', 'in_call_not_recording', 'in_call_recording', 'completed'])
    expect(report?.gaps?.map(({ offset }) => offset)).toEqual([first.event.offset, second.event.offset])
    const media = await probe(bot.file('video.mp4'))
    expect(media.codecs).toEqual(['h264', 'aac'])
    expect(media.seconds).toBeCloseTo(report!.duration_seconds!, 0)

    // Truth counts on through the gaps; the recording leaves them out.
    const sound = await soundOf(bot.file('video.mp4'))
    const missing = [0, first.event.seconds, first.event.seconds + second.event.seconds]
    const [ann, ben, cleo] = truthOf(meeting, bot).map((turn, index) => {
      return { ...turn, start: turn.start - missing[index]!, end: turn.end - missing[index]! }
    })
    expect(heardShare(sound, LOOK.ann!, ann!.start, first.event.offset)).toBeGreaterThan(0.5)
    for (const turn of [ben!, cleo!]) {
      expect(heardOf(turn, sound), turn.id).toBeGreaterThan(0.5)
      const picture = await pictureAt(bot.file('video.mp4'), turn.end - 0.5)
      expect(shownShare(picture, LOOK[turn.id]!), turn.id).toBeGreaterThan(0.3)
    }

    const segments = bot.lines<DiarizationSegment>('diarization.jsonl')
    const ofAnn = segments.filter(({ speaker }) => speaker === ann!.name)
    expect(Math.abs(ofAnn[0]!.end_time - first.event.offset)).toBeLessThan(1)
    for (const turn of [ben!, cleo!]) {
      const [noted] = segments.filter(({ speaker }) => speaker === turn.name)
      expect(Math.abs(noted!.start_time - turn.start), turn.id).toBeLessThan(LATE_SECONDS)
    }
    // Each participant came once, none left for it, and no message was reported twice.
    const people = bot.json<{ name: string; visits: unknown[] }[]>('participants.json')
    expect(people.map(({ name }) => name).sort()).toEqual(['Ann Host', 'Ben <b>Bold</b>', 'Cléo Ñandú', 'Dan'])
    expect(people.flatMap(({ visits }) => visits)).toHaveLength(4)
    expect(bot.json<{ text: string }[]>('chat_messages.json').map(({ text }) => text)).toEqual([
      'Hello',
      'After the first',
    ])
  })
})

test('a sound server that crashes in the waiting room: the bot asks to join again, and speech is recorded', async () => {
  const meeting = openMeeting('own-lobby-timeout')
  const bot = startBot(meeting)
  await bot.whenStatus('in_waiting_room')
  killOne(bot, 'pulseaudio')
  await meeting.whenState('left', 60_000)
  await meeting.whenState('lobby', 60_000)
  meeting.admit()
  await bot.whenStatus('in_call_recording')
  await passes(1)
  await speak(meeting, 'ben', 4)
  await passes(1)
  meeting.endForAll()
  const { exitCode, report } = await bot.ended()

  expect(exitCode).toBe(0)
  expect(report).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED' })
  const [ben] = truthOf(meeting, bot)
  expect(heardOf(ben!, await soundOf(bot.file('video.mp4')))).toBeGreaterThan(0.5)
})

describe('killed in the middle of a meeting', () => {
  test.each([
    ['ffmpeg', 'encoder_died'],
    ['Xvfb', 'browser_died'],
    ['pulseaudio', 'browser_died'],
  ])('%s: is replaced, and the recording continues in the same file (%s)', async (program, reason) => {
    const meeting = openMeeting()
    const bot = startBot(meeting)
    await bot.whenStatus('in_call_recording')
    await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Dan')
    await passes(RECORDED_SECONDS)
    const killedAt = Date.now()
    killOne(bot, program)
    const { event: gap } = await bot.whenEvent('recording_gap')
    expect(gap.reason).toBe(reason)
    await speak(meeting, 'ben', 6)
    await passes(1)
    meeting.endForAll()
    const { exitCode, report } = await bot.ended()

    expect(exitCode).toBe(0)
    expect(report).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED', gaps: [{ reason }] })
    expect((killedAt - Date.parse(gap.started_at)) / 1000).toBeLessThan(LOST_SECONDS)
    const media = await probe(bot.file('video.mp4'))
    expect(media.codecs).toEqual(['h264', 'aac'])
    expect(media.seconds).toBeCloseTo(report!.duration_seconds!, 0)
    const [ben] = truthOf(meeting, bot)
    const turn = { ...ben!, start: ben!.start - gap.seconds, end: ben!.end - gap.seconds }
    expect(heardOf(turn, await soundOf(bot.file('video.mp4')))).toBeGreaterThan(0.5)
    const picture = await pictureAt(bot.file('video.mp4'), turn.end - 0.5)
    expect(shownShare(picture, LOOK.ben!)).toBeGreaterThan(0.3)
  })

  test('the bot itself: none of its processes survives, and its recording is recovered', async () => {
    const bot = await recordedFor(RECORDED_SECONDS)
    const children = bot.children('')
    expect(children.length).toBeGreaterThan(3)
    bot.kill('SIGKILL')
    await bot.exitCode
    await expect.poll(() => children.filter(isAlive), { timeout: 30_000 }).toEqual([])
    await recover(bot.folder)
    for (const name of ['video.mp4', 'audio.m4a'])
      expect((await probe(bot.file(name))).seconds, name).toBeGreaterThan(RECORDED_SECONDS - LOST_SECONDS)
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

  test('that crashes in the middle: no success is reported, and later the recording is recovered into it', async () => {
    const limits = { storing_timeout: 15 }
    const bot = await recordedFor(4, { job: { storage: storage(), timeout_config: limits }, environment })
    await server.goDown()
    bot.kill('SIGINT')
    const { exitCode, report } = await bot.ended()
    expect(exitCode).toBe(4)
    expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
    await server.comeBack()
    const { accessKeyId, secretAccessKey } = server.keys
    await recover(join(work, bot.botId), { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey })
    const path = join(work, 'stored.mp4')
    writeFileSync(path, server.state.objects.get(`calls/${bot.botId}/video.mp4`)!.body)
    expect((await probe(path)).seconds).toBeCloseTo(report!.duration_seconds!, 0)
  })
})

/** Share of a turn, given in the recording's seconds, that is heard. */
function heardOf({ id, start, end }: Turn, sound: Float32Array): number {
  const until = end + LATE_SECONDS
  return (heardShare(sound, LOOK[id]!, start, until) * (until - start)) / (end - start)
}

/** As an operator does it. */
async function recover(folder: string, environment: Record<string, string> = {}): Promise<void> {
  const program = join(packageRoot, 'src/cli/index.ts')
  await promisify(execFile)(process.execPath, [program, 'recover', folder], { env: { ...process.env, ...environment } })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
