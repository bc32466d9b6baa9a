import type { EndCause, ErrorCode } from '@standin/wire/codes.ts'
import { helpOf } from '@standin/wire/error-help.ts'
import type { Reason } from '@standin/wire/reasons.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'

/** The step of an error after which the bot needs a browser on a display, which the next one is. */
export const DISPLAY_STEP = 'display'

/** A failure with its code. The place that throws knows the code; no code is derived from a message later. */
export class BotError extends Error {
  readonly code: ErrorCode
  /** The step that failed, such as `pre-join`. */
  readonly step: string | undefined
  /** Another attempt may succeed; the bot decides whether to make one. */
  readonly canRetry: boolean
  /** The job names something that cannot work, which showed only when it was tried. */
  readonly isInvalidJob: boolean
  readonly endCause: EndCause | undefined
  /** Why the meeting did not let the bot in, if that was seen. */
  readonly reason: Reason | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown
      step?: string
      canRetry?: boolean
      isInvalidJob?: boolean
      endCause?: EndCause
      reason?: Reason
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'BotError'
    this.code = code
    this.step = options.step
    this.canRetry = options.canRetry ?? false
    this.isInvalidJob = options.isInvalidJob ?? false
    this.endCause = options.endCause
    this.reason = options.reason
  }

  get cure(): string {
    return helpOf(this.code, this.endCause).cure
  }
}

/** Converts any thrown value to a BotError; a foreign error gets the internal code and stays as the cause. */
export function toBotError(thrown: unknown, step?: string, endCause?: EndCause): BotError {
  if (thrown instanceof BotError) return thrown
  const message = messageOf(thrown)
  const isInvalidJob = thrown instanceof Error && 'isInvalidJob' in thrown && thrown.isInvalidJob === true
  return new BotError('INTERNAL_ERROR', message, { cause: thrown, isInvalidJob, step, endCause })
}

/** The bot cannot write: the host or a policy disabled chat, or it is in another product. The meeting continues. */
export class ChatUnavailable extends Error {
  constructor(message = 'Chat is switched off in this meeting') {
    super(message)
    this.name = 'ChatUnavailable'
  }
}
