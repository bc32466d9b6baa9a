import type { Readable } from 'node:stream'
import { clockStep } from '@standin/wire/time/deadline.ts'
import type { Clock } from '../packages/core/ports.ts'
import { activeMs, WORKING_SHARE } from '../packages/core/process/scheduled-time.ts'
import { supervise } from '../packages/core/process/supervised.ts'
import { type CaptureSettings, captureArguments } from './ffmpeg/ffmpeg-args.ts'
import {
  type CaptureProgress,
  createProgressReader,
  createReportReader,
  isEverydayReport,
} from './ffmpeg/ffmpeg-output.ts'
import { childEnvironment, type RecorderLimits } from './settings.ts'

/** One running ffmpeg that records one span. */
export interface Capture {
  /** UTC milliseconds of the first picture, or of the first sound where only sound is recorded. */
  startedAt: number
  progress(): CaptureProgress
  /** Asks ffmpeg to finish; resolves when it is gone and its output is taken. Repeatable, never rejects. */
  stop(): Promise<void>
  /** Ends at once what does not have to be finished. */
  kill(): void
}

export interface CaptureListener {
  progress(progress: CaptureProgress): void
  silence(isSilent: boolean, seconds: number): void
  /** Every line of standard error, to the last. */
  report(line: string): void
  /**
   * Called once, and only for a failure: ffmpeg crashed or stalled, or (`isTaken` is false) the listener did not take its
   * output.
   */
  failed(error: Error, isTaken: boolean): void
}

const INTERRUPT_DEADLINE_MS = 3_000
const STALL_CHECK_MS = 500
/** ffmpeg stamps pictures and sound by the machine's clock, so a step of it is a hole or a standstill in the file. */
const STEP_CHECK_MS = 250
const MAX_STEP_MS = 500
const NO_PROGRESS: CaptureProgress = { frames: 0, seconds: 0, repeatedFrames: 0, isLast: false }

/**
 * Starts recording; resolves when the first picture or sound is captured. Rejects when that takes too long or ffmpeg ends
 * first, and when the signal is aborted; nothing runs then.
 */
export async function startCapture(options: {
  settings: CaptureSettings
  /** Takes ffmpeg's output, a fragmented MP4, piece by piece; ffmpeg waits for it. Where it rejects, the capture fails. */
  onBytes: (bytes: Uint8Array) => Promise<void>
  folder: string
  /** Xauthority file of the display that is captured; absent without a display. */
  displayAuthority?: string
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
      if ((report.device !== 'pulse') === isPicture) startedAt ??= report.at - clockStep(clock)
      beginOnce()
    } else if (!isStopping) {
      // While it stops, ffmpeg ends a silence that merely was not finished.
      listener.silence(report.isSilent, report.seconds)
    }
  })

  signal.throwIfAborted()
  const child = await supervise({
    name: 'encoder',
    command: 'ffmpeg',
    args: captureArguments(settings),
    env: {
      ...childEnvironment(options.folder),
      ...(options.displayAuthority === undefined ? {} : { XAUTHORITY: options.displayAuthority }),
    },
    stdin: true,
    extraPipes: 1,
    binaryStdout: true,
    lines: {
      2: (line) => {
        readReport(line)
        listener.report(line)
        return !isEverydayReport(line)
      },
      3: readProgress,
    },
    stopSteps: [
      { ask: ({ stdin }) => stdin?.write('q'), deadlineMs: limits.encoderStopMs, workingMs: limits.starvingMs },
      { ask: 'SIGINT', deadlineMs: INTERRUPT_DEADLINE_MS },
    ],
  })

  let isWanted = true
  let takeError: Error | null = null
  const taken = readAll(child.stdout!, async (bytes) => {
    if (isWanted) await options.onBytes(bytes)
  }).catch((error: Error) => {
    takeError = error
  })
  const stalling = new AbortController()
  const gone = child.ended.then(async (ending) => {
    stalling.abort()
    await taken
    return takeError === null
      ? new Error(ending.text)
      : new Error(`The recording cannot be kept: ${takeError.message}`, { cause: takeError })
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
    // The caller does not use this process yet; a second attempt starts another one.
    isWanted = false
    child.signal('SIGKILL')
    await stop()
    throw error
  } finally {
    deadline.abort()
    signal.removeEventListener('abort', onAbort)
  }

  void gone.then((error) => {
    if (isStopping) return
    isStopping = true
    listener.failed(error, takeError === null)
  })
  void watchForStall(clock, limits, stalling.signal, {
    hasAdvanced() {
      const advanced = hasAdvanced
      hasAdvanced = false
      return advanced
    },
    activeMs: () => activeMs(child.pid),
  }).then((idleMs) => {
    if (idleMs === null || isStopping) return
    isStopping = true
    listener.failed(new Error(`The encoder stalled: no new output for ${idleMs / 1000} s`), true)
  })

  void watchForStep(clock, stalling.signal).then((stepMs) => {
    if (stepMs === null || isStopping) return
    isStopping = true
    child.signal('SIGKILL')
    const step = `${Math.round(Math.abs(stepMs) / 1000)} s ${stepMs > 0 ? 'forward' : 'back'}`
    listener.failed(new Error(`The machine's clock was set ${step}, and the encoder counts by it`), true)
  })

  return {
    startedAt: startedAt!,
    progress: () => progress,
    stop,
    kill: () => child.signal('SIGKILL'),
  }
}

/** Resolves with the milliseconds by which the machine's clock was set, once that happens; null if the signal ends it. */
async function watchForStep(clock: Clock, signal: AbortSignal): Promise<number | null> {
  const before = clockStep(clock)
  try {
    for (;;) {
      await clock.sleep(STEP_CHECK_MS, signal)
      const stepMs = clockStep(clock) - before
      if (Math.abs(stepMs) > MAX_STEP_MS) return stepMs
    }
  } catch {
    return null
  }
}

/** A stream that is not read to its end is destroyed, and its writer with it. */
async function readAll(stream: Readable, onBytes: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  for await (const bytes of stream as AsyncIterable<Uint8Array>) await onBytes(bytes)
}

/**
 * Resolves with the time without an advance, in milliseconds, when it is too long; with null if the signal ends it.
 * Counting checks instead of reading the clock keeps a machine that was asleep from being taken for a dead encoder.
 */
export async function watchForStall(
  clock: Clock,
  { standingStillMs, starvingMs }: Pick<RecorderLimits, 'standingStillMs' | 'starvingMs'>,
  signal: AbortSignal,
  encoder: { hasAdvanced(): boolean; activeMs(): Promise<number> },
): Promise<number | null> {
  let idleMs = 0
  let activeBefore = 0
  try {
    for (;;) {
      await clock.sleep(STALL_CHECK_MS, signal)
      idleMs = encoder.hasAdvanced() ? 0 : idleMs + STALL_CHECK_MS
      if (idleMs === STALL_CHECK_MS) activeBefore = await encoder.activeMs()
      if (idleMs < standingStillMs) continue
      const active = (await encoder.activeMs()) - activeBefore
      if (idleMs >= starvingMs || active < (idleMs - STALL_CHECK_MS) * WORKING_SHARE) return idleMs
    }
  } catch {
    // The encoder ended; there is nothing to watch any more.
    return null
  }
}
