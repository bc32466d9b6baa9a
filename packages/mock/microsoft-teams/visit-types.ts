import type { RetryKind } from './page/protocol.ts'

/** Kinds of the retry screen by the state they are; one that is missing has its own name. */
export const RETRY_STATES: Partial<Record<RetryKind, string>> = {
  notFound: 'invalid',
  declined: 'denied',
  notAdmitted: 'denied',
  noResponse: 'requestTimeout',
  removedAlt: 'removed',
}

export const STATES = {
  waiting: ['lobby', 'suspected'],
  inCall: ['call', 'reconnecting'],
  over: `invalid denied requestTimeout removed botsBlocked locked full hostEnded left couldNotConnect
    captchaFailed encrypted signInWall notStarted malformed vanished`.split(/\s+/),
}
