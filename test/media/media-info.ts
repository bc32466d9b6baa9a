import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface Media {
  seconds: number
  codecs: string[]
  width: number | undefined
  height: number | undefined
  frameRate: string | undefined
}

/** What ffprobe says of a file; rejects when it cannot be played. */
export async function probe(path: string): Promise<Media> {
  const { stdout } = await promisify(execFile)('ffprobe', [
    ...['-v', 'error', '-of', 'json', '-show_format', '-show_streams', path],
  ])
  const { format, streams } = JSON.parse(stdout) as {
    format: { duration: string }
    streams: { codec_type: string; codec_name: string; width?: number; height?: number; avg_frame_rate?: string }[]
  }
  const video = streams.find(({ codec_type }) => codec_type === 'video')
  return {
    seconds: Number(format.duration),
    codecs: streams.map(({ codec_name }) => codec_name),
    width: video?.width,
    height: video?.height,
    frameRate: video?.avg_frame_rate,
  }
}
