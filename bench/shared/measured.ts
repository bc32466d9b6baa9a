/** One way to record the meeting, how it is measured, and the result. */
import type { Scene } from './meeting.ts'
import { passes } from './meeting.ts'
import { type Cost, measureTree } from './process-tree.ts'

/** A recording that runs. */
export interface Running {
  /** First processes of all that belongs to it. */
  roots(): readonly number[]
  /** Ends it and resolves with the finished file, null if none is made. */
  finish(): Promise<string | null>
  /**
   * Frames that the recorder repeated so far because none came in time; absent for a recorder that leaves them out, and
   * for one without a picture.
   */
  repeatedFrames?(): number
  /** Ends all processes that are left, after any failure too. Repeatable. */
  dispose(): Promise<void>
}

export interface Contender {
  name: string
  /** Where it comes from, for the reader. */
  note: string
  framesPerSecond: number | null
  hasCameras: boolean
  /** Resolves once it records. */
  start(scene: Scene): Promise<Running>
}

export interface Measured {
  contender: Contender
  cost: Cost
  /** Seconds from the request to finish until the file is complete; null if there is no file. */
  secondsToFile: number | null
  file: string | null
  /** Frames of the measured seconds and the end; null if the recorder does not report them. */
  repeatedFrames: number | null
  /** Seconds of the recording that were measured. */
  from: number
  until: number
}

/** The burst of loading a meeting is over after this. */
const SETTLE_SECONDS = 6

/**
 * Starts the recording. Resolves with a function that measures the recording and ends it; the caller has to call it.
 */
export async function begin(contender: Contender, scene: Scene): Promise<(seconds: number) => Promise<Measured>> {
  // The pictures are encoded first, which takes minutes the first time that a large meeting is measured.
  await scene.markTime()
  const running = await contender.start(scene).catch((error) => {
    scene.end()
    throw error
  })
  const startedAt = performance.now()
  return async (seconds) => {
    try {
      await passes(SETTLE_SECONDS)
      const from = (performance.now() - startedAt) / 1000
      const before = running.repeatedFrames?.() ?? 0
      const read = measureTree(() => running.roots())
      await passes(seconds)
      const cost = read()
      const endedAt = performance.now()
      const file = await running.finish()
      const secondsToFile = file === null ? null : (performance.now() - endedAt) / 1000
      const repeated = running.repeatedFrames?.()
      const repeatedFrames = repeated === undefined ? null : repeated - before
      return { contender, cost, secondsToFile, file, repeatedFrames, from, until: from + seconds }
    } finally {
      await running.dispose()
      scene.end()
    }
  }
}
