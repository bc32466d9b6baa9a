import { isIndexFirst } from './mp4-boxes.ts'
import { runTool } from './run-tool.ts'

export interface MediaInfo {
  durationSeconds: number
  video: { codec: string; width: number; height: number; framesPerSecond: number } | null
  audio: { codec: string; sampleRate: number } | null
  isIndexFirst: boolean
}

interface ProbeAnswer {
  format?: { duration?: string }
  streams?: Array<{
    codec_type?: string
    codec_name?: string
    width?: number
    height?: number
    avg_frame_rate?: string
    sample_rate?: string
  }>
}

/** What a media file holds, as ffprobe reads it. Rejects when it is not one. */
export async function readMediaInfo(path: string, folder: string, deadlineMs: number): Promise<MediaInfo> {
  const text = await runTool({
    name: 'ffprobe',
    command: 'ffprobe',
    args: ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', path],
    folder,
    deadlineMs,
  })
  const answer = JSON.parse(text) as ProbeAnswer
  const video = answer.streams?.find((stream) => stream.codec_type === 'video')
  const audio = answer.streams?.find((stream) => stream.codec_type === 'audio')
  const durationSeconds = Number(answer.format?.duration)
  if (!Number.isFinite(durationSeconds)) throw new Error('ffprobe finds no duration')
  return {
    durationSeconds,
    video:
      video === undefined
        ? null
        : {
            codec: video.codec_name ?? 'unknown',
            width: video.width ?? 0,
            height: video.height ?? 0,
            framesPerSecond: ratio(video.avg_frame_rate ?? '0/1'),
          },
    audio: audio === undefined ? null : { codec: audio.codec_name ?? 'unknown', sampleRate: Number(audio.sample_rate) },
    isIndexFirst: await isIndexFirst(path),
  }
}

function ratio(text: string): number {
  const [above, below] = text.split('/').map(Number)
  return (above ?? 0) / (below || 1)
}
