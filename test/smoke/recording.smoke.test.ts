/** One whole recording: a real bot, Chromium and encoder, paused in the middle; its files are decoded and looked at. */
import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Artifact } from '@standin/wire/events.ts'
import { expect, test } from 'vitest'
import { lookColor } from '../../packages/mock/media/room.ts'
import type { DiarizationSegment } from '../../src/run/timeline.ts'
import { endToEnd } from '../end-to-end/capture-environment.ts'
import { FOUR_PEOPLE, LOOK, passes, speak, truthOf } from '../end-to-end/meeting-script.ts'
import { isIndexFirst, probe } from '../media/media-info.ts'
import {
  beepsIn,
  heardShare,
  offsets,
  type Picture,
  picturesOf,
  soundOf,
  whiteShare,
} from '../media/meeting-recording.ts'
import { median } from '../media/statistics.ts'
import { clientOf, eventsOf, seqs, startExample, TOKEN } from '../src/control-link/support.ts'

/** Enough to see, and little to encode for the mock. A flash is two pictures. */
const PICTURES = { width: 320, height: 180, fps: 20, layers: 1, moves: false } as const
/** In a browser on a busy machine; sound that is put at a wrong place is off by more. */
const APART_MS = 400
/** A whole bot beside others on a machine that is busy. */
const LIMIT_MS = 600_000

const { openMeeting, startBot } = endToEnd()

test('a meeting is recorded with a pause, and the files play, show and name what was there', {
  timeout: LIMIT_MS,
}, async () => {
  const meeting = openMeeting('open', FOUR_PEOPLE, PICTURES)
  meeting.flashAndBeep(true)
  const plane = await startExample()
  const control_plane = { url: plane.url, token: TOKEN }
  const bot = startBot(meeting, { job: { control_plane, recording_mode: 'gallery_view', bot_name: 'Notes' } })
  const { command, events } = clientOf(plane.api, bot.botId)
  await bot.whenStatus('in_call_recording')
  await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Dan')
  await speak(meeting, 'ann', 5)
  await passes(1)
  expect(await command({ type: 'pause' })).toMatchObject({ ok: true })
  await speak(meeting, 'ben', 2)
  // A busy browser plays sound late, and what it plays after the pause is recorded.
  await passes(4)
  expect(await command({ type: 'resume' })).toMatchObject({ ok: true })
  await passes(1)
  meeting.say('cleo', 'A message with <script>alert(1)</script> & 😀')
  await speak(meeting, 'cleo', 5)
  await bot.whenEvent('chat_message')
  await passes(1)
  meeting.endForAll()
  const { exitCode, report } = await bot.ended()

  expect(exitCode).toBe(0)
  expect(report).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED', error_code: null })
  const video = bot.file('video.mp4')
  const media = await probe(video)
  expect(media).toMatchObject({ codecs: ['h264', 'aac'], width: 1280, height: 720, frameRate: '25/1' })
  expect(await isIndexFirst(video)).toBe(true)
  expect((await probe(bot.file('audio.m4a'))).codecs).toEqual(['aac'])

  // The pause is in no file, neither its seconds nor its words.
  const manifest = bot.json<{ files: Artifact[]; spans: { started_at: string; ended_at: string }[] }>('manifest.json')
  const [first, second] = manifest.spans.map((span) =>
    [span.started_at, span.ended_at].map((at) => Date.parse(at) / 1000),
  )
  const firstSeconds = first![1]! - first![0]!
  const paused = second![0]! - first![1]!
  expect(manifest.spans).toHaveLength(2)
  expect(paused).toBeGreaterThan(5)
  expect(media.seconds).toBeCloseTo(report!.duration_seconds!, 0)
  expect(Math.abs(media.seconds - (firstSeconds + second![1]! - second![0]!))).toBeLessThan(1)
  const sound = await soundOf(video)
  expect(heardShare(sound, LOOK.ben!, 0, media.seconds)).toBeLessThan(0.04)

  // Each speaker is heard at their place, before and after the pause, and noted there.
  const segments = bot.lines<DiarizationSegment>('diarization.jsonl')
  const [ann, , cleo] = truthOf(meeting, bot)
  const turns = [ann!, { ...cleo!, start: cleo!.start - paused, end: cleo!.end - paused }]
  for (const { id, name, start, end } of turns) {
    expect(heardShare(sound, LOOK[id]!, start + 0.7, end - 0.5), `${id} is heard`).toBeGreaterThan(0.5)
    const mine = segments.filter(({ speaker }) => speaker === name)
    expect(Math.abs(mine[0]!.start_time - start), `${name} begins`).toBeLessThan(1.5)
    expect(Math.abs(mine.at(-1)!.end_time - end), `${name} ends`).toBeLessThan(2.5)
  }
  expect(new Set(segments.map(({ speaker }) => speaker))).toEqual(new Set(turns.map(({ name }) => name)))

  // Each camera fills its own tile, and sound and picture are together, before and after the pause.
  const pictures = await picturesOf(video)
  expect(pictures.length / media.seconds).toBeCloseTo(25, 0)
  const beeps = beepsIn(sound)
  const flashes = flashesIn(pictures)
  for (const [from, to] of [
    [0, firstSeconds],
    [firstSeconds, media.seconds],
  ] as const) {
    const during = pictures.filter(({ seconds }) => seconds >= from && seconds < to)
    const tiles = ['ann', 'ben', 'cleo'].map((id) => tileOf(during, LOOK[id]!))
    const apart = offsets(
      flashes.filter((at) => at > from + 0.5 && at < to - 0.5),
      beeps,
    )
    expect(new Set(tiles.map(({ quarter }) => quarter)).size).toBe(3)
    for (const { share } of tiles) expect(share).toBeGreaterThan(0.9)
    expect(apart.length).toBeGreaterThan(0)
    expect(Math.abs(median(apart))).toBeLessThan(APART_MS)
  }

  const stored = manifest.files.find(({ name }) => name === 'video.mp4')
  const contents = readFileSync(video)
  expect(stored).toMatchObject({ bytes: contents.length, crc32: crc32(contents).toString(16).padStart(8, '0') })
  const people = FOUR_PEOPLE.map(({ name }) => name).sort()
  expect(report!.participants.map(({ name }) => name).sort()).toEqual(people)
  expect(
    bot
      .json<{ name: string }[]>('participants.json')
      .map(({ name }) => name)
      .sort(),
  ).toEqual(people)
  expect(bot.json('chat_messages.json')).toMatchObject([
    { text: 'A message with <script>alert(1)</script> & 😀', sender_name: 'Cléo Ñandú', is_own: false },
  ])
  const numbers = seqs(bot.events)
  expect(bot.lines<{ seq: number }>('events.jsonl').map(({ seq }) => seq)).toEqual(numbers)
  expect(seqs(eventsOf(await events()))).toEqual(numbers)
})

/** When the tiles of three cameras turn white. */
function flashesIn(pictures: readonly Picture[]): number[] {
  const shares = pictures.map(whiteShare)
  return pictures.flatMap(({ seconds }, place) => (shares[place]! > 0.4 && shares[place - 1]! < 0.2 ? [seconds] : []))
}

/** The quarter of the pictures that has most of a look's color, and how much of that color it has. */
function tileOf(pictures: readonly Picture[], look: number): { quarter: number; share: number } {
  const { red, green, blue } = lookColor(look)
  const counts = [0, 0, 0, 0]
  for (const { pixels } of pictures.filter((_, place) => place % 10 === 0))
    for (let at = 0; at < pixels.length; at += 3) {
      const apart = [red - pixels[at]!, green - pixels[at + 1]!, blue - pixels[at + 2]!]
      if (apart.reduce((sum, by) => sum + Math.abs(by), 0) >= 45) continue
      const [x, y] = [(at / 3) % 160, Math.floor(at / 3 / 160)]
      counts[(y < 45 ? 0 : 2) + (x < 80 ? 0 : 1)]! += 1
    }
  const most = Math.max(...counts)
  return { quarter: counts.indexOf(most), share: most / counts.reduce((sum, count) => sum + count, 0) }
}
