import { open, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../src/ports.ts'
import { supervise } from '../src/supervised.ts'
import { type CaptureSettings, captureArguments } from './ffmpeg-args.ts'
import { type CaptureProgress, createProgressReader, createReportReader } from './ffmpeg-output.ts'
import { childEnvironment, type RecorderLimits } from './settings.ts'

/** One running ffmpeg that writes one segment. */
export interface Capture {
  /** UTC milliseconds of the first picture, or of the first sound where only sound is recorded. */
  startedAt: number
  progress(): CaptureProgress
  /** Bytes handed to the file system. */
  bytes(): number
  /** Asks ffmpeg to finish; resolves when it is gone and the file is closed. Repeatable, never rejects. */
  stop(): Promise<void>
  /** Ends at once what does not have to be finished. */
  kill(): void
}

export interface CaptureListener {
  progress(progress: CaptureProgress): void
  silence(isSilent: boolean, seconds: number): void
  /** Comes once, and only for what was not asked for: ffmpeg died, stands still, or the disk is full. */
  failed(error: Error): void
}

const INTERRUPT_DEADLINE_MS = 3_000
const STALL_CHECK_MS = 500
const NO_PROGRESS: CaptureProgress = { frames: 0, seconds: 0, repeatedFrames: 0, isLast: false }

/**
 * Starts recording into a new file at `path`; resolves when the first picture or sound is captured. Rejects when that
 * takes too long or ffmpeg ends first, and when the signal is aborted; nothing runs then.
 */
export async function startCapture(options: {
  settings: CaptureSettings
  path: string
  folder: string
  limits: RecorderLimits
  clock: Clock
  listener: CaptureListener
  signal: AbortSignal
}): Promise<Capture> {
  const { settings, limits, clock, listener, signal } = options
  const isPicture = settings.picture !== null
  let progress = NO_PROGRESS
  let startedAt: number | null = null
  let hasAdvanced = true
  let isStopping = false
  let begin: () => void = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const beginOnce = () => {
    if (startedAt !== null && (isPicture ? progress.frames > 0 : progress.seconds > 0)) begin()
  }

  const readProgress = createProgressReader((next) => {
    if (next.frames > progress.frames || next.seconds > progress.seconds) hasAdvanced = true
    progress = next
    beginOnce()
    if (!isStopping) listener.progress(next)
  })
  const readReport = createReportReader((report) => {
    if (report.type === 'input_started') {
      // The first of its kind: with the bot's own voice there are two sounds.
      if ((report.device === 'x11grab') === isPicture) startedAt ??= report.at
      beginOnce()
    } else if (!isStopping) {
      // While it stops, ffmpeg ends a silence that merely was not finished.
      listener.silence(report.isSilent, report.seconds)
    }
  })

  signal.throwIfAborted()
  // 'wx': a segment never overwrites another one. flush: what is closed survives a power cut.
  const handle = await open(options.path, 'wx').catch((error: Error) => {
    throw new Error(`The recording cannot be written: ${error.message}`)
  })
  const file = handle.createWriteStream({ flush: true })
  const child = await supervise({
    name: 'encoder',
    command: 'ffmpeg',
    args: captureArguments(settings),
    env: childEnvironment(options.folder),
    stdin: true,
    extraPipes: 1,
    binaryStdout: true,
    lines: { 2: readReport, 3: readProgress },
    stopSteps: [
      { ask: (process) => process.stdin?.write('q'), deadlineMs: limits.encoderStopMs },
      { ask: 'SIGINT', deadlineMs: INTERRUPT_DEADLINE_MS },
    ],
  })

  let writeError: Error | null = null
  const written = pipeline(child.stdout!, file).catch((error: Error) => {
    writeError = error
  })
  const stalling = new AbortController()
  const gone = child.ended.then(async (ending) => {
    stalling.abort()
    await written
    return writeError === null
      ? new Error(ending.text)
      : new Error(`The recording cannot be written: ${writeError.message}`)
  })
  const stop = async () => {
    isStopping = true
    await child.stop()
    await gone
  }

  const abort = Promise.withResolvers<never>()
  const onAbort = () => abort.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  const deadline = new AbortController()
  try {
    const late = clock.sleep(limits.firstFrameMs, deadline.signal).then(() => {
      throw new Error(`The encoder gave no ${isPicture ? 'picture' : 'sound'} within ${limits.firstFrameMs / 1000} s`)
    })
    await Promise.race([begun, gone.then((error) => Promise.reject(error)), late, abort.promise])
  } catch (error) {
    await stop()
    // Nobody counts on it yet, and a second attempt needs the name.
    await rm(options.path, { force: true })
    throw error
  } finally {
    deadline.abort()
    signal.removeEventListener('abort', onAbort)
  }

  void gone.then((error) => {
    if (isStopping) return
    isStopping = true
    listener.failed(error)
  })
  void watchForStall(clock, limits.standingStillMs, stalling.signal, () => {
    const advanced = hasAdvanced
    hasAdvanced = false
    return advanced
  }).then((isStalled) => {
    if (!isStalled || isStopping) return
    isStopping = true
    listener.failed(new Error(`The encoder stands still: nothing new for ${limits.standingStillMs / 1000} s`))
  })

  return {
    startedAt: startedAt!,
    progress: () => progress,
    bytes: () => file.bytesWritten,
    stop,
    kill: () => child.signal('SIGKILL'),
  }
}

/**
 * Resolves with true after so many checks in a row without an advance. Counting checks instead of reading the clock
 * keeps a machine that was asleep from being taken for a dead encoder.
 */
async function watchForStall(
  clock: Clock,
  limitMs: number,
  signal: AbortSignal,
  hasAdvanced: () => boolean,
): Promise<boolean> {
  let idleMs = 0
  try {
    while (idleMs < limitMs) {
      await clock.sleep(STALL_CHECK_MS, signal)
      idleMs = hasAdvanced() ? 0 : idleMs + STALL_CHECK_MS
    }
    return true
  } catch {
    // The encoder ended; there is nothing to watch any more.
    return false
  }
}
