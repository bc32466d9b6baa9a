/** Reads the mock cameras' bar codes back from a recording: which of their frames it holds, and when each flash is seen. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { readFrameNumber } from '../../packages/mock/media/bar-code.ts'
import { lookColor } from '../../packages/mock/media/pictures.ts'
import { pictureTimes, probe } from '../../test/media/media-info.ts'
import { LOOKS, SOURCE_FRAMES_PER_SECOND } from './meeting.ts'

const SOURCE = { width: 640, height: 360 }
const LOOP_FRAMES = 4 * SOURCE_FRAMES_PER_SECOND
/** A longer jump is another person's picture, not a loss. */
const MAX_LOSS = 12
/** Width at which a tile is read; a cell of the bar code is 8 pixels then. */
const READ_WIDTH = 160
const run = promisify(execFile)

interface Box {
  x: number
  y: number
  width: number
  height: number
}

export interface PictureCheck {
  /** Share (0 to 1) of the camera's frames that the recording does not hold. */
  lostShare: number
  /** Frames of the file per second; fewer than its frame rate if the encoder did not keep up. */
  framesPerSecond: number
  /** Seconds of the recording at which the picture turns white. */
  flashes: number[]
}

/** Checks the seconds `from` to `until`. Rejects if no camera picture is found. */
export async function checkPicture(path: string, from: number, until: number): Promise<PictureCheck> {
  const { width = 0, height = 0 } = await probe(path)
  const size = { width, height }
  const box = await findTile(path, size, from, until)
  const readHeight = Math.round((READ_WIDTH * box.height) / box.width)
  const pixels = await decode(path, from, until - from, [
    ...[
      '-vf',
      `${wholeSize(size)},crop=${box.width}:${box.height}:${box.x}:${box.y},scale=${READ_WIDTH}:${readHeight}:flags=area`,
    ],
    ...['-pix_fmt', 'gray'],
  ])
  const times = await pictureTimes(path, from, until)
  const frames = Array.from({ length: Math.floor(pixels.length / (READ_WIDTH * readHeight)) }, (_, index) =>
    pixels.subarray(index * READ_WIDTH * readHeight, (index + 1) * READ_WIDTH * readHeight),
  )
  // Pictures fill their tile and are cut at the sides, or above and below.
  const scale = Math.max(box.width / SOURCE.width, box.height / SOURCE.height)
  const inTile = (part: number, whole: number, seen: number) => 0.5 + ((part - 0.5) * whole * scale) / seen
  const numbers = frames.map((frame) =>
    readFrameNumber((x, y) => {
      const column = Math.floor(inTile(x, SOURCE.width, box.width) * READ_WIDTH)
      const row = Math.floor(inTile(y, SOURCE.height, box.height) * readHeight)
      return frame[row * READ_WIDTH + column] ?? 0
    }),
  )
  const isWhite = frames.map((frame) => frame.reduce((sum, value) => sum + value, 0) / frame.length > 200)
  return {
    lostShare: lostShareOf(numbers),
    framesPerSecond: times.length / (until - from),
    flashes: times.filter((_, index) => index > 0 && isWhite[index] && !isWhite[index - 1]),
  }
}

/** Share (0 to 1) of a loop's frames that the recording lacks, by their numbers; null if none could be read. */
export function lostShareOf(numbers: readonly (number | null)[]): number {
  let shown = 0
  let lost = 0
  let last: number | null = null
  for (const number of numbers) {
    if (number !== null && last !== null) {
      const step = (number - last + LOOP_FRAMES) % LOOP_FRAMES
      if (step > 0 && step <= MAX_LOSS) {
        shown += 1
        lost += step - 1
      }
    }
    last = number
  }
  return shown === 0 ? 1 : lost / (shown + lost)
}

interface Size {
  width: number
  height: number
}

/** A recorder inside the browser changes the size of its pictures in the middle of the file. */
function wholeSize({ width, height }: Size): string {
  return `scale=${width}:${height}`
}

/** The part of the picture that is one camera's: found by the plain color of its background, which no flash shows. */
async function findTile(path: string, size: Size, from: number, until: number): Promise<Box> {
  for (let seconds = from; seconds < until; seconds += 0.7) {
    const pixels = await decode(path, seconds, null, ['-frames:v', '1', '-vf', wholeSize(size), '-pix_fmt', 'rgb24'])
    const boxes = LOOKS.map((look) => boxOf(pixels, size, look)).filter((box) => box !== null)
    const largest = boxes.sort((one, other) => other.width * other.height - one.width * one.height)[0]
    if (largest !== undefined) return largest
  }
  throw new Error(`${path} shows no camera from ${from} to ${until} s`)
}

/** The largest tile of this color; null if there is none. Other tiles and parts of the page may have similar colors. */
function boxOf(pixels: Buffer, { width, height }: Size, look: number): Box | null {
  const { red, green, blue } = lookColor(look)
  const isColor = (x: number, y: number) => {
    const at = (y * width + x) * 3
    const distance = Math.abs(pixels[at]! - red) + Math.abs(pixels[at + 1]! - green) + Math.abs(pixels[at + 2]! - blue)
    return distance <= 60
  }
  const countOf = (places: number, isAt: (place: number) => boolean) => {
    let count = 0
    for (let place = 0; place < places; place++) if (isAt(place)) count++
    return count
  }
  const rows = Array.from({ length: height }, (_, y) => countOf(width, (x) => isColor(x, y)))
  let largest: Box | null = null
  for (const [top, bottom] of filledRuns(rows)) {
    const rowCount = bottom - top + 1
    const columns = Array.from({ length: width }, (_, x) => countOf(rowCount, (row) => isColor(x, top + row)))
    for (const [left, right] of filledRuns(columns)) {
      const box = { x: left, y: top, width: right - left + 1, height: rowCount }
      if (box.width < 64 || box.height < 36) continue
      const matching = columns.slice(left, right + 1).reduce((sum, count) => sum + count, 0)
      const isOneTile = matching > 0.6 * box.width * rowCount
      if (isOneTile && box.width * rowCount > (largest === null ? 0 : largest.width * largest.height)) largest = box
    }
  }
  return largest
}

/** The stretches that are well filled, first and last place: single pixels of a color are everywhere. */
function filledRuns(counts: readonly number[]): [number, number][] {
  const enough = Math.max(...counts) * 0.3
  const runs: [number, number][] = []
  for (const [place, count] of counts.entries()) {
    if (count <= enough) continue
    const run = runs.at(-1)
    if (run?.[1] === place - 1) run[1] = place
    else runs.push([place, place])
  }
  return runs
}

async function decode(path: string, from: number, seconds: number | null, options: string[]): Promise<Buffer> {
  const length = seconds === null ? [] : ['-t', String(seconds)]
  const { stdout } = await run(
    'ffmpeg',
    [
      ...['-v', 'error', '-ss', String(from), ...length, '-i', path, '-map', '0:v:0', ...options],
      ...['-fps_mode', 'passthrough', '-f', 'rawvideo', 'pipe:1'],
    ],
    { encoding: 'buffer', maxBuffer: 2 ** 31 - 1 },
  )
  return stdout
}
