import { mkdir, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Logger } from '../src/logger.ts'
import type { RecordedFile } from '../src/ports.ts'
import { type Expected, extractSound, joinSegments } from './join.ts'
import { inspectSegment, isUnfit, type Segment } from './segments.ts'
import type { RecorderLimits } from './settings.ts'

export interface FinalFiles {
  files: RecordedFile[]
  /** Seconds of media of each segment that was asked for; 0 where nothing of it plays. */
  spanSeconds: number[]
}

/**
 * Turns segments into `video.mp4` and `audio.m4a`, or into `audio.m4a` alone. Whatever cannot be made is logged and left
 * out; segments go only after the file that replaces them is proved, and are handed over themselves otherwise.
 */
export async function makeFinalFiles(options: {
  folder: string
  workFolder: string
  segmentPaths: readonly string[]
  picture: Expected['picture']
  limits: RecorderLimits
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
}): Promise<FinalFiles> {
  const { folder, workFolder, picture, limits, logger } = options
  await mkdir(workFolder, { recursive: true })
  const segments: Segment[] = []
  const spanSeconds: number[] = []
  for (const path of options.segmentPaths) {
    const segment = await inspectSegment(path, picture?.framesPerSecond ?? null)
    if (isUnfit(segment)) {
      logger.warn('A span left nothing that plays', { ...segment })
    } else {
      if (segment.cutBytes > 0) logger.warn('An unfinished end was cut off', { path, bytes: segment.cutBytes })
      segments.push(segment)
    }
    spanSeconds.push(isUnfit(segment) ? 0 : segment.seconds)
  }
  if (segments.length === 0) return { files: [], spanSeconds }

  const durationSeconds = segments.reduce((sum, segment) => sum + segment.seconds, 0)
  const main = join(folder, picture === null ? 'audio.m4a' : 'video.mp4')
  const files: RecordedFile[] = []
  try {
    const info = await joinSegments({
      segments,
      output: main,
      expected: { durationSeconds, picture },
      folder: workFolder,
      limits,
    })
    files.push(await describeFile(folder, main, info.durationSeconds))
  } catch (error) {
    logger.error('The segments could not be joined; they are handed over as they are', { error })
    return {
      files: await Promise.all(segments.map((segment) => describeFile(folder, segment.path, segment.seconds))),
      spanSeconds,
    }
  }

  if (picture !== null) {
    const output = join(folder, 'audio.m4a')
    try {
      const info = await extractSound({ input: main, output, durationSeconds, folder: workFolder, limits })
      files.push(await describeFile(folder, output, info.durationSeconds))
    } catch (error) {
      logger.error('The sound could not be taken out of the video', { error })
    }
  }
  await removeSegments(segments, logger)
  logger.info('Final files are made', { files: files.map(({ name, bytes }) => ({ name, bytes })), durationSeconds })
  return { files, spanSeconds }
}

async function describeFile(folder: string, path: string, durationSeconds: number): Promise<RecordedFile> {
  const { size } = await stat(path)
  return { name: relative(folder, path), path, bytes: size, durationSeconds }
}

async function removeSegments(segments: readonly Segment[], logger: Pick<Logger, 'warn'>): Promise<void> {
  try {
    for (const { path } of segments) await rm(path)
    // Stays when something unfit was put aside in it.
    const [first] = segments
    if (first !== undefined) await rmdir(dirname(first.path))
  } catch (error) {
    logger.warn('Segments are left over', { folder: basename(dirname(segments[0]?.path ?? '')), error })
  }
}
