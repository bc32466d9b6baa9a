/** Which of the bot's pictures is shown when. */
import { imagesOf, type Job } from '@standin/wire/job.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { MeetingDriver } from '../../packages/core/ports.ts'
import { RECORDING, type State } from './states.ts'

export interface ImageTurnsParts {
  job: Pick<Job, 'bot_image' | 'bot_image_config'>
  meeting: Pick<MeetingDriver, 'showImage'>
  logger: Logger
}

export class ImageTurns {
  readonly #parts: ImageTurnsParts
  #shown = 0

  constructor(parts: ImageTurnsParts) {
    this.#parts = parts
  }

  /** At least once a second; `seconds` since the admission. */
  update(state: State, seconds: number): void {
    const { job, meeting, logger } = this.#parts
    const index = imageAt(job, state, seconds)
    if (index === this.#shown) return
    this.#shown = index
    meeting.showImage(index).catch((error) => logger.warn('Another picture of the bot was not shown', { error }))
  }
}

/** The place of the picture in the job. */
export function imageAt(job: ImageTurnsParts['job'], state: State, seconds: number): number {
  const last = imagesOf(job).length - 1
  if (last < 1) return 0
  const { loop_mode: mode = 'auto', image_duration: duration = 30 } = job.bot_image_config ?? {}
  if (mode === 'auto') return Math.floor(seconds / duration) % (last + 1)
  if (state === 'recording_paused') return Math.min(2, last)
  return RECORDING.has(state) ? 1 : 0
}
