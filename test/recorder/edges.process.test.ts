import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { HeldSegment } from '../../recorder/held-segment.ts'
import { Recording } from '../../recorder/recording.ts'
import { MemoryFile, makeSpan } from '../media/spans.ts'

const run = promisify(execFile)
const NEVER = new AbortController().signal
const PACKET_SECONDS = 1024 / 48_000

let span: Buffer
let sound: Buffer
beforeAll(async () => {
  span = await makeSpan({ seconds: 4, secondsBetweenKeys: 0.2 })
  sound = await makeSpan({ seconds: 4, framesPerSecond: null })
})

function open(hasPicture = true) {
  const files: MemoryFile[] = []
  const grow = async (start: ConstructorParameters<typeof MemoryFile>[0]) => {
    files.push(new MemoryFile(start))
    return files.at(-1)!
  }
  const recording = new Recording({ hasPicture, framesPerSecond: 30, reserveSeconds: 60, grow })
  return { recording, files }
}

async function feed(append: (bytes: Uint8Array) => Promise<void>, bytes: Buffer, from = 0, to = bytes.length) {
  for (let at = from; at < to; at += 9000) await append(bytes.subarray(at, Math.min(to, at + 9000)))
}

interface Packet {
  codec_type: 'video' | 'audio'
  pts_time: string
  size: string
}

/** The packets that another player finds in the file, which it decodes without a complaint. */
async function read(file: MemoryFile): Promise<{ pictures: Packet[]; sounds: Packet[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'standin-edges-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'file.mp4')
  await writeFile(path, file.whole!)
  expect((await run('ffmpeg', ['-v', 'warning', '-xerror', '-i', path, '-f', 'null', '-'])).stderr).toBe('')
  const entries = ['-of', 'json', '-show_entries', 'packet=codec_type,pts_time,size']
  const { stdout } = await run('ffprobe', ['-v', 'error', ...entries, path], { maxBuffer: 1 << 26 })
  const { packets } = JSON.parse(stdout) as { packets: Packet[] }
  const of = (kind: Packet['codec_type']) => packets.filter(({ codec_type }) => codec_type === kind)
  return { pictures: of('video'), sounds: of('audio') }
}

async function whole(bytes: Buffer, hasPicture = true) {
  const { recording, files } = open(hasPicture)
  await feed(recording.openSpan(), bytes)
  await recording.closeSpan()
  await recording.finish(NEVER)
  return read(files[0]!)
}

const sizes = (packets: readonly Packet[]) => packets.map(({ size }) => size)

test('no part of a held segment reaches a file, and no file is begun', async () => {
  const { recording, files } = open()
  const held = new HeldSegment(true)
  await feed(held.append, span)
  expect(held.seconds).toBeGreaterThan(3.9)
  await recording.closeSpan()
  expect((await recording.finish(NEVER)).files).toEqual([])
  expect(files).toEqual([])
})

test('a held span begins at the first key picture from the moment on, with the sound that belongs to it', async () => {
  const all = await whole(span)
  const { recording, files } = open()
  const held = new HeldSegment(true)
  const middle = span.length >> 1
  await feed(held.append, span, 0, middle)
  const start = await held.begin(0.93, (part) => recording.takePart(part))
  // Every sixth picture is a key.
  expect(start).toEqual({ seconds: expect.closeTo(1, 6), pictures: 30 })
  await feed(held.append, span, middle)
  const media = await recording.closeSpan()
  expect(media).toMatchObject({ pictures: 90, seconds: expect.closeTo(3, 6) })
  await recording.finish(NEVER)
  const { pictures, sounds } = await read(files[0]!)
  expect(sizes(pictures)).toEqual(sizes(all.pictures).slice(30))
  expect(Number(pictures[0]!.pts_time)).toBe(0)
  // 46.9 packets lie before the first second; one more primes the decoder, as in the whole.
  expect(sizes(sounds)).toEqual(sizes(all.sounds).slice(47, 47 + sounds.length))
  expect(Number(sounds[0]!.pts_time)).toBeCloseTo(-PACKET_SECONDS, 5)
  expect(Number(sounds.at(-1)!.pts_time)).toBeGreaterThan(2.9)
})

test('a moment that has not come yet is waited for', async () => {
  const { recording, files } = open()
  const held = new HeldSegment(true)
  await feed(held.append, span, 0, span.length >> 2)
  let isBegun = false
  const begun = held
    .begin(2.5, (part) => recording.takePart(part))
    .then((start) => {
      isBegun = true
      return start
    })
  await new Promise((resolve) => setImmediate(resolve))
  expect([isBegun, files.length]).toEqual([false, 0])
  await feed(held.append, span, span.length >> 2)
  expect(await begun).toEqual({ seconds: expect.closeTo(2.6, 6), pictures: 78 })
})

test('where the recording cannot be kept, the start says so', async () => {
  const held = new HeldSegment(true)
  await feed(held.append, span)
  const full = () => Promise.reject(new Error('the disk is full'))
  await expect(held.begin(1, full)).rejects.toThrow('full')
})

test('sound alone begins at its moment', async () => {
  const all = await whole(sound, false)
  const { recording, files } = open(false)
  const held = new HeldSegment(false)
  await feed(held.append, sound)
  const start = await held.begin(1.5, (part) => recording.takePart(part))
  expect(start).toEqual({ seconds: 1.5, pictures: 0 })
  const { seconds } = await recording.closeSpan()
  expect(Math.abs(seconds - 2.5)).toBeLessThan(2 * PACKET_SECONDS)
  await recording.finish(NEVER)
  const { sounds } = await read(files[0]!)
  expect(sizes(sounds)).toEqual(sizes(all.sounds).slice(70, 70 + sounds.length))
})

test('the files end where the meeting did, to the picture and to the packet, and their index does not contain the rest', async () => {
  const all = await whole(span)
  for (const at of [0.1, 1.26, 3.95]) {
    const { recording, files } = open()
    await feed(recording.openSpan(), span)
    await recording.closeSpan()
    recording.cutAt(at)
    const { files: finished, problem } = await recording.finish(NEVER)
    expect(problem).toBeNull()
    expect(Math.abs(finished[0]!.durationSeconds - at)).toBeLessThan(0.034)
    expect(Math.abs(finished[1]!.durationSeconds - at)).toBeLessThan(PACKET_SECONDS)
    const { pictures, sounds } = await read(files[0]!)
    expect(sizes(pictures)).toEqual(sizes(all.pictures).slice(0, Math.floor(at * 30 + 0.001)))
    expect(sizes(sounds)).toEqual(sizes(all.sounds).slice(0, sounds.length))
  }
})

test('an end behind the last picture cuts nothing', async () => {
  const { recording } = open()
  await feed(recording.openSpan(), span)
  await recording.closeSpan()
  recording.cutAt(60)
  const { files } = await recording.finish(NEVER)
  expect(files[0]!.durationSeconds).toBeCloseTo(4, 1)
})
