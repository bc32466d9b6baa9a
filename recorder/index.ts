import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createCleanup } from '../src/cleanup.ts'
import type { Logger } from '../src/logger.ts'
import type { Clock, RecordedFile, RecordedSpan, Recorder, RecorderEvent, Stage } from '../src/ports.ts'
import type { Supervised } from '../src/supervised.ts'
import type { RecordingMode } from '../src/wire/codes.ts'
import { type AudioSink, startAudioSink } from './audio-sink.ts'
import { type Capture, startCapture } from './capture.ts'
import { type Display, startDisplay } from './display.ts'
import { createSoundWatch } from './ffmpeg-output.ts'
import { makeFinalFiles } from './final-files.ts'
import { segmentName } from './segments.ts'
import {
  BROWSER_PICTURE_LATENCY_MS,
  DEFAULT_LIMITS,
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
  type RecorderLimits,
} from './settings.ts'

export interface RecorderOptions {
  mode: RecordingMode
  framesPerSecond: 25 | 30
  /** The recording's own folder, which exists; everything that is written goes into it. */
  folder: string
  logger: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  clock: Clock
  width?: number
  height?: number
  /** The bot speaks too, and its voice belongs into the recording. Default false. */
  withVoice?: boolean
  /** By how much sound waits for its picture; the default is what was measured of Chromium. */
  pictureLatencyMs?: number
  limits?: Partial<RecorderLimits>
}

interface Span extends RecordedSpan {
  path: string
}

/**
 * Records what the browser shows and plays on the stage. Operations run one after the other in the order they are
 * asked for; `close` may come in the middle of any of them and ends it.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { mode, framesPerSecond, folder, logger, clock } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const width = options.width ?? PICTURE_WIDTH
  const height = options.height ?? PICTURE_HEIGHT
  const latencyMs = options.pictureLatencyMs ?? BROWSER_PICTURE_LATENCY_MS
  const hasPicture = mode !== 'audio_only'
  const segmentFolder = join(folder, 'segments')
  const workFolder = join(folder, 'work')

  const listeners = new Set<(event: RecorderEvent) => void>()
  const spans: Span[] = []
  const closing = new AbortController()
  const cleanup = createCleanup(({ step, error }) => logger.warn('A clean-up step failed', { step, error }))
  let stage: Stage | null = null
  let display: Display | null = null
  let sound: AudioSink | null = null
  let capture: Capture | null = null
  let failure: Error | null = null
  let finishing: Promise<RecordedFile[]> | null = null
  /** Of the spans that are over. */
  const past = { seconds: 0, bytes: 0, repeatedFrames: 0 }

  let queue: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(operation: () => Promise<T>): Promise<T> => {
    const result = queue.then(operation)
    // The next operation waits for this one, whatever came of it.
    queue = result.catch(() => {})
    return result
  }

  const emit = (event: RecorderEvent) => {
    for (const listener of listeners) listener(event)
  }

  const soundWatch = createSoundWatch(limits.silenceMs, (isAudible, seconds) => {
    const span = spans.at(-1)
    if (span !== undefined) emit({ type: 'sound', isAudible, at: Math.round(span.startedAt + seconds * 1000) })
  })

  function fail(error: Error): void {
    if (failure !== null || closing.signal.aborted || finishing !== null) return
    failure = error
    logger.error('Recording cannot go on', { error })
    // What ffmpeg still holds is worth asking for; whoever hears of the failure need not wait for it.
    void inTurn(endSpan)
    emit({ type: 'failed', error, at: clock.now() })
  }

  function guard(process: Supervised): void {
    void process.ended.then((ending) => {
      if (ending.how === 'died') fail(new Error(ending.text))
    })
  }

  async function prepare(signal: AbortSignal): Promise<Stage> {
    if (stage !== null) return stage
    const either = AbortSignal.any([signal, closing.signal])
    either.throwIfAborted()
    await mkdir(segmentFolder, { recursive: true })
    await mkdir(workFolder, { recursive: true, mode: 0o700 })
    cleanup.add('work folder', () => rm(workFolder, { recursive: true, force: true }))
    if (sound === null) {
      const started = await startAudioSink({
        folder: workFolder,
        withVoice: options.withVoice ?? false,
        readyDeadlineMs: limits.serverReadyMs,
        signal: either,
      })
      sound = started
      cleanup.add('sound server folder', () => started.removeFolder())
      cleanup.add('sound server', () => started.process.stop())
      guard(started.process)
    }
    either.throwIfAborted()
    if (hasPicture && display === null) {
      const started = await startDisplay({
        width,
        height,
        folder: workFolder,
        readyDeadlineMs: limits.serverReadyMs,
        signal: either,
      })
      display = started
      cleanup.add('display server', () => started.process.stop())
      guard(started.process)
    }
    either.throwIfAborted()
    stage = { display: display?.name ?? null, pulseServer: sound.server, pulseSink: sound.sink, width, height }
    if (sound.voice !== null) stage.voiceSink = sound.voice.sink
    logger.info('The stage stands', { display: stage.display, sound: stage.pulseServer })
    return stage
  }

  async function beginSpan(): Promise<void> {
    if (capture !== null) return
    if (failure !== null) throw failure
    if (finishing !== null) throw new Error('The recording is finished')
    if (sound === null || (hasPicture && display === null)) throw new Error('The recorder is not prepared')
    const path = join(segmentFolder, segmentName(spans.length))
    soundWatch.beginSpan()
    const started = await startCapture({
      settings: {
        pulseServer: sound.server,
        source: sound.monitor,
        voiceSource: sound.voice?.monitor ?? null,
        picture: display === null ? null : { display: display.name, width, height, framesPerSecond, latencyMs },
        noiseFloorDb: limits.noiseFloorDb,
        silenceMs: limits.silenceMs,
      },
      path,
      folder: workFolder,
      limits,
      clock,
      signal: closing.signal,
      listener: {
        progress: (progress) => {
          if (capture === null) return
          emit({
            type: 'progress',
            seconds: past.seconds + progress.seconds,
            bytes: past.bytes + capture.bytes(),
            droppedFrames: past.repeatedFrames + progress.repeatedFrames,
            at: clock.now(),
          })
          soundWatch.progress(progress.seconds)
        },
        silence: (isSilent, seconds) => soundWatch.report(isSilent, seconds),
        failed: fail,
      },
    })
    capture = started
    spans.push({ startedAt: started.startedAt, endedAt: null, path })
    logger.info('Recording runs', { span: spans.length, startedAt: new Date(started.startedAt).toISOString() })
  }

  async function endSpan(): Promise<void> {
    if (capture === null) return
    const ending = capture
    await ending.stop()
    capture = null
    const { seconds, repeatedFrames } = ending.progress()
    past.seconds += seconds
    past.bytes += ending.bytes()
    past.repeatedFrames += repeatedFrames
    const span = spans.at(-1)!
    span.endedAt = Math.round(span.startedAt + spanSeconds(ending) * 1000)
    logger.info('Recording rests', { span: spans.length, seconds, bytes: ending.bytes(), repeatedFrames })
  }

  /** Time is counted in pictures, because the joined file counts it so. */
  function spanSeconds(ended: Capture): number {
    const { frames, seconds } = ended.progress()
    return hasPicture ? frames / framesPerSecond : seconds
  }

  async function finish(): Promise<RecordedFile[]> {
    await inTurn(endSpan)
    const result = await makeFinalFiles({
      folder,
      workFolder,
      segmentPaths: spans.map((span) => span.path),
      picture: hasPicture ? { width, height, framesPerSecond } : null,
      limits,
      logger,
    })
    // A killed encoder's last fragment is cut off; the spans follow what is really there.
    for (const [index, seconds] of result.spanSeconds.entries()) {
      const span = spans[index]!
      span.endedAt = Math.round(span.startedAt + seconds * 1000)
    }
    return result.files
  }

  async function close(): Promise<void> {
    closing.abort(new Error('The recorder was closed'))
    // Finished files are not to be torn apart; an unfinished span is ended politely, which its own deadlines bound.
    await finishing?.catch(() => {})
    await inTurn(endSpan).catch((error) => logger.warn('The last span did not end cleanly', { error }))
    await cleanup.run()
  }

  return {
    prepare: (signal) => inTurn(() => prepare(signal)),
    start: () => inTurn(beginSpan),
    pause: () => inTurn(endSpan),
    resume: () => inTurn(beginSpan),
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    spans: () => spans.map(({ startedAt, endedAt }) => ({ startedAt, endedAt })),
    finish() {
      finishing ??= finish()
      return finishing
    },
    close,
  }
}
