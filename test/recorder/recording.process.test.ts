import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { SpanMedia } from '../../recorder/segment-concatenator.ts'
import { temporaryFolder } from '../fakes/at-end.ts'
import { isIndexFirst, topLevelBoxes } from '../media/media-info.ts'
import { feedBytes, makeSpan, openRecording } from '../media/spans.ts'

const run = promisify(execFile)
const NEVER = new AbortController().signal

async function onDisk(bytes: Uint8Array): Promise<string> {
  const path = join(temporaryFolder(), 'file.mp4')
  await writeFile(path, bytes)
  return path
}

interface Packet {
  codec_type: 'video' | 'audio'
  pts_time: string
  duration_time: string
  size: string
  pos: string
}

/** The packets that another player finds; it must have no complaint. */
async function packetsOf(path: string): Promise<Packet[]> {
  const { stdout, stderr } = await run(
    'ffprobe',
    ['-v', 'warning', '-of', 'json', '-show_entries', 'packet=codec_type,pts_time,duration_time,size,pos', path],
    { maxBuffer: 1 << 28 },
  )
  expect(stderr).toBe('')
  return (JSON.parse(stdout) as { packets: Packet[] }).packets
}

async function decodes(path: string): Promise<void> {
  const { stderr } = await run('ffmpeg', ['-v', 'warning', '-xerror', '-i', path, '-f', 'null', '-'])
  expect(stderr).toBe('')
}

/** Loudness of each hundredth of a second, from 0 to 1. */
async function loudness(path: string): Promise<number[]> {
  const args = ['-v', 'error', '-i', path, '-ac', '1', '-ar', '48000', '-f', 'f32le', 'pipe:1']
  const { stdout } = await run('ffmpeg', args, { encoding: 'buffer', maxBuffer: 1 << 28 })
  const peaks: number[] = []
  for (let at = 0; at + 480 * 4 <= stdout.length; at += 480 * 4) {
    let peak = 0
    for (let sample = 0; sample < 480; sample++) peak = Math.max(peak, Math.abs(stdout.readFloatLE(at + sample * 4)))
    peaks.push(peak)
  }
  return peaks
}

test('spans become one file that others play, whole and as a partial body, whose sound and pictures keep together', async () => {
  // Sound longer than its pictures, much shorter, and about as long.
  const spans = await Promise.all([
    makeSpan({ number: 1, seconds: 2.1, soundSeconds: 2.6 }),
    makeSpan({ number: 2, seconds: 3, soundSeconds: 1.2 }),
    makeSpan({ number: 3, seconds: 1.5 }),
  ])
  const { recording, files } = openRecording()
  const media: SpanMedia[] = []
  for (const span of spans) {
    await feedBytes(recording.openSpan(), span, 60_000)
    media.push(await recording.closeSpan())
  }
  expect(media.map(({ pictures }) => pictures)).toEqual([63, 90, 45])
  const finished = await recording.finish(NEVER)
  expect(finished.problem).toBeNull()
  expect(finished.files.map(({ stored }) => stored.name)).toEqual(['video.mp4', 'audio.m4a'])
  expect(finished.files[0]!.durationSeconds).toBeCloseTo(6.6, 6)

  const video = await onDisk(files[0]!.whole!)
  expect(await isIndexFirst(video)).toBe(true)
  await decodes(video)
  const packets = await packetsOf(video)
  const pictures = packets.filter(({ codec_type: kind }) => kind === 'video')
  const sounds = packets.filter(({ codec_type: kind }) => kind === 'audio')
  expect(pictures.map(({ pts_time: at }) => Math.round(Number(at) * 30_000))).toEqual(
    Array.from({ length: 198 }, (_, index) => index * 1000),
  )
  // The packet before zero primes the decoder; no two are further apart than a packet is long.
  expect(Number(sounds[0]!.pts_time)).toBeCloseTo(-1024 / 48_000, 5)
  sounds.forEach(({ pts_time: at }, index) => {
    expect(Number(at)).toBeCloseTo(((index - 1) * 1024) / 48_000, 4)
  })
  expect(Math.abs(sounds.length - 1 - (6.6 * 48_000) / 1024)).toBeLessThan(1)

  // The tone sounds where it did in its span: the second lost its sound after 1.2 s, the first never ran into it.
  const levels = await loudness(video)
  const levelsBetween = (from: number, to: number) => levels.slice(Math.round(from * 100), Math.round(to * 100))
  expect(Math.min(...levelsBetween(0.05, 3.25))).toBeGreaterThan(0.05)
  expect(Math.max(...levelsBetween(3.6, 4.9))).toBe(0)
  expect(Math.min(...levelsBetween(5.15, 6.5))).toBeGreaterThan(0.05)
  expect(media[1]!.filledSamples / 48_000).toBeCloseTo(1.8, 1)

  const sound = await onDisk(files[1]!.whole!)
  expect(await isIndexFirst(sound)).toBe(true)
  await decodes(sound)
  const alone = await packetsOf(sound)
  expect(alone.map(({ pts_time: at, size }) => [at, size])).toEqual(sounds.map(({ pts_time: at, size }) => [at, size]))

  const { start, body, pieces } = files[0]!
  const fragmented = await onDisk(Buffer.concat([start.recoveryHead, body]))
  await decodes(fragmented)
  expect(start.recoveryHead.length).toBeLessThan(4096)
  expect(await topLevelBoxes(fragmented)).toEqual(['ftyp', 'moov', ...pieces.flatMap(() => ['moof', 'mdat'])])
})
