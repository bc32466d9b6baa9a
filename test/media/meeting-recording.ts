/** Measures a recording of a mock meeting: who is heard, whose picture is shown, and how far sound and picture are apart. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { BEEP_HZ, lookColor, voiceFrequency } from '../../packages/mock/media/room.ts'
import { pictureTimes } from './media-info.ts'

const RATE = 16_000
const SMALL = { width: 160, height: 90 }
const TINY = { width: 32, height: 18 }
const WHITE = 215
/** Long enough to tell voices apart that are 16 Hz or more from each other. */
const VOICE_WINDOW_SECONDS = 0.25
/** A voice sounds with 0.2; the swelling of another one spills over with less than a tenth of that. */
const HEARD_STRENGTH = 0.03
const run = promisify(execFile)

async function decode(arguments_: string[]): Promise<Buffer> {
  const options = { encoding: 'buffer', maxBuffer: 2 ** 31 - 1 } as const
  const { stdout } = await run('ffmpeg', ['-v', 'error', ...arguments_, 'pipe:1'], options)
  return stdout
}

/** The recording's sound, mono, 16 kHz, -1 to 1. */
export async function soundOf(path: string): Promise<Float32Array> {
  const bytes = await decode(['-i', path, '-map', '0:a:0', '-ac', '1', '-ar', String(RATE), '-f', 'f32le'])
  return new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4))
}

/**
 * The strength of one frequency in a stretch of sound (Goertzel), as amplitude. The stretch is faded in and out (Hann),
 * so that a strong voice does not spill over to its neighbors.
 */
function strength(sound: Float32Array, from: number, to: number, hz: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * hz) / RATE)
  const size = to - from
  let before = 0
  let last = 0
  for (let index = 0; index < size; index++) {
    const weight = 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / size)
    const next = (sound[from + index] ?? 0) * weight + factor * last - before
    before = last
    last = next
  }
  return (4 * Math.sqrt(Math.max(0, last * last + before * before - factor * last * before))) / size
}

/** Share (0 to 1) of the windows between two times, in seconds, in which this look's voice is heard. */
export function heardShare(sound: Float32Array, look: number, start: number, end: number): number {
  const size = Math.round(VOICE_WINDOW_SECONDS * RATE)
  let windows = 0
  let heard = 0
  for (let from = Math.round(start * RATE); from + size <= end * RATE && from + size <= sound.length; from += size) {
    windows += 1
    if (strength(sound, from, from + size, voiceFrequency(look)) > HEARD_STRENGTH) heard += 1
  }
  return windows === 0 ? 0 : heard / windows
}

/** Onsets of the beep, in seconds. */
export function beepsIn(sound: Float32Array): number[] {
  const size = RATE / 100
  const onsets: number[] = []
  let wasLoud = true
  for (let from = 0; from + size <= sound.length; from += size / 4) {
    const isLoud = strength(sound, from, from + size, BEEP_HZ) > 0.1
    // The window is loud when half of it beeps: the onset is its middle.
    if (isLoud && !wasLoud) onsets.push((from + size / 2) / RATE)
    wasLoud = isLoud
  }
  return onsets
}

export interface Picture {
  seconds: number
  /** RGB, 160×90. */
  pixels: Buffer
}

/** Every picture of a stretch, small, with its time in the recording. */
export async function picturesOf(path: string, start = 0, seconds?: number): Promise<Picture[]> {
  const end = seconds === undefined ? Number.POSITIVE_INFINITY : start + seconds
  const times = await pictureTimes(path, start, end)
  const bytes = await decode([
    ...['-ss', String(start), '-i', path, '-map', '0:v:0', '-frames:v', String(Math.max(1, times.length))],
    ...['-vf', `scale=${SMALL.width}:${SMALL.height}:flags=area`, '-fps_mode', 'passthrough', '-pix_fmt', 'rgb24'],
    ...['-f', 'rawvideo'],
  ])
  const size = SMALL.width * SMALL.height * 3
  return times
    .slice(0, Math.floor(bytes.byteLength / size))
    .map((time, index) => ({ seconds: time, pixels: bytes.subarray(index * size, (index + 1) * size) }))
}

/** The picture shown at a time, as a player that seeks shows it. */
export async function pictureAt(path: string, seconds: number): Promise<Picture> {
  const [picture] = await picturesOf(path, seconds, 0.05)
  if (picture === undefined) throw new Error(`${path} has no picture at ${seconds} s`)
  return picture
}

/** Share (0 to 1) of what is painted that has this look's background color. */
export function shownShare(picture: Picture, look: number): number {
  const { red, green, blue } = lookColor(look)
  return shareOf(picture, (r, g, b) => Math.abs(r - red) + Math.abs(g - green) + Math.abs(b - blue) < 45)
}

export function whiteShare(picture: Picture): number {
  return shareOf(picture, (r, g, b) => r > WHITE && g > WHITE && b > WHITE)
}

function shareOf(picture: Picture, fits: (r: number, g: number, b: number) => boolean): number {
  const painted = paintedPixels(picture)
  return painted.filter(([r, g, b]) => fits(r, g, b)).length / painted.length
}

type Rgb = [red: number, green: number, blue: number]

/** All of the picture, or its middle half where a machine that did not keep up painted no more than that. */
function paintedPixels({ pixels }: Picture): Rgb[] {
  const middle: Rgb[] = []
  const around: Rgb[] = []
  for (let y = 0; y < SMALL.height; y++) {
    for (let x = 0; x < SMALL.width; x++) {
      const at = 3 * (y * SMALL.width + x)
      const isMiddle = Math.abs(2 * x + 1 - SMALL.width) < SMALL.width / 2
      const inMiddle = isMiddle && Math.abs(2 * y + 1 - SMALL.height) < SMALL.height / 2
      ;(inMiddle ? middle : around).push([pixels[at]!, pixels[at + 1]!, pixels[at + 2]!])
    }
  }
  const [corner] = around
  const isEmpty = around.every((pixel) => pixel.every((value, index) => Math.abs(value - corner![index]!) < 40))
  return isEmpty ? middle : [...around, ...middle]
}

/** Times at which the picture of a whole recording, which may last for hours, turns white: pictures are looked at very small, and in gray. */
export async function flashesOf(path: string): Promise<number[]> {
  const times = await pictureTimes(path)
  const pixels = await decode([
    ...['-i', path, '-map', '0:v:0', '-vf', `scale=${TINY.width}:${TINY.height}:flags=area`],
    ...['-fps_mode', 'passthrough', '-pix_fmt', 'gray', '-f', 'rawvideo'],
  ])
  const size = TINY.width * TINY.height
  const shares = times.map((_, index) => {
    const picture = pixels.subarray(index * size, (index + 1) * size)
    return picture.filter((value) => value > WHITE).length / size
  })
  return turnedWhite(times, shares)
}

/** By the white share of the picture at each time. */
function turnedWhite(times: readonly number[], shares: readonly number[]): number[] {
  return times.filter((_, index) => index > 0 && shares[index]! > 0.4 && shares[index - 1]! < 0.2)
}

/** How much later the sound of each flash comes than its picture, in milliseconds; pairs further apart are none. */
export function offsets(flashes: readonly number[], beeps: readonly number[]): number[] {
  return flashes.flatMap((flash) => {
    const nearest = beeps.toSorted((a, b) => Math.abs(a - flash) - Math.abs(b - flash))[0]
    return nearest !== undefined && Math.abs(nearest - flash) < 0.9 ? [(nearest - flash) * 1000] : []
  })
}
