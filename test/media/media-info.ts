import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The types of the boxes at the top of an MP4, in order. */
export async function topLevelBoxes(path: string): Promise<string[]> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const types: string[] = []
    const header = Buffer.alloc(16)
    for (let offset = 0; offset < size; ) {
      await file.read(header, 0, 16, offset)
      types.push(header.toString('latin1', 4, 8))
      const bytes = header.readUInt32BE(0)
      offset += bytes === 1 ? Number(header.readBigUInt64BE(8)) : bytes || size
    }
    return types
  } finally {
    await file.close()
  }
}

/** Whether a player finds the whole index before it has to read the data, and no fragments. */
export async function isIndexFirst(path: string): Promise<boolean> {
  const types = (await topLevelBoxes(path)).filter((type) => type !== 'free')
  return types.join() === 'ftyp,moov,mdat'
}

export interface Media {
  seconds: number
  codecs: string[]
  width: number | undefined
  height: number | undefined
  frameRate: string | undefined
}

/** The report of ffprobe about a file; rejects when it cannot be played. */
export async function probe(path: string): Promise<Media> {
  const { stdout } = await run('ffprobe', [...['-v', 'error', '-of', 'json', '-show_format', '-show_streams', path]])
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

/** When each picture of a recording, or of a stretch of it, is shown, in seconds, in order. */
export async function pictureTimes(
  path: string,
  from = Number.NEGATIVE_INFINITY,
  until = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  const { stdout } = await run(
    'ffprobe',
    ['-v', 'error', '-select_streams', 'v:0', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0', path],
    { maxBuffer: 2 ** 28 },
  )
  const times = stdout.split('\n').map(Number.parseFloat)
  // With a millisecond to spare, since times are rounded. An empty line is no number, and in no stretch.
  return times.filter((time) => time >= from - 0.001 && time < until - 0.001).sort((one, other) => one - other)
}
