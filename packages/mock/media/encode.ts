import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isVp8KeyFrame, readIvf, readOggOpus } from './containers.ts'
import { frameCount, keyFrameDistance, type PictureSpec, picturePainter } from './pictures.ts'
import { frameLevels, SAMPLE_RATE, SAMPLES_PER_FRAME, voiceSamples } from './voices.ts'

/** Encoded pictures of one loop. */
export interface VideoProgram {
  fps: number
  frames: readonly { data: Buffer; isKey: boolean }[]
}

/** Encoded sound, 20 ms a frame, with the RFC 6464 level of each. */
export interface AudioProgram {
  frames: readonly { data: Buffer; level: number }[]
}

/** libopus looks 6.5 ms ahead: what is decoded comes that much later than what went in. */
const OPUS_LOOKAHEAD_SAMPLES = 312
/** Longest speech file that may be played, in seconds: everything is held in memory. */
const MAX_SPEECH_SECONDS = 600
const PARALLEL_ENCODERS = 2

/** All rooms of a process share their pictures: a name is known only after some of them have been drawn. */
const pictures = new Map<string, Promise<VideoProgram>>()

/**
 * Encodes mock pictures and voices with ffmpeg and keeps the results in a folder, named by a checksum of what was drawn
 * and how it was encoded, so that later starts are fast and a changed drawing is never served from an old file.
 */
export class MediaEncoder {
  readonly #folder: string
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(folder = defaultCacheFolder()) {
    this.#folder = folder
  }

  /** @throws Error when ffmpeg is missing or fails, with the end of what it printed */
  picture(spec: PictureSpec): Promise<VideoProgram> {
    const key = JSON.stringify([this.#folder, spec])
    let program = pictures.get(key)
    if (!program) {
      program = this.#picture(spec)
      pictures.set(key, program)
      program.catch(() => pictures.delete(key))
    }
    return program
  }

  async #picture(spec: PictureSpec): Promise<VideoProgram> {
    const paint = picturePainter(spec)
    const count = frameCount(spec)
    const keyDistance = keyFrameDistance(spec.fps)
    const args = pictureArguments(spec, keyDistance)
    const checksum = createHash('sha256').update(args.join(' '))
    for (const frame of [0, 1, Math.floor(count / 2) + 1, count - 1]) checksum.update(paint(frame))
    const ivf = await this.#cached(`${checksum.digest('hex')}.ivf`, readIvf, () =>
      this.#run(args, function* () {
        for (let frame = 0; frame < count; frame++) yield Buffer.from(paint(frame))
      }),
    )
    const frames = ivf.map(({ data }) => ({ data, isKey: isVp8KeyFrame(data) }))
    const missing = frames.findIndex((frame, i) => i % keyDistance === 0 && !frame.isKey)
    if (frames.length !== count || missing !== -1) {
      throw new Error(`The encoder made ${frames.length} of ${count} frames; first missing key frame: ${missing}`)
    }
    return { fps: spec.fps, frames }
  }

  /** One loop of these voices together, and of the beep of the sync source. */
  async voices(looks: readonly number[], beep: boolean): Promise<AudioProgram> {
    const samples = voiceSamples(looks, beep)
    const loopFrames = samples.length / SAMPLES_PER_FRAME
    // The middle one of three loops is taken: there the encoder has settled and the seam is a continuation.
    const three = new Float32Array(samples.length * 3)
    for (let i = 0; i < three.length; i++) three[i] = samples[(i + OPUS_LOOKAHEAD_SAMPLES) % samples.length]!
    const packets = await this.#opus(three)
    return zipFrames(packets.slice(loopFrames, 2 * loopFrames), frameLevels(samples), loopFrames)
  }

  /** A speech file of any kind that ffmpeg reads, once through. */
  async speech(file: string): Promise<AudioProgram> {
    const limit = String(MAX_SPEECH_SECONDS)
    const pcm = await this.#run(
      ['-i', `file:${file}`, '-t', limit, '-f', 'f32le', '-ar', String(SAMPLE_RATE), '-ac', '1', 'pipe:1'],
      null,
    )
    const frames = Math.floor(pcm.length / 4 / SAMPLES_PER_FRAME)
    if (frames === 0) throw new Error(`The speech file ${file} holds no sound`)
    const samples = new Float32Array(frames * SAMPLES_PER_FRAME)
    for (let i = 0; i < samples.length; i++) samples[i] = pcm.readFloatLE(i * 4)
    const packets = await this.#opus(samples)
    return zipFrames(packets.slice(0, frames), frameLevels(samples), frames)
  }

  async #opus(samples: Float32Array): Promise<Buffer[]> {
    const pcm = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
    const checksum = createHash('sha256').update(opusArguments.join(' ')).update(pcm).digest('hex')
    return this.#cached(`${checksum}.opus`, readOggOpus, () =>
      this.#run(opusArguments, function* () {
        yield pcm
      }),
    )
  }

  async #cached<T>(name: string, read: (bytes: Buffer) => T, make: () => Promise<Buffer>): Promise<T> {
    const path = join(this.#folder, name)
    try {
      return read(await readFile(path))
    } catch {
      // Absent or damaged: encoded again below. The rename makes it safe that several processes do this at once.
    }
    const bytes = await make()
    const result = read(bytes)
    await mkdir(this.#folder, { recursive: true })
    const draft = `${path}.${randomUUID()}`
    await writeFile(draft, bytes)
    await rename(draft, path)
    return result
  }

  async #run(args: readonly string[], input: (() => Generator<Buffer>) | null): Promise<Buffer> {
    if (this.#running >= PARALLEL_ENCODERS) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await runFfmpeg(args, input)
    } finally {
      // The next waiting caller gets the slot at once.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}

/**
 * `-g` with an equal `-keyint_min` puts a key frame exactly every so many frames; `-auto-alt-ref 0` keeps frames that
 * are never shown out of the stream; one thread, since several programs are encoded side by side.
 */
function pictureArguments(spec: PictureSpec, keyDistance: number): string[] {
  const distance = String(keyDistance)
  return [
    ...['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-video_size', `${spec.width}x${spec.height}`],
    ...['-framerate', String(spec.fps), '-i', 'pipe:0', '-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '4'],
    ...[
      '-b:v',
      spec.moves ? String(movingBitrate(spec)) : '700k',
      '-crf',
      '16',
      '-qmax',
      spec.moves ? '56' : '40',
      '-g',
      distance,
      '-keyint_min',
      distance,
    ],
    ...['-auto-alt-ref', '0', '-error-resilient', 'default', '-threads', '1', '-f', 'ivf', 'pipe:1'],
  ]
}

/** About what meetings send of a camera: 1.5 Mbit/s for 720p, 0.1 for 180p. */
function movingBitrate({ width, height, fps }: PictureSpec): number {
  return Math.round(width * height * fps * 0.07)
}

const opusArguments = [
  ...['-f', 'f32le', '-ar', String(SAMPLE_RATE), '-ac', '1', '-i', 'pipe:0'],
  ...['-c:a', 'libopus', '-b:a', '40k', '-application', 'audio', '-frame_duration', '20', '-f', 'ogg', 'pipe:1'],
]

function zipFrames(packets: Buffer[], levels: number[], expected: number): AudioProgram {
  if (packets.length < expected || levels.length < expected) {
    throw new Error(`The encoder made ${packets.length} of ${expected} Opus frames`)
  }
  return { frames: packets.map((data, i) => ({ data, level: levels[i]! })) }
}

function runFfmpeg(args: readonly string[], input: (() => Generator<Buffer>) | null): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-nostdin', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const output: Buffer[] = []
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-2000)
    })
    child.on('error', (cause) => reject(new Error('ffmpeg, which encodes the mock media, did not start', { cause })))
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(output))
      else reject(new Error(`ffmpeg ended with ${signal ?? code} while it encoded mock media: ${printed.trim()}`))
    })
    // ffmpeg may close its input early when it fails; its exit code reports the failure.
    pipeline(Readable.from(input?.() ?? []), child.stdin).catch(() => {})
  })
}

/** Beside the packages in a checkout, else the system's temporary folder. */
function defaultCacheFolder(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const packages = join(folder, 'node_modules')
    if (existsSync(join(folder, 'package.json')) && isWritable(packages)) {
      return join(packages, '.cache', 'standin-mock-media')
    }
  }
  return ownTemporaryFolder()
}

/** Others can make an entry of a known name first: then a folder for this process alone. */
function ownTemporaryFolder(): string {
  const uid = process.geteuid?.()
  const folder = join(tmpdir(), `standin-mock-media-${uid}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const found = lstatSync(folder)
    if (found.isDirectory() && found.uid === uid) return folder
  } catch {
    // A file or a broken link has the name.
  }
  return mkdtempSync(`${folder}-`)
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
