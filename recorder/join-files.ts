/** Puts finished recordings behind each other in one file: packet by packet where their settings are equal, else encoded again. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProgram } from '../packages/core/process/run-program.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from './settings.ts'

/** The properties of a stream that have to be equal for its packets to continue in one track. */
interface Stream {
  codec_type: string
  codec_name: string
  width?: number
  height?: number
  sample_rate?: string
  channels?: number
  time_base: string
  extradata_hash?: string
}

/** Seconds of a media file. Rejects if it cannot be played. */
export async function mediaSeconds(file: string, signal: AbortSignal): Promise<number> {
  const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file]
  const seconds = Number(await runProgram('ffprobe', args, signal))
  if (!Number.isFinite(seconds) || seconds <= 0) throw new Error(`${file} has no length`)
  return seconds
}

/** Writes `target` with the index first. The list of files is kept in `folder` meanwhile. Resolves with its seconds. */
export async function joinFiles(
  files: readonly string[],
  { target, folder, signal }: { target: string; folder: string; signal: AbortSignal },
): Promise<{ seconds: number; isEncodedAnew: boolean }> {
  const streams = await Promise.all(files.map((file) => streamsOf(file, signal)))
  const isAlike = streams.every((each) => JSON.stringify(each) === JSON.stringify(streams[0]))
  const args = isAlike ? await asTheyAre(files, folder, signal) : encodedAnew(files, streams[0]!)
  await runProgram('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args, '-movflags', '+faststart', target], signal)
  return { seconds: await mediaSeconds(target, signal), isEncodedAnew: !isAlike }
}

async function asTheyAre(files: readonly string[], folder: string, signal: AbortSignal): Promise<string[]> {
  const list = join(folder, 'parts.txt')
  const lines = files.map((file) => `file '${file.replaceAll("'", "'\\''")}'\n`)
  await writeFile(list, lines.join(''), { mode: 0o600 })
  // The packet that primes the sound decoder is before the first picture, and has to stay there.
  const input = ['-f', 'concat', '-safe', '0', '-i', list, '-map', '0', '-c', 'copy']
  const offset = String(await primingSeconds(files[0]!, signal))
  return [...input, '-output_ts_offset', offset, '-avoid_negative_ts', 'disabled']
}

/** The time of the first sound packet, in seconds: 0 or negative. */
async function primingSeconds(file: string, signal: AbortSignal): Promise<number> {
  const first = ['-select_streams', 'a:0', '-read_intervals', '%+#1', '-show_entries', 'packet=pts_time']
  const time = await runProgram('ffprobe', ['-v', 'error', ...first, '-of', 'csv=p=0', file], signal)
  return Math.min(0, Number.parseFloat(time) || 0)
}

function encodedAnew(files: readonly string[], first: readonly Stream[]): string[] {
  const hasPicture = first.some(({ codec_type }) => codec_type === 'video')
  const size = `${PICTURE_WIDTH}:${PICTURE_HEIGHT}`
  const prepared = files.flatMap((_, place) => [
    ...(hasPicture
      ? [`[${place}:v]scale=${size}:force_original_aspect_ratio=decrease,pad=${size}:-1:-1,setsar=1[v${place}]`]
      : []),
    `[${place}:a]aresample=48000[a${place}]`,
  ])
  const inputs = files.map((_, place) => `${hasPicture ? `[v${place}]` : ''}[a${place}]`).join('')
  const joined = `${inputs}concat=n=${files.length}:v=${hasPicture ? 1 : 0}:a=1${hasPicture ? '[v]' : ''}[a]`
  return [
    ...files.flatMap((file) => ['-i', file]),
    ...['-filter_complex', [...prepared, joined].join(';')],
    ...(hasPicture ? ['-map', '[v]', '-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p'] : []),
    ...['-map', '[a]', '-c:a', 'aac'],
  ]
}

async function streamsOf(file: string, signal: AbortSignal): Promise<Stream[]> {
  const entries = 'stream=codec_type,codec_name,width,height,sample_rate,channels,time_base,extradata_hash'
  const args = ['-v', 'error', '-show_data_hash', 'sha256', '-show_entries', entries, '-of', 'json', file]
  const { streams } = JSON.parse(await runProgram('ffprobe', args, signal)) as { streams: Stream[] }
  return streams
}
