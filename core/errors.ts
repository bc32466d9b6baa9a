import { messageOf } from '@standin/base/error-text.ts'
import type { ErrorCode } from '@standin/wire/codes.ts'

/** Who can do something about it: the caller, people in the meeting, the platform, or the machine we run on. */
export type Fault = 'caller' | 'host' | 'platform' | 'runtime'

const by = (fault: Fault) => (cure: string) => ({ fault, cure })
const [caller, host, platform, runtime] = [by('caller'), by('host'), by('platform'), by('runtime')]

/** Every code of the specification, whose fault it is, and what the host or the operator can do about it. */
export const ERROR_TABLE: Readonly<Record<ErrorCode, { fault: Fault; cure: string }>> = {
  BOT_NOT_ACCEPTED: host('Ask the host to admit the bot by its name, or invite a signed-in account.'),
  TIMEOUT_WAITING_TO_START: host('Ask the host to admit the bot in time, or raise waiting_room_timeout.'),
  CANNOT_JOIN_MEETING: platform('Open the link in a browser to see whether the meeting still exists.'),
  BOT_REMOVED_TOO_EARLY: host('Agree with the host on the recording before the meeting.'),
  INVALID_MEETING_URL: caller('Give the full link of an existing meeting.'),
  STREAMING_SETUP_FAILED: caller('Check that the streaming address accepts WebSocket connections.'),
  LOGIN_REQUIRED: caller(
    'The meeting admits only people who are signed in. Give the bot the stored session of an account (browser_state).',
  ),
  INTERNAL_ERROR: runtime('Report it with the log and the folder debug/ of the recording.'),
  OOM_KILLED: runtime('Give the container of the bot more memory.'),
  SIGTERM: runtime(
    'The machine or its scheduler stopped the bot. The service sends it back into the meeting; without the service, send another bot.',
  ),
  FORCE_KILLED: runtime('The bot was killed. Allow more time between stop and kill.'),
  GENERAL_ERROR: runtime('Report it with the log and the folder debug/ of the recording.'),
  EXITING_MEETING_BEFORE_RECORD: caller('The bot was asked to leave, or the meeting ended, before it recorded.'),
  TRANSCRIPTION_FAILED: platform('The recording is complete. Ask for the transcript again.'),
  WAITING_FOR_HOST_TIMEOUT: host('The host did not start the meeting in time.'),
  WAITING_FOR_AUTHORIZED_USER_TIMEOUT: host('The user who authorized the bot has to be in the meeting.'),
  UNABLE_JOIN_EXTERNAL_MEETING: caller('Meetings of other accounts need an on-behalf-of token.'),
  RECORDING_RIGHTS_NOT_GRANTED: host('Ask the host to allow recording.'),
  CANNOT_REQUEST_RECORDING_RIGHT: host('The host has to allow requests for recording.'),
  MEETING_ENDED_PREMATURELY: host('The meeting ended before the bot could record.'),
  SET_CONF_ID_AND_PWD_TOGETHER: caller('Give conf_sdk_id and conf_sdk_pwd together.'),
  CANNOT_GET_JWT_TOKEN: caller('Check the SDK credentials.'),
  SDK_AUTH_FAILED: caller('Check the SDK credentials and the app they belong to.'),
  CONF_ACCESS_TOKEN_ERROR: caller('Check the address that gives the access-key token.'),
  CONF_OBF_TOKEN_ERROR: caller('Check the on-behalf-of token or the address that gives it.'),
  RECORDING_START_TIMEOUT: host('The host did not answer the request to record in time.'),
  HOST_CLIENT_CANNOT_GRANT_PERMISSION: host(
    "The host's Zoom client cannot show the request to record. The host needs a newer client.",
  ),
  INSUFFICIENT_TOKENS: caller('The team has too few tokens left. Grant it more.'),
  DAILY_BOT_CAP_REACHED: caller(
    'The team created as many bots in the last 24 hours as daily_cap allows. Wait, or raise daily_cap.',
  ),
  BOT_ALREADY_EXISTS: caller(
    'A bot already runs for this meeting. Use allow_multiple_bots or another deduplication_key to send a second one.',
  ),
  UNKNOWN_ERROR: runtime('Report it with the log and the folder debug/ of the recording.'),
}

/** A failure with its code. The place that throws knows the code; no code is derived from a message later. */
export class BotError extends Error {
  readonly code: ErrorCode
  /** The step that failed, such as `pre-join`. */
  readonly step: string | undefined
  /** Another attempt may succeed; the bot decides whether to make one. */
  readonly canRetry: boolean
  /** The job names something that cannot work, which showed only when it was tried. */
  readonly isInvalidJob: boolean

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; step?: string; canRetry?: boolean; isInvalidJob?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'BotError'
    this.code = code
    this.step = options.step
    this.canRetry = options.canRetry ?? false
    this.isInvalidJob = options.isInvalidJob ?? false
  }

  get cure(): string {
    return ERROR_TABLE[this.code].cure
  }
}

/** Converts any thrown value to a BotError; a foreign error gets the internal code and stays as the cause. */
export function toBotError(thrown: unknown, step?: string): BotError {
  if (thrown instanceof BotError) return thrown
  const message = messageOf(thrown)
  const isInvalidJob = thrown instanceof Error && 'isInvalidJob' in thrown && thrown.isInvalidJob === true
  return new BotError('INTERNAL_ERROR', message, { cause: thrown, isInvalidJob, step })
}

/** The bot cannot write: the host or a policy disabled chat, or it is in another product. The meeting continues. */
export class ChatUnavailable extends Error {
  constructor(message = 'Chat is switched off in this meeting') {
    super(message)
    this.name = 'ChatUnavailable'
  }
}
