/**
 * A recording measures itself: what the encoder says while it runs, gathered into figures. Nothing is decoded or looked
 * at twice for it. docs/artifacts.md says what each figure means and what it cannot see.
 */
import type { Quality } from '@standin/wire/events.ts'
import type { CaptureProgress } from './ffmpeg/ffmpeg-output.ts'

/** Before it, the sound is put on the picture's clock for the first time; that is no drift. */
const SETTLE_SECONDS = 1
/** The drift filter spreads each correction over this; the next one replaces it (`comp_duration` of ffmpeg-args.ts). */
const CORRECTION_MS = 1_000
const HISTOGRAM_STEP_MS = 5
const HISTOGRAM_STEPS = 2_000

export type QualityWatch = ReturnType<typeof createQualityWatch>

/** `framesPerSecond` and `sampleRate` of the recording; without a picture the first is null. */
export function createQualityWatch(framesPerSecond: number | null, sampleRate: number) {
  const lag = createHistogram()
  /** Of the spans that are over. */
  const past = { frames: 0, repeatedFrames: 0, seconds: 0 }
  let current: CaptureProgress | null = null
  let startedAt = 0
  let longestRepeat = 0
  let silentSeconds = 0
  let silentSince: number | null = null
  let loudSamples = 0
  let judgedSamples = 0
  let worstOffsetMs = 0
  let addedSamples = 0
  let correction: { samplesPerMs: number; from: number } | null = null

  /** Counts what the running correction has done until `at`. */
  function settleCorrection(at: number): void {
    if (correction === null) return
    addedSamples += correction.samplesPerMs * Math.min(CORRECTION_MS, Math.max(0, at - correction.from))
    correction = null
  }

  function noteOffset(ms: number): void {
    if (Math.abs(ms) > Math.abs(worstOffsetMs)) worstOffsetMs = ms
  }

  return {
    /** `startedAt`: UTC milliseconds of the first picture or sound. */
    beginSpan(at: number): void {
      startedAt = at
      current = null
    },
    /** As it arrives; `at` is the UTC instant. Returns how many milliseconds the encoder is behind. */
    progress(progress: CaptureProgress, at: number): number {
      current = progress
      // The first picture was taken at zero.
      const seconds = framesPerSecond === null ? progress.seconds : (progress.frames - 1) / framesPerSecond
      const lagMs = Math.max(0, at - startedAt - seconds * 1000)
      // While it ends, the encoder empties its queues faster than time passes.
      if (seconds > 0 && !progress.isLast) lag.add(lagMs)
      return lagMs
    },
    /** A line of the encoder's standard error. */
    report(line: string, at: number): void {
      const repeated = /^\*\*\* (\d+) dup!/.exec(line)?.[1]
      if (repeated !== undefined) {
        longestRepeat = Math.max(longestRepeat, Number(repeated))
        return
      }
      const level = /^\[Parsed_volumedetect_\d+ @ [^\]]*\] (n_samples|histogram_0db): (\d+)/.exec(line)
      if (level !== null) {
        if (level[1] === 'n_samples') judgedSamples += Number(level[2])
        else loudSamples += Number(level[2])
        return
      }
      if ((current?.seconds ?? 0) < SETTLE_SECONDS) return
      const drift = /compensating audio timestamp drift:(-?[\d.e-]+) compensation:(-?\d+) in:(\d+)/.exec(line)
      if (drift !== null) {
        settleCorrection(at)
        // More time than samples: the sound would stand too early in the file.
        noteOffset(-Number(drift[1]) * 1000)
        correction = { samplesPerMs: ((Number(drift[2]) / Number(drift[3])) * sampleRate) / 1000, from: at }
        return
      }
      const hard = /\] (adding|discarding) (\d+) audio samples/.exec(line)
      if (hard === null) return
      const samples = hard[1] === 'adding' ? Number(hard[2]) : -Number(hard[2])
      addedSamples += samples
      noteOffset((-samples / sampleRate) * 1000)
    },
    silence(isSilent: boolean, seconds: number): void {
      if (isSilent) silentSince ??= seconds
      else if (silentSince !== null) {
        silentSeconds += Math.max(0, seconds - silentSince)
        silentSince = null
      }
    },
    /** `last`: the encoder's last word. */
    endSpan(last: CaptureProgress): void {
      settleCorrection(Number.POSITIVE_INFINITY)
      past.frames += last.frames
      past.repeatedFrames += last.repeatedFrames
      past.seconds += last.seconds
      if (silentSince !== null) silentSeconds += Math.max(0, last.seconds - silentSince)
      silentSince = null
      current = null
    },
    /** Of everything so far. */
    figures(): Quality {
      const frames = past.frames + (current?.frames ?? 0)
      const lost = past.repeatedFrames + (current?.repeatedFrames ?? 0)
      const seconds = past.seconds + (current?.seconds ?? 0)
      const silent = silentSeconds + (silentSince === null ? 0 : Math.max(0, (current?.seconds ?? 0) - silentSince))
      const isPicture = framesPerSecond !== null
      return {
        sound_picture_offset_ms: isPicture ? tenths(worstOffsetMs) : null,
        drift_ms: isPicture ? tenths((addedSamples / sampleRate) * 1000) : null,
        frames_expected: frames,
        frames_captured: Math.max(0, frames - lost),
        frames_lost: lost,
        longest_gap_seconds: isPicture ? (longestRepeat === 0 ? 0 : (longestRepeat + 1) / framesPerSecond) : 0,
        clipped_share: judgedSamples === 0 ? null : share(loudSamples, judgedSamples),
        silent_share: seconds === 0 ? null : share(silent, seconds),
        encoder_lag_ms: lag.count === 0 ? null : { median: lag.median(), worst: lag.worst },
      }
    },
  }
}

function share(part: number, whole: number): number {
  return Math.round(Math.min(1, part / whole) * 1e6) / 1e6
}

function tenths(ms: number): number {
  // Negative zero is no figure.
  return Math.round(ms * 10) / 10 || 0
}

/** Median and worst of any number of milliseconds, in a few kilobytes. */
export function createHistogram() {
  const steps = new Uint32Array(HISTOGRAM_STEPS + 1)
  let count = 0
  let worst = 0
  return {
    get count() {
      return count
    },
    get worst() {
      return worst
    },
    add(ms: number): void {
      const rounded = Math.max(0, Math.round(ms))
      steps[Math.min(HISTOGRAM_STEPS, Math.floor(rounded / HISTOGRAM_STEP_MS))]! += 1
      count += 1
      worst = Math.max(worst, rounded)
    },
    /** To five milliseconds; 0 of nothing, and ten seconds of more than that. */
    median(): number {
      let left = count / 2
      for (const [step, hits] of steps.entries()) {
        left -= hits
        if (hits > 0 && left <= 0) return step * HISTOGRAM_STEP_MS
      }
      return 0
    },
  }
}
