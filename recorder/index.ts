import { realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordingMode } from '@standin/wire/codes.ts'
import type { Logger } from '../core/logger.ts'
import { CAPTURE_SAMPLE_RATE } from '../core/meeting/capture-sample-rate.ts'
import type { Clock, FinishedRecording, RecordedSpan, Recorder, RecorderEvent, RecorderLoss } from '../core/ports.ts'
import { type Capture, type CaptureListener, startCapture } from './capture.ts'
import { CaptureServers } from './capture-environment.ts'
import type { CaptureSettings } from './ffmpeg/ffmpeg-args.ts'
import { type CaptureProgress, createSoundWatch } from './ffmpeg/ffmpeg-output.ts'
import { createQualityWatch } from './quality.ts'
import { type Grow, Recording } from './recording.ts'
import {
  DEFAULT_LIMITS,
  END_SECONDS,
  INDEXED_SECONDS,
  PICTURE_HEIGHT,
  PICTURE_LATENCY_MS,
  PICTURE_WIDTH,
  PIECES_ON_THE_WAY,
  type RecorderLimits,
  SOUND_AHEAD_MS,
  SOUND_PIECE_MS,
} from './settings.ts'
import { type Begun, StandBy } from './stand-by.ts'

export { joinFiles, mediaSeconds } from './join-files.ts'
export { type IndexedBody, indexBody } from './mp4/index-body.ts'

type Picture = NonNullable<CaptureSettings['picture']>

export interface RecorderOptions {
  mode: RecordingMode
  framesPerSecond: 25 | 30
  /** The recording's own folder, which exists, for what is needed on the way. */
  folder: string
  /** Begins one of the recording's files. */
  grow: Grow
  /** The recording never gets longer than this; less room is reserved for the index then. */
  longestSeconds?: number
  logger: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
  clock: Clock
  width?: number
  height?: number
  /** The bot speaks too, and its voice belongs into the recording. Default false. */
  withVoice?: boolean
  /** The sound is streamed live, or each participant has a track: Chromium may not buffer it for longer. Default false. */
  isHeardLive?: boolean
  /** By how much a picture comes later than its sound; the default is what was measured of Chromium. */
  pictureLatencyMs?: number
  limits?: Partial<RecorderLimits>
}

/**
 * Records the picture and sound of the browser in the capture environment. Operations run one after the other in the order
 * of the calls; `close` may be called in the middle of any of them and ends it.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { mode, framesPerSecond, folder, logger, clock } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const width = options.width ?? PICTURE_WIDTH
  const height = options.height ?? PICTURE_HEIGHT
  const hasPicture = mode !== 'audio_only'
  const soundPieceMs = options.isHeardLive
    ? SOUND_PIECE_MS.live
    : SOUND_PIECE_MS[hasPicture ? 'besidePicture' : 'alone']
  const laterSoundMs = (soundPieceMs - SOUND_PIECE_MS.live) * PIECES_ON_THE_WAY
  const latencyMs = (place: keyof typeof PICTURE_LATENCY_MS) =>
    options.pictureLatencyMs ?? PICTURE_LATENCY_MS[place] - laterSoundMs
  const workFolder = join(folder, 'work')

  const listeners = new Set<(event: RecorderEvent) => void>()
  const spans: RecordedSpan[] = []
  const recording = new Recording({
    grow: options.grow,
    hasPicture,
    framesPerSecond,
    reserveSeconds: Math.min(options.longestSeconds ?? Number.POSITIVE_INFINITY, INDEXED_SECONDS) + END_SECONDS,
  })
  const quality = createQualityWatch(hasPicture ? framesPerSecond : null, CAPTURE_SAMPLE_RATE)
  /** The recorder was closed, or its recording is being finished: nothing begins any more. */
  const over = new AbortController()
  const stage = new CaptureServers({
    ...{ folder: workFolder, hasPicture, width, height, soundPieceMs, logger },
    ...(hasPicture && !options.isHeardLive ? { soundAheadMs: SOUND_AHEAD_MS } : {}),
    withVoice: options.withVoice ?? false,
    readyDeadlineMs: limits.serverReadyMs,
    onLost: (error) => fail('stage', error),
  })
  let capture: Capture | null = null
  let before = NOTHING_BEFORE
  let placeLost: Error | null = null
  let finishing: Promise<FinishedRecording> | null = null
  /** Of the spans that are over. */
  const past = { seconds: 0, repeatedFrames: 0 }

  let queue: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(operation: () => Promise<T>): Promise<T> => {
    const result = queue.then(operation)
    // The next operation waits for this one, whether it succeeds or fails.
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

  function fail(lost: RecorderLoss, error: Error): void {
    if (over.signal.aborted || placeLost !== null) return
    if (lost === 'place') placeLost = error
    logger.error('The recording broke off', { lost, error })
    // ffmpeg may still hold output that is worth keeping; the report of the failure does not wait for it.
    void inTurn(endSpan)
    emit({ type: 'failed', lost, error, at: clock.now() })
  }

  /** A browser that paints frames has a link to them; that of one that is gone leads nowhere. */
  async function pictureOn(display: string): Promise<Pick<Picture, 'from' | 'latencyMs'>> {
    const frames = await realpath(stage.framesLink).catch(() => null)
    if (frames === null) return { from: { display }, latencyMs: latencyMs('display') }
    return { from: { frames }, latencyMs: latencyMs('frames') }
  }

  async function settings(standsBy: boolean): Promise<CaptureSettings> {
    if (stage.servers === null) throw new Error('The recorder has no capture environment')
    const { sound, display } = stage.servers
    return {
      pulseServer: sound.server,
      source: sound.monitor,
      voiceSource: sound.voice?.monitor ?? null,
      picture: display === null ? null : { ...(await pictureOn(display.name)), width, height, framesPerSecond },
      noiseFloorDb: limits.noiseFloorDb,
      silenceMs: limits.silenceMs,
      standsBy,
    }
  }

  async function encoder(
    onBytes: (bytes: Uint8Array) => Promise<void>,
    listener: CaptureListener,
    signal: AbortSignal,
    standsBy: boolean,
  ): Promise<Capture> {
    return startCapture({
      settings: await settings(standsBy),
      onBytes,
      folder: workFolder,
      displayAuthority: stage.servers?.display?.authority,
      limits,
      clock,
      signal: AbortSignal.any([signal, over.signal]),
      listener,
    })
  }

  const standBy = new StandBy({
    hasPicture,
    start: (onBytes, listener, signal) => encoder(onBytes, listener, signal, true),
    clock,
    logger,
  })

  /** Of the span that runs; `before` is what its encoder had made before the span began. */
  function listenerFrom(before: { frames: number; seconds: number; repeatedFrames: number }): CaptureListener {
    return {
      progress: (whole) => {
        if (capture === null) return
        const progress = since(whole, before)
        const lagMs = quality.progress(progress, clock.now())
        emit({
          type: 'progress',
          seconds: past.seconds + progress.seconds,
          bytes: recording.bytes,
          droppedFrames: past.repeatedFrames + progress.repeatedFrames,
          lagMs,
          at: clock.now(),
        })
        soundWatch.progress(progress.seconds)
      },
      silence: (isSilent, seconds) => {
        soundWatch.report(isSilent, seconds - before.seconds)
        quality.silence(isSilent, seconds - before.seconds)
      },
      report: (line) => quality.report(line, clock.now()),
      failed: (error, isTaken) => {
        if (!isTaken) fail('place', error)
        // Without servers no encoder can run; the loss of the servers is reported on its own.
        else if (stage.servers !== null) fail('encoder', error)
      },
    }
  }

  async function beginSpan(from: number | null): Promise<void> {
    if (capture !== null) return
    if (placeLost !== null) throw placeLost
    over.signal.throwIfAborted()
    soundWatch.beginSpan()
    const begun =
      from === null ? null : await standBy.takeOver(from, limits.firstFrameMs, (part) => recording.takePart(part))
    await standBy.end()
    over.signal.throwIfAborted()
    if (begun !== null) goOn(begun)
    else {
      before = NOTHING_BEFORE
      running(await encoder(recording.openSpan(), listenerFrom(before), over.signal, false), 0)
    }
    logger.info('Recording segment started', {
      span: spans.length,
      startedAt: new Date(spans.at(-1)!.startedAt).toISOString(),
      stoodBy: begun !== null,
    })
  }

  function goOn({ capture: stoodBy, start, sendTo }: Begun): void {
    const { repeatedFrames } = stoodBy.progress()
    before = { frames: start.pictures, seconds: start.seconds, repeatedFrames }
    running(stoodBy, start.seconds)
    sendTo(listenerFrom(before))
  }

  function running(started: Capture, fromSeconds: number): void {
    capture = started
    const startedAt = Math.round(started.startedAt + fromSeconds * 1000)
    spans.push({ startedAt, endedAt: null })
    quality.beginSpan(startedAt)
  }

  async function endSpan(): Promise<void> {
    if (capture === null) return
    const ending = capture
    await ending.stop()
    capture = null
    // Output that a crashed encoder had not yet written is lost; the spans say what is really in the files.
    const { seconds, ...media } = await recording.closeSpan()
    const last = since(ending.progress(), before)
    const { repeatedFrames } = last
    quality.endSpan(last)
    past.seconds += seconds
    past.repeatedFrames += repeatedFrames
    const span = spans.at(-1)!
    span.endedAt = Math.round(span.startedAt + seconds * 1000)
    logger.info('Recording segment ended', {
      span: spans.length,
      seconds,
      ...media,
      bytes: recording.bytes,
      repeatedFrames,
    })
  }

  /** Removes the recording after an end that was detected late. */
  function cutAt(until: number): void {
    const span = spans.at(-1)
    if (span === undefined || span.endedAt === null || until >= span.endedAt) return
    const endedAt = Math.round(Math.max(until, span.startedAt + LEAST_SPAN_MS))
    const seconds = past.seconds - (span.endedAt - endedAt) / 1000
    logger.info('The recording is cut to the end of the meeting', { cutMs: span.endedAt - endedAt })
    recording.cutAt(seconds)
    past.seconds = seconds
    span.endedAt = endedAt
  }

  async function finish(signal: AbortSignal, until: number | null): Promise<FinishedRecording> {
    const askedAt = performance.now()
    over.abort(new Error('The recording is finished'))
    await standBy.end()
    await inTurn(endSpan)
    if (until !== null) cutAt(until)
    const stoppedAt = performance.now()
    const finished = await recording.finish(signal)
    logger.info('The recording is complete', {
      files: finished.files.map(({ stored: { name, bytes }, durationSeconds }) => ({ name, bytes, durationSeconds })),
      encoderMs: Math.round(stoppedAt - askedAt),
      storingMs: Math.round(performance.now() - stoppedAt),
    })
    return finished
  }

  async function close(): Promise<void> {
    over.abort(new Error('The recorder was closed'))
    await standBy.end()
    // Files that are being finished are left to finish; a running span is ended gracefully, within deadlines.
    await finishing?.catch(() => {})
    await inTurn(endSpan).catch((error) => logger.warn('The last span did not end cleanly', { error }))
    await recording.close()
    await stage.close()
    await rm(workFolder, { recursive: true, force: true }).catch((error) =>
      logger.warn('The work folder was not removed', { error }),
    )
  }

  return {
    prepare: (signal) => inTurn(() => stage.prepare(AbortSignal.any([signal, over.signal]))),
    standBy(mayRenew) {
      if (!over.signal.aborted && capture === null && spans.length === 0) standBy.begin(mayRenew)
    },
    start: (from = null) => inTurn(() => beginSpan(from)),
    pause: () => inTurn(endSpan),
    resume: () => inTurn(() => beginSpan(null)),
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    spans: () => spans.map(({ startedAt, endedAt }) => ({ startedAt, endedAt })),
    quality: () => (spans.length === 0 ? null : quality.figures()),
    finish(signal, until = null) {
      finishing ??= finish(signal, until)
      return finishing
    },
    close,
  }
}

/** A file of nothing plays nowhere. */
const LEAST_SPAN_MS = 100
const NOTHING_BEFORE = { frames: 0, seconds: 0, repeatedFrames: 0 }

/** The progress of an encoder since its span began. */
function since(whole: CaptureProgress, before: typeof NOTHING_BEFORE): CaptureProgress {
  return {
    frames: Math.max(0, whole.frames - before.frames),
    seconds: Math.max(0, whole.seconds - before.seconds),
    repeatedFrames: Math.max(0, whole.repeatedFrames - before.repeatedFrames),
    isLast: whole.isLast,
  }
}
