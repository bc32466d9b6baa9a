import { open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { joinPackets, PRIMING_PACKETS, readPackets, SAMPLES_PER_PACKET } from './adts.ts'
import { joinArguments, packetsArguments, remuxArguments, silenceArguments, soundOnlyArguments } from './ffmpeg-args.ts'
import { type MediaInfo, readMediaInfo } from './media-info.ts'
import { runTool } from './run-tool.ts'
import type { Segment } from './segments.ts'
import { type RecorderLimits, SAMPLE_RATE } from './settings.ts'

/** What the final file has to be, for it to replace the segments. */
export interface Expected {
  durationSeconds: number
  picture: { width: number; height: number; framesPerSecond: number } | null
}

/** A file may be shorter or longer than its segments say by the sound that runs past the last picture. */
const DURATION_TOLERANCE_SECONDS = 0.5
const BYTES_PER_MEGABYTE = 1_000_000

/**
 * Makes one file of all segments without encoding anything again, and proves it before it takes its name. Rejects and
 * leaves nothing under that name otherwise; the segments are not touched.
 */
export async function joinSegments(options: {
  segments: readonly Segment[]
  output: string
  expected: Expected
  /** For what is needed on the way; removed afterwards. */
  folder: string
  limits: RecorderLimits
}): Promise<MediaInfo> {
  const { segments, output, folder, limits } = options
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0)
  const deadlineMs = limits.remuxMs + (bytes / BYTES_PER_MEGABYTE) * limits.remuxMsPerMegabyte
  const run = (args: readonly string[]) => runTool({ name: 'ffmpeg', command: 'ffmpeg', args, folder, deadlineMs })
  const partial = `${output}.partial`
  const leftovers = [partial]
  const inFolder = (name: string) => {
    const path = join(folder, name)
    leftovers.push(path)
    return path
  }

  try {
    const [first] = segments
    if (first === undefined) throw new Error('there is no segment to join')
    if (segments.length === 1) {
      await run(remuxArguments(first.path, partial))
    } else {
      const packets = await joinSound(segments, inFolder, run)
      const { picture } = options.expected
      const list = inFolder('pictures.ffconcat')
      if (picture !== null) await writeFile(list, concatList(segments))
      await run(
        joinArguments({
          pictures: picture === null ? null : { list, framesPerSecond: picture.framesPerSecond },
          packets,
          primingSeconds: (PRIMING_PACKETS * SAMPLES_PER_PACKET) / SAMPLE_RATE,
          output: partial,
        }),
      )
    }
    const info = await readMediaInfo(partial, folder, limits.probeMs)
    checkMedia(info, options.expected)
    await rename(partial, output)
    return info
  } finally {
    await Promise.all(leftovers.map((path) => rm(path, { force: true })))
  }
}

/** Copies the sound of a finished file into one of its own, proved in the same way. */
export async function extractSound(options: {
  input: string
  output: string
  durationSeconds: number
  folder: string
  limits: RecorderLimits
}): Promise<MediaInfo> {
  const { input, output, folder, limits } = options
  const partial = `${output}.partial`
  const { size } = await stat(input)
  try {
    await runTool({
      name: 'ffmpeg',
      command: 'ffmpeg',
      args: soundOnlyArguments(input, partial),
      folder,
      deadlineMs: limits.remuxMs + (size / BYTES_PER_MEGABYTE) * limits.remuxMsPerMegabyte,
    })
    const info = await readMediaInfo(partial, folder, limits.probeMs)
    checkMedia(info, { durationSeconds: options.durationSeconds, picture: null })
    await rename(partial, output)
    return info
  } finally {
    await rm(partial, { force: true })
  }
}

async function joinSound(
  segments: readonly Segment[],
  inFolder: (name: string) => string,
  run: (args: readonly string[]) => Promise<string>,
): Promise<string> {
  const rows: string[] = []
  const starts: number[] = []
  let seconds = 0
  for (const [index, segment] of segments.entries()) {
    const row = inFolder(`sound-${index + 1}.adts`)
    await run(packetsArguments(segment.path, row))
    rows.push(row)
    starts.push(Math.round(seconds * SAMPLE_RATE))
    seconds += segment.seconds
  }
  const silent = inFolder('silence.adts')
  await run(silenceArguments(silent))
  let silence = Buffer.alloc(0)
  // The last packet: the first ones still carry the encoder's beginning.
  for await (const packet of readPackets(silent)) silence = Buffer.from(packet)

  const joined = inFolder('sound.adts')
  const file = await open(joined, 'w')
  try {
    await joinPackets(file, rows, starts, silence)
  } finally {
    await file.close()
  }
  return joined
}

function concatList(segments: readonly Segment[]): string {
  const entries = segments.map((segment) => `file '${segment.path.replaceAll("'", "'\\''")}'\n`)
  return `ffconcat version 1.0\n${entries.join('')}`
}

function checkMedia(info: MediaInfo, expected: Expected): void {
  const { picture } = expected
  const problems = [
    Math.abs(info.durationSeconds - expected.durationSeconds) > DURATION_TOLERANCE_SECONDS &&
      `it lasts ${info.durationSeconds} s instead of ${expected.durationSeconds} s`,
    info.audio?.codec !== 'aac' && `its sound is ${info.audio?.codec ?? 'missing'} instead of aac`,
    !info.isIndexFirst && 'its index does not come before its data',
    picture === null && info.video !== null && 'it has a picture',
    picture !== null &&
      info.video?.codec !== 'h264' &&
      `its picture is ${info.video?.codec ?? 'missing'} instead of h264`,
    picture !== null &&
      info.video !== null &&
      (info.video.width !== picture.width || info.video.height !== picture.height) &&
      `its picture is ${info.video.width}x${info.video.height} instead of ${picture.width}x${picture.height}`,
    picture !== null &&
      info.video !== null &&
      Math.abs(info.video.framesPerSecond - picture.framesPerSecond) > 0.01 &&
      `it has ${info.video.framesPerSecond} frames a second instead of ${picture.framesPerSecond}`,
  ].filter((problem) => problem !== false)
  if (problems.length > 0) throw new Error(`the joined file is unfit: ${problems.join('; ')}`)
}
