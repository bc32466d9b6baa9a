/** Relieves a machine that cannot keep up: the picture is painted less often, and whoever watches the bot is told. */
import type { Logger } from '../logger.ts'
import type { ControlPlane, MeetingDriver, RecorderEvent } from '../ports.ts'
import type { Quality } from '../wire/events.ts'
import { createPictureSteps } from './picture-steps.ts'

export interface ReliefParts {
  meeting: Pick<MeetingDriver, 'setPictureRate'>
  framesPerSecond: number
  control: Pick<ControlPlane, 'report'>
  logger: Logger
}

export class PictureRelief {
  readonly #parts: ReliefParts
  readonly #steps = createPictureSteps()
  readonly #taken: NonNullable<Quality['picture_steps']> = []

  constructor(parts: ReliefParts) {
    this.#parts = parts
  }

  take({ at, seconds, droppedFrames: repeated, lagMs }: Extract<RecorderEvent, { type: 'progress' }>): void {
    const { meeting, framesPerSecond, control, logger } = this.#parts
    const rate = this.#steps.take({ at, pictures: seconds * framesPerSecond, repeated, lagMs })
    if (rate === undefined) return
    this.#taken.push({ offset: seconds, frames_per_second: rate })
    const message =
      rate === null
        ? 'The machine keeps up again: the picture has all its frames.'
        : `The machine does not keep up: the picture is down to ${rate} frames a second, so that the sound stays whole.`
    control.report({ type: 'notice', level: rate === null ? 'info' : 'warning', message })
    meeting.setPictureRate(rate).catch((error) => logger.warn('The page did not hear of the rate', { error }))
  }

  /** For the recording's quality; nothing where every frame was painted. */
  figures(): Pick<Quality, 'picture_steps'> {
    return this.#taken.length === 0 ? {} : { picture_steps: this.#taken }
  }
}
