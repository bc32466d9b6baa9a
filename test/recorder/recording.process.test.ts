import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { SILENT_PACKET } from '../../recorder/aac.ts'
import { FragmentReader } from '../../recorder/mp4/fragment-reader.ts'
import { indexBody } from '../../recorder/mp4/index-body.ts'
import { Recording } from '../../recorder/recording.ts'
import { isIndexFirst, topLevelBoxes } from '../media/media-info.ts'
import { MemoryFile, makeSpan } from '../media/spans.ts'

const run = promisify(execFile)
const NEVER = new AbortController().signal

let short: Buffer
let quiet: Buffer
let loud: Buffer
beforeAll(async () => {
  // Sound longer than its pictures, much shorter, and about as long.
  short = await makeSpan({ number: 1, seconds: 2.1, soundSeconds: 2.6 })
  quiet = await makeSpan({ number: 2, seconds: 3, soundSeconds: 1.2 })
  loud = await makeSpan({ number: 3, seconds: 1.5 })
})

interface Made {
  recording: Recording
  files: MemoryFile[]
}

function open(hasPicture = true, file: ConstructorParameters<typeof MemoryFile>[1] = {}): Made {
  const files: MemoryFile[] = []
  const recording = new Recording({
    hasPicture,
    framesPerSecond: 30,
    reserveSeconds: 60,
    grow: async (start) => {
      files.push(new MemoryFile(start, file))
      return files.at(-1)!
    },
  })
  return { recording, files }
}

async function feed(recording: Recording, span: Buffer, pieceBytes = 60_000) {
  const append = recording.openSpan()
  for (let at = 0; at < span.length; at += pieceBytes) await append(span.subarray(at, at + pieceBytes))
  return recording.closeSpan()
}

async function onDisk(bytes: Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'standin-recording-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'file.mp4')
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

test('spans become one file with its index first, whose sound and pictures keep together', async () => {
  const { recording, files } = open()
  const media = [await feed(recording, short), await feed(recording, quiet, 7), await feed(recording, loud, 1_000_000)]
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
  expect(Math.max(...levelsBetween(3.4, 5.05))).toBeLessThan(0.001)
  expect(Math.min(...levelsBetween(5.15, 6.5))).toBeGreaterThan(0.05)
  expect(media[1]!.filledSamples / 48_000).toBeCloseTo(1.8, 1)

  const sound = await onDisk(files[1]!.whole!)
  expect(await isIndexFirst(sound)).toBe(true)
  await decodes(sound)
  const alone = await packetsOf(sound)
  expect(alone.map(({ pts_time: at, size }) => [at, size])).toEqual(sounds.map(({ pts_time: at, size }) => [at, size]))
})

test('a hundred pauses move nothing', async () => {
  const { recording, files } = open()
  for (let pause = 0; pause < 100; pause++) await feed(recording, pause % 2 === 0 ? short : loud)
  await recording.finish(NEVER)
  const packets = await packetsOf(await onDisk(files[0]!.whole!))
  const lastOf = (kind: string) => packets.findLast(({ codec_type: found }) => found === kind)!
  const seconds = 50 * 2.1 + 50 * 1.5
  expect(Number(lastOf('video').pts_time)).toBeCloseTo(seconds - 1 / 30, 3)
  expect(Math.abs(Number(lastOf('audio').pts_time) + 1024 / 48_000 - seconds)).toBeLessThan(0.0214)
})

test('sound alone is one file, through a pause', async () => {
  const span = await makeSpan({ seconds: 2, framesPerSecond: null })
  const { recording, files } = open(false)
  const media = [await feed(recording, span), await feed(recording, span)]
  const finished = await recording.finish(NEVER)
  expect(finished.files.map(({ stored }) => stored.name)).toEqual(['audio.m4a'])
  expect(finished.files[0]!.durationSeconds).toBeCloseTo(media[0]!.seconds + media[1]!.seconds, 6)
  const path = await onDisk(files[0]!.whole!)
  await decodes(path)
  // Only at the seam, where one encoder's sound fades out and the next one's begins.
  const soft = (await loudness(path)).slice(5, -5).filter((level) => level < 0.05)
  expect(soft.length).toBeLessThan(5)
})

test('a partial body plays behind the recovery head, and gets its index again', async () => {
  const { recording, files } = open()
  await feed(recording, short)
  await feed(recording, quiet)
  const { start, body, pieces } = files[0]!
  const fragmented = await onDisk(Buffer.concat([start.recoveryHead, body]))
  await decodes(fragmented)
  expect(start.recoveryHead.length).toBeLessThan(4096)
  expect(await topLevelBoxes(fragmented)).toEqual(['ftyp', 'moov', ...pieces.flatMap(() => ['moof', 'mdat'])])

  await recording.finish(NEVER)
  const expected = await packetsOf(await onDisk(files[0]!.whole!))
  const known = pieces.slice(0, 4).reduce((sum, { length }) => sum + length, 0)
  const cuts = [known, known + 1, known + 100, known + pieces[4]!.length - 1]
  for (const cut of cuts) {
    // A place that was never written is zeros after a power cut.
    for (const tail of cut > known + 1 ? [Buffer.alloc(0)] : [Buffer.alloc(0), Buffer.alloc(9000)]) {
      const left = Buffer.concat([body.subarray(0, cut), tail])
      const { wholeBytes, seconds, makeHead } = await indexBody(start.recoveryHead, inPieces(left, 50_000))
      expect(wholeBytes).toBe(known)
      const path = await onDisk(Buffer.concat([makeHead(null), left.subarray(0, wholeBytes)]))
      expect(await isIndexFirst(path)).toBe(true)
      const packets = await packetsOf(path)
      const pictures = packets.filter(({ codec_type: kind }) => kind === 'video').length
      expect(seconds).toBeCloseTo(pictures / 30, 1)
      expect(pictures).toBeGreaterThan(30)
      const sizes = (of: Packet[], kind: string) =>
        of.filter(({ codec_type: found }) => found === kind).map(({ size }) => size)
      for (const kind of ['video', 'audio'])
        expect(sizes(expected, kind).slice(0, sizes(packets, kind).length)).toEqual(sizes(packets, kind))
    }
  }
  await expect(indexBody(start.recoveryHead, inPieces(body.subarray(0, 100), 10))).rejects.toThrow('not a single')
  await expect(indexBody(start.recoveryHead, inPieces(Buffer.alloc(5000), 10))).rejects.toThrow('no box')
})

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('a file that can no longer grow ends as what it had, with an index that is true', async () => {
  const { recording, files } = open(true, { failsFrom: 3, room: null })
  await expect(feed(recording, quiet)).rejects.toThrow('no room for more')
  const media = await recording.closeSpan()
  expect(media.pictures).toBeGreaterThan(45)
  const { files: finished } = await recording.finish(NEVER)
  expect(finished[0]!.durationSeconds).toBeCloseTo(1.5, 1)
  const path = await onDisk(files[0]!.whole!)
  await decodes(path)
  expect((await packetsOf(path)).filter(({ codec_type: kind }) => kind === 'video')).toHaveLength(45)
})

test('an encoder that comes back with other settings ends the recording', async () => {
  const { recording } = open()
  await feed(recording, short)
  const larger = await makeSpan({ seconds: 1, width: 320, height: 180 })
  await expect(feed(recording, larger)).rejects.toThrow('other settings')
})

test('the silent packet is silence to a decoder', async () => {
  const packets: Buffer[] = []
  for (let index = 0; index < 50; index++) {
    // ADTS: AAC-LC, 48 kHz, stereo.
    const bytes = SILENT_PACKET.data.length + 7
    packets.push(
      Buffer.from([0xff, 0xf1, 0x4c, 0x80 | (bytes >> 11), (bytes >> 3) & 0xff, ((bytes & 7) << 5) | 0x1f, 0xfc]),
    )
    packets.push(Buffer.from(SILENT_PACKET.data))
  }
  const path = await onDisk(Buffer.concat(packets))
  expect((await run('ffmpeg', ['-v', 'error', '-xerror', '-i', path, '-f', 'null', '-'])).stderr).toBe('')
  const levels = await loudness(path)
  expect(levels.length).toBeGreaterThan(100)
  expect(Math.max(...levels)).toBe(0)
})

test('a stream that is not a movie is distinguished from one that merely ends', () => {
  const reader = () => new FragmentReader({ header: () => {}, fragment: () => {} })
  expect(() => reader().push(Buffer.from('not a film, and long enough'))).toThrow('no box')
  expect(() => reader().push(Buffer.alloc(64))).toThrow('no box')
  const moof = short.indexOf('moof') - 4
  const cut = reader()
  cut.push(short.subarray(0, moof + 5000))
  expect(cut.wholeBytes).toBe(moof)
  const headless = reader()
  expect(() => headless.push(short.subarray(moof))).toThrow('before its header')
})
