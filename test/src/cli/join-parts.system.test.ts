/**
 * `standin join-parts` with real media: one part of a bot that was killed, and one that ended with its final report.
 */

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BotEvent } from '@standin/wire/events.ts'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { run as standin } from '../../../src/cli/run.ts'
import { S3Storage } from '../../../src/storage/s3/storage.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { inProcess } from '../../fakes/in-process.ts'
import { probe } from '../../media/media-info.ts'
import { startS3Server, storageOf } from '../../servers/s3-server.ts'
import { recording } from '../run/recording-bot.ts'
import { never } from '../storage/place.ts'

const run = promisify(execFile)
const START = Date.parse('2026-11-21T09:30:00.000Z')
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString()
const ADA = { id: 1, name: 'Ada', platform_id: 'a' }
const BEN = { id: 2, name: 'Ben', platform_id: 'b' }

const speaks = (participant: typeof ADA, seconds: number, isSpeaking: boolean, offset: number): [number, BotEvent] => [
  seconds,
  {
    ...{ type: 'speaker', participant, is_speaking: isSpeaking, timestamp: START / 1000 + seconds, offset },
    ...{ source: 'csrc', confidence: 1 },
  },
]
const joins = (participant: typeof ADA, seconds: number): [number, BotEvent] => [
  seconds,
  { type: 'participant_joined', participant, offset: null },
]
const says = (id: string, text: string, seconds: number, sender_id: number): [number, BotEvent] => [
  seconds,
  {
    ...{ type: 'chat_message', message_id: id, sender_id, sender_name: 'x' },
    ...{ timestamp: at(seconds), is_own: false, text },
  },
]
const recordsFrom = (seconds: number): [number, BotEvent] => [
  seconds,
  { type: 'status_change', status: 'in_call_recording', start_time: START / 1000 + seconds },
]

let botId: string
let folder: string
/** Folders by seconds: each length is encoded once. */
let media: string
beforeAll(async () => {
  media = await mkdtemp(join(tmpdir(), 'standin-parts-'))
  for (const seconds of ['4', '3']) {
    await mkdir(join(media, seconds))
    const inputs = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=25', '-f', 'lavfi', '-i', 'sine=r=48000']
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '0', '-c:a', 'aac']
    const video = join(media, seconds, 'video.mp4')
    await run('ffmpeg', ['-v', 'error', ...inputs, '-t', seconds, ...codecs, video])
    await run('ffmpeg', ['-v', 'error', '-i', video, '-vn', '-c', 'copy', join(media, seconds, 'audio.m4a')])
  }
})
afterAll(() => rm(media, { recursive: true, force: true }))
beforeEach(async () => {
  botId = randomUUID()
  folder = temporaryFolder()
})

/** The first part has four seconds from 0 on, the second three from 10 on, in which people have other numbers. */
async function writeParts(): Promise<string[]> {
  const ended = { start: 0.5, end: 1, text: 'Hello', language: 'en', speaker: 'Ben', user_id: 1, words: [] }
  const holes = [{ start: 1, end: 2, user_id: 1, reason: 'no' }]
  return [
    await writePart('1', 4, [
      ...[recordsFrom(0), joins(ADA, 0), joins(BEN, 0), says('m1', 'First', 1, 1)],
      ...[speaks(ADA, 1, true, 1), speaks(ADA, 3, false, 3), speaks(BEN, 3.5, true, 3.5)],
    ]),
    await writePart(
      '2',
      3,
      [
        [10, await finalReport()],
        ...[recordsFrom(10), joins({ ...BEN, id: 1 }, 10), joins({ id: 2, name: 'Cleo', platform_id: 'c' }, 10)],
        // The platform shows what was written before.
        ...[says('m1', 'First', 1, 1), says('m2', 'Second', 11, 2)],
        ...[speaks({ ...BEN, id: 1 }, 11, true, 1), speaks({ ...BEN, id: 1 }, 12, false, 2)],
      ],
      { 'transcription.json': { provider: 'Default', result: { languages: ['en'], utterances: [ended], holes } } },
    ),
  ]
}

async function finalReport(): Promise<BotEvent> {
  const world = await recording()
  world.stop('command')
  return world.report()
}

async function writePart(
  attempt: string,
  seconds: number,
  events: [number, BotEvent][],
  files: Record<string, object> = {},
): Promise<string> {
  const place = join(folder, attempt)
  const recording = join(place, botId)
  await mkdir(recording, { recursive: true })
  for (const name of ['video.mp4', 'audio.m4a'])
    await copyFile(join(media, String(seconds), name), join(recording, name))
  const lines = events.map(([when, event], place) =>
    JSON.stringify({ type: 'event', seq: place + 1, bot_id: botId, at: at(when), event }),
  )
  // The last line of a dead bot is torn.
  await writeFile(join(recording, 'events.jsonl'), `${lines.join('\n')}\n{"type":"eve`)
  for (const [name, content] of Object.entries(files)) await writeFile(join(recording, name), JSON.stringify(content))
  return place
}

const joinParts = (parts: string[], to: string, ...options: string[]) =>
  inProcess(standin, ['join-parts', '--bot-id', botId, '--part', ...parts, '--to', to, ...options])

async function joined(parts: string[], to: string, ...options: string[]) {
  const { exitCode, out, errors } = await joinParts(parts, to, '--json', ...options)
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
  const lines = out.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as { name: string; seconds: number | null; location: string })
}

const jsonOf = async (...path: string[]) => JSON.parse(await readFile(join(...path), 'utf8'))
const linesOf = async (...path: string[]) =>
  (await readFile(join(...path), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('media, people, turns, chat, words and events of two parts are those of one recording', async () => {
  const to = join(folder, '0')
  const files = await joined(await writeParts(), to)
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['video.mp4', 'audio.m4a', 'manifest.json']))
  const place = join(to, botId)
  expect((await probe(join(place, 'video.mp4'))).seconds).toBeCloseTo(7, 0)

  const manifest = await jsonOf(place, 'manifest.json')
  expect(manifest.gaps).toMatchObject([
    { offset: expect.closeTo(4, 0), ended_at: at(10), seconds: expect.closeTo(6, 0), reason: 'bot_died' },
  ])
  expect(manifest.parts).toMatchObject([{ has_transcript: false }, { has_transcript: true }])

  const people = await jsonOf(place, 'participants.json')
  expect(people).toMatchObject([
    { id: 1, name: 'Ada' },
    { id: 2, name: 'Ben', visits: [{}, {}] },
    { id: 3, name: 'Cleo' },
  ])
  const turns = await linesOf(place, 'diarization.jsonl')
  expect(turns).toMatchObject([
    { speaker: 'Ada', user_id: 1 },
    { speaker: 'Ben', user_id: 2, end_time: expect.closeTo(4, 1) },
    { speaker: 'Ben', user_id: 2, start_time: expect.closeTo(5, 1) },
  ])
  const chat = await jsonOf(place, 'chat_messages.json')
  expect(chat).toMatchObject([
    { text: 'First', sender_id: 1 },
    { text: 'Second', sender_id: 3 },
  ])
  const { result } = await jsonOf(place, 'transcription.json')
  expect(result.holes).toEqual([{ start: expect.closeTo(5, 1), end: expect.closeTo(6, 1), user_id: 2, reason: 'no' }])
  expect(result.utterances).toMatchObject([{ text: 'Hello', user_id: 2, start: expect.closeTo(4.5, 1) }])
  expect(await readFile(join(place, 'report.html'), 'utf8')).toMatch(/(?!0\.0)\d+\.\d MB/)
  const events = await linesOf(place, 'events.jsonl')
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(events.filter(({ event }) => event.type === 'recording_gap')).toHaveLength(1)
  expect(events.at(-1).event).toMatchObject({ participant: { id: 2, name: 'Ben' }, offset: expect.closeTo(6, 1) })
})

test('where the first part is lost, the gap is at the beginning', async () => {
  const [, second] = await writeParts()
  const to = join(folder, '0')
  await joined([second!], to, '--began-at', at(0))
  const { gaps } = await jsonOf(to, botId, 'manifest.json')
  expect(gaps).toEqual([{ started_at: at(0), ended_at: at(10), offset: 0, seconds: 10, reason: 'bot_died' }])
})

test('parts that cannot be played are named, and nothing appears', async () => {
  const [first, second] = await writeParts()
  await writeFile(join(second!, botId, 'video.mp4'), 'no picture')
  const to = join(folder, '0')
  const failed = await joinParts([first!, second!], to)
  expect(failed).toMatchObject({ exitCode: 4, errors: expect.stringContaining('not joined') })
  await expect(readFile(join(to, botId, 'video.mp4'))).rejects.toThrow('ENOENT')
})

test('parts in a bucket become a recording in the bucket', async () => {
  const server = await startS3Server()
  vi.stubEnv('AWS_ACCESS_KEY_ID', server.keys.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', server.keys.secretAccessKey)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await server.close()
  })
  const storage = (prefix: string) => new S3Storage({ ...storageOf(server), prefix }, { botId })
  for (const [number, place] of (await writeParts()).entries())
    for (const name of ['video.mp4', 'audio.m4a', 'events.jsonl'])
      await storage(`calls/${number + 1}`).store(
        { name, path: join(place, botId, name), contentType: 'application/octet-stream' },
        never,
      )
  const address = (prefix: string) => `s3://${server.bucket}/calls/${prefix}`
  const files = await joined([address('1'), address('2')], address('0'), '--s3-endpoint', server.endpoint)
  expect(files.find(({ name }) => name === 'video.mp4')?.location).toBe(`${address('0')}/${botId}/video.mp4`)
  const video = join(folder, 'fetched.mp4')
  await storage('calls/0').fetch('video.mp4', video, never)
  expect((await probe(video)).seconds).toBeCloseTo(7, 0)
  const manifest = join(folder, 'manifest.json')
  await storage('calls/0').fetch('manifest.json', manifest, never)
  expect((await jsonOf(manifest)).gaps).toMatchObject([{ reason: 'bot_died' }])
})
