import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordingMode } from '@standin/wire/codes.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import type { Logger } from '../packages/core/logger.ts'
import type { CaptureEnvironment, Clock } from '../packages/core/ports.ts'
import type { FinishedRecording, Recorder, RecorderEvent, RecorderLoss } from '../packages/core/recording.ts'
import type { Capture, CaptureListener } from './capture.ts'
import { CaptureServers } from './capture-environment.ts'
import { Encoders } from './encoders.ts'
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
import { Spans } from './spans.ts'
import { StandBy } from './stand-by.ts'

export { joinFiles, mediaSeconds } from './join-files.ts'
export { indexBody } from './mp4/index-body.ts'
export { takePicture } from './picture.ts'

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
  return new MeetingRecorder(options)
}

class MeetingRecorder implements Recorder {
  readonly #logger: RecorderOptions['logger']
  readonly #clock: Clock
  readonly #limits: RecorderLimits
  readonly #workFolder: string
  readonly #environment: CaptureServers
  readonly #encoders: Encoders
  readonly #standBy: StandBy
  readonly #recording: Recording
  readonly #spans: Spans
  readonly #listeners = new Set<(event: RecorderEvent) => void>()
  /** Aborted when the recorder is closed or its recording is finished: nothing begins any more. */
  readonly #over = new AbortController()
  #capture: Capture | null = null
  #placeLost: Error | null = null
  #finishing: Promise<FinishedRecording> | null = null
  /** The next operation waits for the one before, whether that succeeds or fails. */
  readonly #inTurn = inTurn(1)

  constructor(options: RecorderOptions) {
    const { logger, clock, framesPerSecond, isHeardLive = false, withVoice = false } = options
    const hasPicture = options.mode !== 'audio_only'
    const folder = join(options.folder, 'work')
    const limits = { ...DEFAULT_LIMITS, ...options.limits }
    const { width = PICTURE_WIDTH, height = PICTURE_HEIGHT } = options
    const soundPieceMs = SOUND_PIECE_MS[isHeardLive ? 'live' : hasPicture ? 'besidePicture' : 'alone']
    const laterSoundMs = (soundPieceMs - SOUND_PIECE_MS.live) * PIECES_ON_THE_WAY
    this.#logger = logger
    this.#clock = clock
    this.#limits = limits
    this.#workFolder = folder
    this.#environment = new CaptureServers({
      ...{ folder, hasPicture, width, height, soundPieceMs, withVoice, logger },
      soundAheadMs: hasPicture && !isHeardLive ? SOUND_AHEAD_MS : undefined,
      readyDeadlineMs: limits.serverReadyMs,
      onLost: (error) => this.#fail('environment', error),
    })
    this.#encoders = new Encoders({
      ...{ environment: this.#environment, folder, limits, clock, over: this.#over.signal },
      picture: { width, height, framesPerSecond },
      latencyMs: (place) => options.pictureLatencyMs ?? PICTURE_LATENCY_MS[place] - laterSoundMs,
    })
    this.#standBy = new StandBy({
      ...{ hasPicture, clock, logger },
      start: (onBytes, listener, signal) => this.#encoders.start(onBytes, listener, { signal, standsBy: true }),
    })
    this.#recording = new Recording({
      ...{ grow: options.grow, hasPicture, framesPerSecond },
      reserveSeconds: Math.min(options.longestSeconds ?? Number.POSITIVE_INFINITY, INDEXED_SECONDS) + END_SECONDS,
    })
    this.#spans = new Spans({
      ...{ framesPerSecond: hasPicture ? framesPerSecond : null, silenceMs: limits.silenceMs, clock },
      bytes: () => this.#recording.bytes,
      emit: (event) => this.#emit(event),
    })
  }

  prepare(signal: AbortSignal): Promise<CaptureEnvironment> {
    return this.#inTurn(() => this.#environment.prepare(AbortSignal.any([signal, this.#over.signal])))
  }

  standBy(mayRenew: () => boolean): void {
    if (!this.#over.signal.aborted && this.#capture === null && this.#spans.count === 0) this.#standBy.begin(mayRenew)
  }

  start(from: number | null = null): Promise<void> {
    return this.#inTurn(() => this.#beginSpan(from))
  }

  pause(): Promise<void> {
    return this.#inTurn(() => this.#endSpan())
  }

  resume(): Promise<void> {
    return this.#inTurn(() => this.#beginSpan(null))
  }

  watch(listener: (event: RecorderEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  restoreSound: Recorder['restoreSound'] = (signal) =>
    this.#environment.restoreSound(AbortSignal.any([signal, this.#over.signal]))

  spans: Recorder['spans'] = () => this.#spans.list()

  quality: Recorder['quality'] = () => this.#spans.quality()

  finish(signal: AbortSignal, until: number | null = null): Promise<FinishedRecording> {
    this.#finishing ??= this.#finish(signal, until)
    return this.#finishing
  }

  async close(): Promise<void> {
    this.#over.abort(new Error('The recorder was closed'))
    await this.#standBy.end()
    // Files that are being finished are left to finish; a running span is ended gracefully, within deadlines.
    await this.#finishing?.catch(() => {})
    await this.pause().catch((error) => this.#logger.warn('The last span did not end cleanly', { error }))
    await this.#recording.close()
    await this.#environment.close()
    await rm(this.#workFolder, { recursive: true, force: true }).catch((error) =>
      this.#logger.warn('The work folder was not removed', { error }),
    )
  }

  #emit(event: RecorderEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #fail(lost: RecorderLoss, error: Error): void {
    if (this.#over.signal.aborted || this.#placeLost !== null) return
    if (lost === 'place') this.#placeLost = error
    this.#logger.error('The recording broke off', { lost, error })
    // ffmpeg may still hold output that is worth keeping; the report of the failure does not wait for it.
    void this.pause()
    this.#emit({ type: 'failed', lost, error, at: this.#clock.now() })
  }

  readonly #listener: CaptureListener = {
    progress: (whole) => {
      if (this.#capture !== null) this.#spans.progress(whole)
    },
    silence: (isSilent, seconds) => this.#spans.silence(isSilent, seconds),
    report: (line) => this.#spans.report(line),
    failed: (error, isTaken) => {
      if (!isTaken) this.#fail('place', error)
      // Without servers no encoder can run; the loss of the servers is reported on its own.
      else if (this.#environment.servers !== null) this.#fail('encoder', error)
    },
  }

  async #beginSpan(from: number | null): Promise<void> {
    if (this.#capture !== null) return
    if (this.#placeLost !== null) throw this.#placeLost
    const over = this.#over.signal
    over.throwIfAborted()
    const takePart: Parameters<StandBy['takeOver']>[2] = (part) => this.#recording.takePart(part)
    const begun = from === null ? null : await this.#standBy.takeOver(from, this.#limits.firstFrameMs, takePart)
    await this.#standBy.end()
    over.throwIfAborted()
    if (begun === null) {
      this.#spans.expect()
      this.#run(await this.#encoders.start(this.#recording.openSpan(), this.#listener, { standsBy: false }), 0)
    } else {
      const { capture, start, sendTo } = begun
      const { repeatedFrames } = capture.progress()
      this.#spans.expect({ frames: start.pictures, seconds: start.seconds, repeatedFrames })
      this.#run(capture, start.seconds)
      sendTo(this.#listener)
    }
    this.#logger.info('Recording segment started', {
      span: this.#spans.count,
      startedAt: new Date(this.#spans.list().at(-1)!.startedAt).toISOString(),
      stoodBy: begun !== null,
    })
  }

  #run(capture: Capture, fromSeconds: number): void {
    this.#capture = capture
    this.#spans.begin(Math.round(capture.startedAt + fromSeconds * 1000))
  }

  async #endSpan(): Promise<void> {
    const capture = this.#capture
    if (capture === null) return
    await capture.stop()
    this.#capture = null
    const { seconds, ...media } = await this.#recording.closeSpan()
    const repeatedFrames = this.#spans.end(seconds, capture.progress())
    this.#logger.info('Recording segment ended', {
      ...{ span: this.#spans.count, seconds, ...media },
      ...{ bytes: this.#recording.bytes, repeatedFrames },
    })
  }

  async #finish(signal: AbortSignal, until: number | null): Promise<FinishedRecording> {
    const askedAt = performance.now()
    this.#over.abort(new Error('The recording is finished'))
    await this.#standBy.end()
    await this.pause()
    const cut = until === null ? null : this.#spans.cutAt(until)
    if (cut !== null) {
      this.#logger.info('The recording is cut to the end of the meeting', { cutMs: cut.cutMs })
      this.#recording.cutAt(cut.seconds)
    }
    const stoppedAt = performance.now()
    const finished = await this.#recording.finish(signal)
    this.#logger.info('The recording is complete', {
      files: finished.files.map(({ stored: { name, bytes }, durationSeconds }) => ({ name, bytes, durationSeconds })),
      encoderMs: Math.round(stoppedAt - askedAt),
      storingMs: Math.round(performance.now() - stoppedAt),
    })
    return finished
  }
}
