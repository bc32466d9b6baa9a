/** Short spans as the recorder's ffmpeg gives them, made without a screen and quickly. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { GrowingFile, GrowingStart } from '../../packages/core/recording.ts'
import { barCodeCells } from '../../packages/mock/media/bar-code.ts'
import { Recording } from '../../recorder/recording.ts'

export interface SpanSettings {
  /** Shown as a bar code on each picture. */
  number?: number
  seconds: number
  /** Default: as long as the pictures. */
  soundSeconds?: number
  /** Null for sound alone. */
  framesPerSecond?: 25 | 30 | null
  width?: number
  height?: number
  crf?: number
  /** Default 2. */
  secondsBetweenKeys?: number
  /** Hertz of a tone; 0 for silence. */
  tone?: number
}

/** One span's fragmented MP4, with the container settings of the recorder. */
export async function makeSpan(settings: SpanSettings): Promise<Buffer> {
  const { number = 0, seconds, soundSeconds = seconds, width = 160, height = 90, crf = 24, tone = 440 } = settings
  const framesPerSecond = settings.framesPerSecond === undefined ? 30 : settings.framesPerSecond
  const boxes = barCodeCells(number).map(
    (cell) =>
      `drawbox=x=${cell.left}*iw:y=${cell.top}*ih:w=${cell.width}*iw:h=${cell.height}*ih:t=fill:color=${cell.white ? 'white' : 'black'}`,
  )
  const pictures =
    framesPerSecond === null
      ? []
      : ['-f', 'lavfi', '-i', `testsrc2=s=${width}x${height}:r=${framesPerSecond}:d=${seconds},${boxes.join(',')}`]
  const sound = tone === 0 ? `anullsrc=r=48000:cl=stereo:d=${soundSeconds}` : `sine=f=${tone}:r=48000:d=${soundSeconds}`
  const gop = String((framesPerSecond ?? 0) * (settings.secondsBetweenKeys ?? 2))
  const encoder = ['-c:v', 'libx264', '-preset', 'superfast', '-crf', String(crf), '-bf', '0', '-g', gop]
  const video = [...encoder, '-pix_fmt', 'yuv420p']
  const ffmpeg = spawn(
    'ffmpeg',
    [
      ...['-v', 'error', ...pictures, '-f', 'lavfi', '-i', sound],
      ...(framesPerSecond === null ? ['-map', '0:a'] : ['-map', '0:v', ...video, '-map', '1:a']),
      ...['-c:a', 'aac', '-b:a', '128k', '-ar', '48000', '-ac', '2', '-map_metadata', '-1'],
      ...['-movflags', '+delay_moov+default_base_moof', '-frag_duration', '500000', '-f', 'mp4', 'pipe:1'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exit = once(ffmpeg, 'exit')
  const chunks: Buffer[] = []
  for await (const chunk of ffmpeg.stdout) chunks.push(chunk as Buffer)
  const [code] = await exit
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}`)
  return Buffer.concat(chunks)
}

/** A growing file in memory. Its finish makes the whole file in the room that was asked for, or as short as it can be. */
class MemoryFile implements GrowingFile {
  readonly start: GrowingStart
  readonly pieces: Uint8Array[] = []
  whole: Buffer | null = null
  readonly #room: number | null
  /** From the append on with this index all fail. */
  readonly #failsFrom: number

  constructor(start: GrowingStart, options: { room?: number | null; failsFrom?: number } = {}) {
    this.start = start
    this.#room = options.room === undefined ? start.headBytes : options.room
    this.#failsFrom = options.failsFrom ?? Number.POSITIVE_INFINITY
  }

  get body(): Buffer {
    return Buffer.concat(this.pieces)
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (this.pieces.length >= this.#failsFrom) throw new Error('no room for more')
    this.pieces.push(bytes)
  }

  storedBytes(): number {
    return 0
  }

  async finish(makeHead: (room: number | null) => Uint8Array) {
    this.whole = Buffer.concat([makeHead(this.#room), ...this.pieces])
    const { name } = this.start
    return { name, location: name, bytes: this.whole.length, sha256: null, crc32: '00000000' }
  }

  async close(): Promise<void> {}
}

/** A recording whose files grow in memory. */
export function openRecording(options: { hasPicture?: boolean; room?: number | null; failsFrom?: number } = {}) {
  const { hasPicture = true, ...file } = options
  const files: MemoryFile[] = []
  const grow = async (start: GrowingStart) => {
    files.push(new MemoryFile(start, file))
    return files.at(-1)!
  }
  return { recording: new Recording({ hasPicture, framesPerSecond: 30, reserveSeconds: 600, grow }), files }
}

/** Appends bytes as they come from an encoder: in pieces. */
export async function feedBytes(append: (bytes: Uint8Array) => Promise<void>, bytes: Buffer, pieceBytes: number) {
  for (let at = 0; at < bytes.length; at += pieceBytes) await append(bytes.subarray(at, at + pieceBytes))
}
