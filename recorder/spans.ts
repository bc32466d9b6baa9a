/** The recorded stretches: when each began and ended, how much is in them, and how well it was recorded. */

import type { Quality } from '@standin/wire/events.ts'
import { CAPTURE_SAMPLE_RATE } from '../packages/core/meeting/capture-sample-rate.ts'
import type { Clock } from '../packages/core/ports.ts'
import type { RecordedSpan, RecorderEvent } from '../packages/core/recording.ts'
import { type CaptureProgress, createSoundWatch } from './ffmpeg/ffmpeg-output.ts'
import { createQualityWatch } from './quality.ts'

/** A file of nothing plays nowhere. */
const MIN_SPAN_MS = 100
const NOTHING_BEFORE = { frames: 0, seconds: 0, repeatedFrames: 0 }

export interface SpansParts {
  /** Null without a picture. */
  framesPerSecond: number | null
  silenceMs: number
  clock: Clock
  /** Bytes that are safely in files. */
  bytes(): number
  emit(event: RecorderEvent): void
}

export class Spans {
  readonly #parts: SpansParts
  readonly #quality
  readonly #sound
  readonly #all: RecordedSpan[] = []
  /** Progress of the encoder before the running span began. */
  #before = NOTHING_BEFORE
  /** Of the spans that are over. */
  #past = { seconds: 0, repeatedFrames: 0 }

  constructor(parts: SpansParts) {
    this.#parts = parts
    this.#quality = createQualityWatch(parts.framesPerSecond, CAPTURE_SAMPLE_RATE)
    this.#sound = createSoundWatch(parts.silenceMs, (isAudible, seconds) => {
      const span = this.#all.at(-1)
      if (span !== undefined) parts.emit({ type: 'sound', isAudible, at: Math.round(span.startedAt + seconds * 1000) })
    })
  }

  get count(): number {
    return this.#all.length
  }

  list(): RecordedSpan[] {
    return this.#all.map((span) => ({ ...span }))
  }

  quality(): Quality | null {
    return this.#all.length === 0 ? null : this.#quality.figures()
  }

  /** An encoder is about to report for the next span. */
  expect(before = NOTHING_BEFORE): void {
    this.#before = before
    this.#sound.beginSpan()
  }

  /** `at`: UTC milliseconds of the first picture or sound. */
  begin(at: number): void {
    this.#all.push({ startedAt: at, endedAt: null })
    this.#quality.beginSpan(at)
  }

  progress(whole: CaptureProgress): void {
    const now = this.#parts.clock.now()
    const progress = this.#sinceBegin(whole)
    const lagMs = this.#quality.progress(progress, now)
    this.#parts.emit({
      type: 'progress',
      seconds: this.#past.seconds + progress.seconds,
      bytes: this.#parts.bytes(),
      droppedFrames: this.#past.repeatedFrames + progress.repeatedFrames,
      lagMs,
      at: now,
    })
    this.#sound.progress(progress.seconds)
  }

  silence(isSilent: boolean, seconds: number): void {
    this.#sound.report(isSilent, seconds - this.#before.seconds)
    this.#quality.silence(isSilent, seconds - this.#before.seconds)
  }

  /** A line of the encoder's standard error. */
  report(line: string): void {
    this.#quality.report(line, this.#parts.clock.now())
  }

  /** `seconds` are really in the files; a crashed encoder counted more. Returns the span's repeated frames. */
  end(seconds: number, whole: CaptureProgress): number {
    const last = this.#sinceBegin(whole)
    this.#quality.endSpan(last)
    this.#past.seconds += seconds
    this.#past.repeatedFrames += last.repeatedFrames
    const span = this.#all.at(-1)!
    span.endedAt = Math.round(span.startedAt + seconds * 1000)
    return last.repeatedFrames
  }

  /** Ends the last span at `until` (UTC milliseconds), if that is in it. Returns the length of all spans then. */
  cutAt(until: number): { seconds: number; cutMs: number } | null {
    const span = this.#all.at(-1)
    if (span === undefined || span.endedAt === null || until >= span.endedAt) return null
    const endedAt = Math.round(Math.max(until, span.startedAt + MIN_SPAN_MS))
    const cutMs = span.endedAt - endedAt
    this.#past.seconds -= cutMs / 1000
    span.endedAt = endedAt
    return { seconds: this.#past.seconds, cutMs }
  }

  #sinceBegin(whole: CaptureProgress): CaptureProgress {
    const { frames, seconds, repeatedFrames } = this.#before
    return {
      frames: Math.max(0, whole.frames - frames),
      seconds: Math.max(0, whole.seconds - seconds),
      repeatedFrames: Math.max(0, whole.repeatedFrames - repeatedFrames),
      isLast: whole.isLast,
    }
  }
}
