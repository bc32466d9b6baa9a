/** Refusals of calendars and of their providers as errors of the API, for every generation. */
import { ProviderError } from '../platform/ports.ts'
import { type ApiError, refusals } from './http/errors.ts'

/** Seconds until the next request to a provider that named no time. */
const RETRY_SECONDS = 30

/** The object that the request names; repeated in the answer where it is not found. */
export interface Meant {
  calendarId?: string | null
  seriesId?: string | null
  eventId?: string | null
  generation?: string
}

/** The result of the work; a problem of the calendars becomes an error of the API. */
export async function withCalendarErrors<T>(meant: Meant, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ProviderError ? errorOfProblem(error, meant) : error
  }
}

function errorOfProblem({ kind, message, retryAfterMs }: ProviderError, meant: Meant): ApiError {
  switch (kind) {
    case 'revoked':
    case 'client_refused':
    case 'token_refused':
      return refusals.tokenRefused(message)
    case 'permission_denied':
      return refusals.calendarPermission(message)
    case 'no_mailbox':
      return refusals.calendarLicense(message)
    case 'calendar_not_found':
      return refusals.calendarNotFound(meant.calendarId ?? '')
    case 'series_not_found':
      return refusals.seriesNotFound(meant.seriesId ?? '')
    case 'event_not_found':
      return refusals.eventNotFound(meant.eventId ?? '')
    case 'not_found':
    case 'raw_calendar_not_found':
      // Of a calendar that is connected already: it is gone, or no longer shared with the user.
      return meant.calendarId
        ? refusals.calendarPermission(message)
        : refusals.validation(`body/raw_calendar_id: ${message}`)
    case 'already_connected':
      return refusals.calendarExists(message)
    case 'platform_mismatch':
      return refusals.validation(`body/platform: ${message}`)
    case 'limit_reached':
      return refusals.calendarLimit(message)
    case 'zoom_app_missing':
      return refusals.zoomAppMissing(meant.generation, message)
    default:
      return refusals.providerUnavailable(
        message,
        retryAfterMs === null ? RETRY_SECONDS : Math.max(1, Math.ceil(retryAfterMs / 1000)),
      )
  }
}
