import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isIndexFirst, pictureTimes } from './media-info.ts'
import { SOURCE } from './tone-and-flash.ts'

/** A beep and the flash that belongs to it, in seconds of the recording. */
interface Pair {
  flash: number
  beep: number
  /** Positive where sound comes after its picture. */
  offsetMs: number
}

export interface Measurement {
  durationSeconds: number
  isIndexFirst: boolean
  video: {
    codec: string
    width: number
    height: number
    frames: number
    /** Largest and smallest distance between two pictures, in seconds. */
    longestFrame: number
    shortestFrame: number
    flashes: number[]
    /** Pictures that show the same instant as the one before. */
    repeated: number
    /** For each picture the clock it shows, in milliseconds modulo `CLOCK_CYCLE_MS`; with its time in the recording. */
    clock: Array<{ seconds: number; shownMs: number }>
  } | null
  audio: { codec: string; firstSample: number; seconds: number; beeps: number[]; peak: number }
  pairs: Pair[]
  medianOffsetMs: number
  worstOffsetMs: number
}

export const CLOCK_CYCLE_MS = 2 ** SOURCE.counter.bits * SOURCE.counter.stepMs

/** Pictures are looked at in this size; a square of the clock is six pixels wide then. */
const SMALL = { width: 160, height: 90, scale: 8 }
const BRIGHT = 128
const BEEP_LEVEL = 0.1
const RATE = 48_000

/** Measures a recording of the tone-and-flash source, independently of how the recorder made it. */
export async function measure(path: string): Promise<Measurement> {
  const streams = JSON.parse(
    await run('ffprobe', ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', path]),
  ) as {
    format: { duration: string }
    streams: Array<{ codec_type: string; codec_name: string; width: number; height: number }>
  }
  const picture = streams.streams.find((stream) => stream.codec_type === 'video')
  const sound = streams.streams.find((stream) => stream.codec_type === 'audio')
  if (sound === undefined) throw new Error(`${path} has no sound`)
  const video = picture === undefined ? null : await measurePictures(path)
  const audio = await measureSound(path)
  const pairs = (video?.flashes ?? []).flatMap((flash) => {
    const beep = audio.beeps.reduce((best, at) => (Math.abs(at - flash) < Math.abs(best - flash) ? at : best), Infinity)
    return Math.abs(beep - flash) < SOURCE.periodSeconds / 2 ? [{ flash, beep, offsetMs: (beep - flash) * 1000 }] : []
  })
  const sorted = pairs.map((pair) => pair.offsetMs).sort((a, b) => a - b)
  return {
    durationSeconds: Number(streams.format.duration),
    isIndexFirst: await isIndexFirst(path),
    video: video && { codec: picture!.codec_name, width: picture!.width, height: picture!.height, ...video },
    audio: { codec: sound.codec_name, ...audio },
    pairs,
    medianOffsetMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    worstOffsetMs: sorted.reduce((worst, offset) => (Math.abs(offset) > Math.abs(worst) ? offset : worst), 0),
  }
}

/** Decodes one picture at `seconds` after a seek, as a player does; rejects when there is none. */
export async function pictureClockAfterSeek(path: string, seconds: number): Promise<number> {
  const small = await collect('ffmpeg', [
    ...['-v', 'error', '-ss', String(seconds), '-i', path, '-frames:v', '1', ...SMALL_PICTURES, 'pipe:1'],
  ])
  if (small.length < SMALL.width * SMALL.height) throw new Error(`${path} gives no picture at ${seconds} s`)
  return readClock(small)
}

const SMALL_PICTURES = [
  ...['-vf', `scale=${SMALL.width}:${SMALL.height}:flags=area,format=gray`, '-fps_mode', 'passthrough'],
  ...['-f', 'rawvideo'],
]

async function measurePictures(path: string) {
  const times = await pictureTimes(path)
  const flashes: number[] = []
  const clock: Array<{ seconds: number; shownMs: number }> = []
  let repeated = 0
  let wasBright = true
  let frames = 0
  await readChunks(
    'ffmpeg',
    ['-v', 'error', '-i', path, '-map', '0:v:0', ...SMALL_PICTURES, 'pipe:1'],
    SMALL.width * SMALL.height,
    (small) => {
      const seconds = times[frames++] ?? Number.NaN
      const isBright = small[20 * SMALL.width + 150]! > BRIGHT && small[60 * SMALL.width + 10]! > BRIGHT
      if (isBright && !wasBright) flashes.push(seconds)
      wasBright = isBright
      const shownMs = readClock(small)
      if (shownMs === clock.at(-1)?.shownMs) repeated++
      clock.push({ seconds, shownMs })
    },
  )
  if (frames !== times.length) throw new Error(`${path} holds ${times.length} pictures, of which ${frames} decode`)
  const steps = times.slice(1).map((time, index) => time - times[index]!)
  const [longestFrame, shortestFrame] = [Math.max(...steps), Math.min(...steps)]
  return { frames, longestFrame, shortestFrame, flashes, repeated, clock }
}

function readClock(small: Buffer): number {
  const { x, y, square, bits, stepMs } = SOURCE.counter
  let code = 0
  for (let bit = 0; bit < bits; bit++) {
    const column = Math.floor((x + bit * square + square / 2) / SMALL.scale)
    const row = Math.floor((y + square / 2) / SMALL.scale)
    if (small[row * SMALL.width + column]! > BRIGHT) code |= 1 << bit
  }
  let steps = code
  for (let shift = 1; shift < bits; shift <<= 1) steps ^= steps >> shift
  return steps * stepMs
}

async function measureSound(path: string) {
  // The first frame that is played, after what primes the decoder.
  const frames = await run('ffprobe', [
    ...['-v', 'error', '-select_streams', 'a:0', '-read_intervals', '%+1', '-show_entries', 'frame=pts_time'],
    ...['-of', 'csv=p=0', path],
  ])
  const firstSample = Number.parseFloat(frames)
  const beeps: number[] = []
  let samples = 0
  let lastLoud = -RATE
  let peak = 0
  await readChunks(
    'ffmpeg',
    ['-v', 'error', '-i', path, '-map', '0:a:0', '-ac', '1', '-ar', String(RATE), '-f', 'f32le', 'pipe:1'],
    4,
    (chunk) => {
      const level = Math.abs(chunk.readFloatLE(0))
      if (level > peak) peak = level
      if (level > BEEP_LEVEL) {
        if (samples - lastLoud > RATE / 10) beeps.push(firstSample + samples / RATE)
        lastLoud = samples
      }
      samples++
    },
  )
  return { firstSample, seconds: samples / RATE, beeps, peak }
}

async function readChunks(
  command: string,
  args: string[],
  bytes: number,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  let rest: Buffer = Buffer.alloc(0)
  for await (const data of child.stdout as AsyncIterable<Buffer>) {
    const buffer = rest.length === 0 ? data : Buffer.concat([rest, data])
    let offset = 0
    for (; offset + bytes <= buffer.length; offset += bytes) onChunk(buffer.subarray(offset, offset + bytes))
    rest = buffer.subarray(offset)
  }
  const [code] = await exit
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed with ${code}`)
}

async function collect(command: string, args: string[]): Promise<Buffer> {
  const chunks: Buffer[] = []
  await readChunks(command, args, 1, (byte) => chunks.push(Buffer.from(byte)))
  return Buffer.concat(chunks)
}

async function run(command: string, args: string[]): Promise<string> {
  return (await collect(command, args)).toString('utf8')
}
