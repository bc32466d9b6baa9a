/**
 * Reduces the video step by step, and never the audio, when the machine cannot keep up. Steps down within seconds,
 * because lost frames are lost; steps up slowly, because the machine is still the same. Pure.
 */

import type { DegradationStep } from '../../packages/core/ports.ts'

/**
 * A smaller picture comes before a lower frame rate. Rates between these save nothing
 * (bench/notes/2026-11-22-load-shedding.md).
 */
const PICTURE_STEPS: readonly DegradationStep[] = [
  { framesPerSecond: null, size: 1 },
  { framesPerSecond: null, size: 0.5 },
  { framesPerSecond: 2, size: 0.5 },
  { framesPerSecond: 0.5, size: 0.5 },
]

/** Viewers notice when a tenth of the frames is missing; half a second of lag means that a queue grows. */
const BAD_SHARE = 0.1
const BAD_LAG_MS = 500
/** Judged once in so long, and so many bad ones more than good ones make a step down. */
const JUDGE_MS = 1_000
const BAD_SECONDS = 5
const CALM_MS = 60_000
/** A step up that was soon taken back was too early; the next one waits twice as long, at most this. */
const CALM_LIMIT_MS = 960_000
const SOON_MS = 30_000

/** Work of the recorder so far. */
interface RecorderLoad {
  /** UTC milliseconds. */
  at: number
  /** Pictures since the recording's start, and those of them that repeat the one before. */
  pictures: number
  repeated: number
  /** How far the encoder is behind. */
  lagMs: number
}

export function createDegradationSteps() {
  let step = 0
  let judged: RecorderLoad | null = null
  let bad = 0
  let calmSince: number | null = null
  let calmMs = CALM_MS
  let wentUpAt = Number.NEGATIVE_INFINITY

  return {
    /** The new step, or undefined if nothing changes. */
    onLoad(load: RecorderLoad): DegradationStep | undefined {
      const before = judged
      if (before === null || load.pictures < before.pictures) {
        judged = load
        return undefined
      }
      if (load.at - before.at < JUDGE_MS) return undefined
      judged = load
      const pictures = load.pictures - before.pictures
      // After a pause or a gap nothing is known of the time between.
      if (load.at - before.at > 5 * JUDGE_MS) return undefined
      const share = pictures === 0 ? 1 : (load.repeated - before.repeated) / pictures
      const isBad = share > BAD_SHARE || load.lagMs > BAD_LAG_MS
      bad = Math.max(0, bad + (isBad ? 1 : -1))
      calmSince = isBad ? null : (calmSince ?? load.at)
      if (bad >= BAD_SECONDS && step < PICTURE_STEPS.length - 1) {
        if (load.at - wentUpAt < SOON_MS) calmMs = Math.min(CALM_LIMIT_MS, calmMs * 2)
        step += 1
        bad = 0
        return PICTURE_STEPS[step]
      }
      if (step > 0 && calmSince !== null && load.at - calmSince >= calmMs) {
        step -= 1
        wentUpAt = load.at
        calmSince = load.at
        return PICTURE_STEPS[step]
      }
      return undefined
    },
  }
}
