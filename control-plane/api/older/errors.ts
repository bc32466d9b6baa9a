/** Refusals in the shape of the older generation: `{error, code}`, with its own names. */
import type { Problem } from '@standin/wire/job.ts'
import type { ApiError } from '../http/errors.ts'

/** Code of the newer generation → name here, and the HTTP status where it differs. */
const NAMES: Readonly<Record<string, [name: string, status?: number]>> = {
  FST_ERR_VALIDATION: ['InvalidRequest', 422],
  FST_ERR_INVALID_MEETING_PLATFORM: ['InvalidMeetingUrl'],
  FST_ERR_UNAUTHORIZED: ['InvalidApiKey'],
  FST_ERR_INSUFFICIENT_TOKENS: ['InsufficientTokens'],
  FST_ERR_FORBIDDEN: ['Forbidden'],
  FST_ERR_BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN: ['Forbidden'],
  FST_ERR_BOT_NOT_FOUND_BY_ID: ['BotNotFound'],
  FST_ERR_CALENDAR_NOT_FOUND_BY_ID: ['CalendarNotFound'],
  FST_ERR_EVENT_NOT_FOUND_BY_ID: ['EventNotFound'],
  FST_ERR_OAUTH_TOKEN_REFRESH_FAILED: ['CalendarTokenRefused'],
  FST_ERR_CALENDAR_PERMISSION_DENIED: ['CalendarPermissionDenied'],
  FST_ERR_CALENDAR_LICENSE_REQUIRED: ['CalendarLicenseRequired'],
  FST_ERR_CALENDAR_CONNECTION_ALREADY_EXISTS: ['CalendarAlreadyConnected'],
  FST_ERR_CALENDAR_CONNECTION_LIMIT_EXCEEDED: ['CalendarLimitReached'],
  FST_ERR_CALENDAR_PROVIDER_UNAVAILABLE: ['ServiceUnavailable'],
  FST_ERR_CREDENTIAL_NOT_FOUND_BY_ID: ['ConnectionNotFound'],
  FST_ERR_NOT_FOUND: ['NotFound'],
  FST_ERR_METHOD_NOT_ALLOWED: ['MethodNotAllowed'],
  FST_ERR_BOT_STATUS: ['BotStatus'],
  FST_ERR_BOT_ALREADY_EXISTS: ['DuplicateBot'],
  FST_ERR_IDEMPOTENCY_KEY_REUSED: ['IdempotencyKeyReused'],
  FST_ERR_IDEMPOTENCY_KEY_IN_USE: ['IdempotencyKeyInUse'],
  FST_ERR_TOO_MANY_REQUESTS: ['TooManyRequests'],
  FST_ERR_DAILY_BOT_CAP_REACHED: ['DailyBotCapReached'],
  FST_ERR_SERVICE_UNAVAILABLE: ['ServiceUnavailable'],
}

export const OLDER_ERROR_CODES = [
  ...new Set([...Object.values(NAMES).map(([name]) => name), 'InvalidRequest', 'InternalError']),
].sort()

export interface OlderErrorBody {
  /** One sentence. */
  error: string
  code: string
  /** With 422 what is wrong where in the request; absent if that is not known. */
  problems?: readonly Problem[]
}

export function olderErrorBody(error: ApiError): { status: number; body: OlderErrorBody } {
  const [name, status] = NAMES[error.code] ?? [error.status < 500 ? 'InvalidRequest' : 'InternalError']
  const sentence = error.details === null ? error.message : `${error.message}: ${error.details}`
  const { problems } = error
  return {
    status: status ?? error.status,
    body: { error: sentence, code: name, ...(problems.length > 0 && { problems }) },
  }
}
