/** Paints less of the video when the machine cannot keep up, and reports each step. */

import type { Quality } from '@standin/wire/events.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { ControlPlane, DegradationStep, MeetingDriver } from '../../packages/core/ports.ts'
import type { RecorderEvent } from '../../packages/core/recording.ts'
import { createDegradationSteps } from './degradation-steps.ts'

export interface LoadSheddingParts {
  meeting: Pick<MeetingDriver, 'setDegradationStep'>
  framesPerSecond: number
  control: Pick<ControlPlane, 'report'>
  logger: Logger
}

export class LoadShedding {
  readonly #parts: LoadSheddingParts
  readonly #steps = createDegradationSteps()
  readonly #taken: NonNullable<Quality['picture_steps']> = []

  constructor(parts: LoadSheddingParts) {
    this.#parts = parts
  }

  onProgress({ at, seconds, droppedFrames: repeated, lagMs }: Extract<RecorderEvent, { type: 'progress' }>): void {
    const { meeting, framesPerSecond, control, logger } = this.#parts
    const step = this.#steps.onLoad({ at, pictures: seconds * framesPerSecond, repeated, lagMs })
    if (step === undefined) return
    this.#taken.push({ offset: seconds, frames_per_second: step.framesPerSecond, size: step.size })
    control.report({ type: 'notice', ...noticeOf(step) })
    meeting
      .setDegradationStep(step)
      .catch((error) => logger.warn('The page did not apply the degradation step', { error }))
  }

  /** For the recording's quality; nothing if every frame was painted. */
  figures(): Pick<Quality, 'picture_steps'> {
    return this.#taken.length === 0 ? {} : { picture_steps: this.#taken }
  }
}

function noticeOf({ framesPerSecond, size }: DegradationStep): { level: 'info' | 'warning'; message: string } {
  if (framesPerSecond === null && size === 1)
    return { level: 'info', message: 'The machine keeps up again: the picture has its size and all its frames.' }
  const rate = framesPerSecond === null ? '' : ` and ${framesPerSecond} frames a second`
  const message = `The machine does not keep up: the picture is down to ${100 * size} % of its size${rate}, so that the sound stays whole.`
  return { level: 'warning', message }
}
