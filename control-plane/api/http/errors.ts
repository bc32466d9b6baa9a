/**
 * Refusals of the API, the same for every generation: a generation turns them into its own bodies
 * (`generation.ts`). Codes and messages are those of the newer generation; source: the interface's code table.
 */
import type { Problem } from '@standin/wire/job.ts'
import { mayPassLater } from '../../store/lost-database.ts'
import type { KeyProblem } from '../../store/teams/keys.ts'

export interface RefusalDetails {
  /** Further words for the caller. */
  details?: string
  /** Places of the request, with the problem of each. */
  problems?: readonly Problem[]
  /** Whole seconds; also sent as the header `retry-after`. */
  retryAfter?: number
  /** Such as `allow`. */
  headers?: Record<string, string>
}

/** Longest word of a message; longer ones are the caller's own. */
const MAX_WORD = 250

/** A message may repeat what the caller wrote: at most a part of it, and no key that was put in the wrong place. */
const shortened = (message: string): string =>
  message
    .replace(/standin_[0-9A-Za-z]{30,}/g, '[key]')
    .replace(new RegExp(`(\\S{${MAX_WORD}})\\S+`, 'g'), (_, beginning: string) => `${beginning}…`)

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: string | null
  readonly problems: readonly Problem[]
  readonly retryAfter: number | null
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, message: string, more: RefusalDetails = {}) {
    super(shortened(message))
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = more.details ?? null
    this.problems = (more.problems ?? []).map(({ path, message: what }) => ({
      path: shortened(path),
      message: shortened(what),
    }))
    this.retryAfter = more.retryAfter ?? null
    this.headers = more.headers ?? {}
  }
}

/** Makes refusals with this status and code. */
const refusal = (status: number, code: string) => (message: string, more?: RefusalDetails) =>
  new ApiError(status, code, message, more)

const invalid = refusal(400, 'FST_ERR_VALIDATION')
const noMeeting = refusal(400, 'FST_ERR_INVALID_MEETING_PLATFORM')
const unauthorized = refusal(401, 'FST_ERR_UNAUTHORIZED')
/** HTTP asks for the header; a browser shows no form for this scheme. */
const noGoodKey = (message: string) => unauthorized(message, { headers: { 'www-authenticate': 'Bearer' } })
const wrongSignIn = refusal(401, 'FST_ERR_WRONG_SIGN_IN')
const forbidden = refusal(403, 'FST_ERR_FORBIDDEN')
const noOwnKeys = refusal(403, 'FST_ERR_BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN')
const notFound = refusal(404, 'FST_ERR_NOT_FOUND')
const conflict = refusal(409, 'FST_ERR_CONFLICT')
const wrongStatus = refusal(409, 'FST_ERR_BOT_STATUS')
const botExists = refusal(409, 'FST_ERR_BOT_ALREADY_EXISTS')
const noCallback = refusal(409, 'FST_ERR_CALLBACK_NOT_CONFIGURED')
const keyReused = refusal(409, 'FST_ERR_IDEMPOTENCY_KEY_REUSED')
const limited = refusal(429, 'FST_ERR_RATE_LIMIT')
const tooManyRequests = refusal(429, 'FST_ERR_TOO_MANY_REQUESTS')
const unavailable = refusal(503, 'FST_ERR_SERVICE_UNAVAILABLE')

const KEY_PROBLEMS: Readonly<Record<KeyProblem, string>> = {
  unknown: 'The API key is unknown; check that it was copied as a whole',
  revoked: 'This API key was revoked; use another one',
  expired: 'This API key has expired; use another one',
}

/** Of a message that begins with a place of the request, such as `body/url is missing`. */
function problemIn(text: string): Problem[] {
  const [, path, message] = /^((?:body|querystring|params|headers)(?:\/[^\s:]+)?):? (.+)$/s.exec(text) ?? []
  return path === undefined ? [] : [{ path, message: message! }]
}

export const refusals = {
  validation: (message: string, problems = problemIn(message)) => invalid(message, { problems }),
  emptyBody: () =>
    refusal(400, 'FST_ERR_CTP_EMPTY_JSON_BODY')('The request needs a body; it must be one JSON document', {
      problems: [{ path: 'body', message: 'is missing' }],
    }),
  invalidJson: (place: string | null) => {
    const message = `body is not valid JSON${place === null ? '' : ` (${place})`}`
    return refusal(400, 'FST_ERR_CTP_INVALID_JSON_BODY')(message, { problems: problemIn(message) })
  },
  mediaType: (message: string) => refusal(415, 'FST_ERR_CTP_INVALID_MEDIA_TYPE')(message),
  meetingPlatform: (problem: string) =>
    noMeeting(`meeting_url: ${problem}`, { problems: [{ path: 'body/meeting_url', message: problem }] }),
  noMeetingUrl: (details: string) => noMeeting('The event has no link of a supported meeting platform', { details }),
  keyInUrl: () =>
    invalid(
      'The address holds an API key. Addresses are logged, so send the key in the header x-service-api-key only, and revoke this one',
    ),
  missingKey: () =>
    noGoodKey('The API key is missing; send it in the header x-service-api-key, or as Authorization: Bearer'),
  /** Only a caller who has the whole key learns that it is revoked or expired, so a guess finds out nothing. */
  wrongKey: (problem: KeyProblem) => noGoodKey(KEY_PROBLEMS[problem]),
  twoKeys: () =>
    refusal(
      400,
      'FST_ERR_TWO_KEYS',
    )('The request has two different API keys, one in its own header and one in Authorization; send one of them'),
  insufficientTokens: (available: number, required: number) =>
    refusal(402, 'FST_ERR_INSUFFICIENT_TOKENS')(`Insufficient tokens. Available: ${available}, Required: ${required}`),
  signInNeeded: () => unauthorized('You are not signed in, or no longer'),
  signInLinkUsed: () =>
    wrongSignIn('This link was used already, was withdrawn, or is too old; ask an owner of the team for another one'),
  emailTaken: () => conflict('Another person of this team has this e-mail address'),
  endpointDisabled: () => conflict('The endpoint is disabled; enable it, then send the test'),
  lastOwner: () => conflict('A team keeps at least one owner'),
  unknown: (what: string) => notFound(`There is no such ${what}`),
  signInAgain: () =>
    forbidden('A new e-mail address or password needs the current password, or a sign-in of the last 15 minutes'),
  wrongSignIn: () => wrongSignIn('E-mail address and password do not fit'),
  foreignPage: () => forbidden('The request did not come from the dashboard: its header x-requested-by is missing'),
  roleTooLow: (role: string) => forbidden(`Only a person with the role ${role} of this team may do this`),
  operatorOnly: () => forbidden("Only owners of the first team, which is the operator's, may do this"),
  tooManySignIns: (retryAfter: number) => limited('Too many tries to sign in; wait and try again', { retryAfter }),
  tokenRefused: (details: string) =>
    refusal(401, 'FST_ERR_OAUTH_TOKEN_REFRESH_FAILED')('The calendar provider refused the OAuth credentials', {
      details,
    }),
  calendarPermission: (details: string) =>
    refusal(403, 'FST_ERR_CALENDAR_PERMISSION_DENIED')('The calendar cannot be read with what the user has granted', {
      details,
    }),
  calendarLicense: (details: string) =>
    refusal(403, 'FST_ERR_CALENDAR_LICENSE_REQUIRED')('The account has no mailbox with a calendar', { details }),
  forbidden: () => forbidden('This API key may only create bots; the operation needs full access'),
  byokTranscription: () =>
    noOwnKeys('Transcription with an own key of the provider is not part of the plan of this team'),
  exchangeFailed: (reason: string) =>
    refusal(400, 'FST_ERR_OAUTH_EXCHANGE_FAILED')(`The conferencing provider refused the authorization. ${reason}`),
  credentialUser: (count: number) =>
    invalid(
      `body/conf_config/credential_user_id belongs to ${count} stored credentials; name one of them with credential_id`,
    ),
  zoomAppMissing: (generation: string | undefined, problem: string) =>
    invalid(`body/${generation === 'older' ? 'conf_obf_token' : 'conf_config'} ${problem}`),
  noAccount: (platform: string | null, pool: string | null) =>
    refusals.validation(
      `body/account The team has no account${platform === null ? '' : ` of the platform ${platform}`}${pool === null ? '' : ` in the pool '${pool}'`}: add one with POST /v2/accounts, or send the bot without`,
    ),
  tooManyAccounts: (most: number) =>
    conflict(`The team has ${most} accounts, and more are not allowed; delete one of them`),
  accountNotFound: (id: string) => refusal(404, 'FST_ERR_ACCOUNT_NOT_FOUND_BY_ID')(`Account with ID '${id}' not found`),
  credentialNotFound: (id: string) =>
    refusal(404, 'FST_ERR_CREDENTIAL_NOT_FOUND_BY_ID')(`Credential with ID '${id}' not found`),
  botNotFound: (id: string) => refusal(404, 'FST_ERR_BOT_NOT_FOUND_BY_ID')(`Bot with ID '${id}' not found`),
  scheduledBotNotFound: (id: string) =>
    refusal(404, 'FST_ERR_SCHEDULED_BOT_NOT_FOUND_BY_ID')(`Scheduled bot with ID '${id}' not found`),
  calendarNotFound: (id: string) =>
    refusal(404, 'FST_ERR_CALENDAR_NOT_FOUND_BY_ID')(`Calendar with ID '${id}' not found`),
  eventNotFound: (id: string) => refusal(404, 'FST_ERR_EVENT_NOT_FOUND_BY_ID')(`Event with ID '${id}' not found`),
  seriesNotFound: (id: string) =>
    refusal(404, 'FST_ERR_EVENT_SERIES_NOT_FOUND_BY_ID')(`Event series with ID '${id}' not found`),
  unknownChannel: () => notFound('No calendar has a channel of this id with this token'),
  notFound: (method: string, path: string) => notFound(`There is no ${method} ${path}; /docs lists all operations`),
  methodNotAllowed: (method: string, path: string, allowed: readonly string[]) => {
    const allow = allowed.join(', ')
    return refusal(405, 'FST_ERR_METHOD_NOT_ALLOWED')(`${path} takes ${allow}, not ${method}`, { headers: { allow } })
  },
  botStatus: (id: string, status: string, details?: string) =>
    wrongStatus(`Status of bot '${id}' is: ${status}. Operation not permitted in this state.`, { details }),
  eventBotStatus: (eventId: string, details: string) =>
    wrongStatus(`The bot of event '${eventId}' cannot be changed in its state.`, { details }),
  botAlreadyExists: () =>
    botExists('A bot for this meeting was created within the last 5 minutes and allow_multiple_bots is false'),
  deduplicationKey: () => botExists('A bot with this deduplication key has not ended yet'),
  calendarExists: (details: string) =>
    refusal(409, 'FST_ERR_CALENDAR_CONNECTION_ALREADY_EXISTS')('The team has connected this calendar already', {
      details,
    }),
  callbackNotConfigured: (id: string) =>
    noCallback(`Bot '${id}' was created without a callback, and the request names none`),
  noAudio: (id: string) => wrongStatus(`Bot '${id}' has no audio that could be transcribed`),
  idempotencyKeyReused: () => keyReused('This Idempotency-Key was used with another request within the last 24 hours'),
  idempotencyKeyBusy: () =>
    refusal(409, 'FST_ERR_IDEMPOTENCY_KEY_IN_USE')(
      'The first request with this Idempotency-Key is still being processed',
      {
        retryAfter: 1,
      },
    ),
  chatDisabled: (details?: string) =>
    refusal(422, 'FST_ERR_CHAT_DISABLED')('Chat is disabled in this meeting', { details }),
  tooManyLongNumbers: (most: number, length: number) =>
    refusals.validation(
      `body has more than ${most} numbers with an exponent or ${length} digits; send such numbers as strings`,
    ),
  tooManyRequests: (limit: number, retryAfter: number) =>
    tooManyRequests(`Rate limit exceeded: ${limit} requests per second are allowed; retry in ${retryAfter} s`, {
      retryAfter,
    }),
  /** `of`: what has them, such as `team`. */
  tooManyStreams: (kind: string, most: number, of: string) =>
    tooManyRequests(`This ${of} has ${most} ${kind} open, and more are not allowed; close one of them`, {
      retryAfter: 10,
    }),
  tooManyLists: (most: number) =>
    tooManyRequests(`Too many lists of this team are being read: ${most} are read at once; retry in 1 s`, {
      retryAfter: 1,
    }),
  tooManyDeletions: (limit: number, retryAfter: number) =>
    tooManyRequests(`At most ${limit} deletions a minute are allowed; retry in ${retryAfter} s`, { retryAfter }),
  tooManyWithoutKey: (retryAfter: number) =>
    tooManyRequests(`Too many requests without a key came from this address; retry in ${retryAfter} s`, { retryAfter }),
  tooManyBadKeys: (retryAfter: number) =>
    tooManyRequests(`Too many requests with a wrong API key came from this address; retry in ${retryAfter} s`, {
      retryAfter,
    }),
  slowList: () =>
    refusals.unavailable('The list takes too long to read; ask for a shorter time, or with fewer filters'),
  dailyCap: (created: number, retryAfter?: number) =>
    refusal(429, 'FST_ERR_DAILY_BOT_CAP_REACHED')(
      `Daily bot cap has been reached: ${created} bots created within the last 24 hours`,
      { retryAfter },
    ),
  calendarLimit: (details: string) =>
    refusal(429, 'FST_ERR_CALENDAR_CONNECTION_LIMIT_EXCEEDED')('The team has as many calendars as it may have', {
      details,
    }),
  chatFailed: (details?: string) =>
    refusal(500, 'FST_ERR_SEND_CHAT_MESSAGE_FAILED')('The chat message could not be delivered to the meeting', {
      details,
    }),
  commandFailed: (details: string) =>
    refusal(500, 'FST_ERR_BOT_COMMAND_FAILED')('The bot could not be reached or refused the command', { details }),
  internal: () => refusal(500, 'FST_ERR_INTERNAL_SERVER_ERROR')('The service failed to process the request'),
  providerUnavailable: (details: string, retryAfter: number) =>
    refusal(503, 'FST_ERR_CALENDAR_PROVIDER_UNAVAILABLE')('The calendar provider cannot be reached right now', {
      details,
      retryAfter,
    }),
  tooManyNotifications: (retryAfter: number) =>
    unavailable(`Too many notifications came from this address; retry in ${retryAfter} s`, { retryAfter }),
  conferencingUnavailable: (details: string, retryAfterMs: number | null) =>
    unavailable('The conferencing provider cannot be reached right now', {
      details,
      retryAfter: Math.min(3600, Math.max(1, Math.ceil((retryAfterMs ?? 5000) / 1000))),
    }),
  unavailable: (message = 'The service cannot process requests right now') => unavailable(message, { retryAfter: 1 }),
}

/** The answer to any thrown value. Errors without a meaning for the caller become 500, without their text. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const error = (thrown ?? {}) as { statusCode?: unknown; code?: unknown; message?: unknown }
  const { statusCode, message } = error
  const code = typeof error.code === 'string' ? error.code : ''
  const isFastifys = code.startsWith('FST_') && typeof statusCode === 'number'
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return refusals.mediaType('The body has to be JSON; send it with the header content-type: application/json')
  if (isFastifys && statusCode < 500) return new ApiError(statusCode, code, String(message))
  if (code === 'FST_ERR_HANDLER_TIMEOUT' || code === 'FST_UNDER_PRESSURE') return refusals.unavailable()
  if (mayPassLater(thrown)) return refusals.unavailable('The database of the service cannot be reached right now')
  return refusals.internal()
}
