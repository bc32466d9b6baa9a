/** Bodies of the older generation: `{event, data}`, with the transcript in it instead of a link. */
import type { BotRow } from '../../store/rows/index.ts'
import type { StatusNews } from './index.ts'
import { peopleOf } from './people.ts'
import { ARTIFACT_NAMES, OLDER_TRANSCRIPT, olderLink } from './placeholders.ts'

type Body = Record<string, unknown>

/** `start_time` is in milliseconds here, in seconds in the newer generation. */
export function olderStatusBody(bot: BotRow, { code, at, startTime, errorMessage }: StatusNews): Body {
  const status = {
    code,
    created_at: at.toISOString(),
    ...(startTime !== undefined && { start_time: Math.round(startTime * 1000) }),
    ...(errorMessage !== undefined && {
      error_message: errorMessage,
      error_type: olderError(bot.error_code ?? 'INTERNAL_ERROR'),
    }),
  }
  return { event: 'bot.status_change', data: { bot_id: bot.id, status } }
}

export function olderCompleteBody(bot: BotRow): Body {
  return {
    event: 'complete',
    data: {
      bot_id: bot.id,
      event_uuid: bot.event_uuid,
      ...(bot.transcription_status !== 'not-applicable' && { transcript: OLDER_TRANSCRIPT }),
      speakers: peopleOf(bot.speakers).map(({ name }) => name),
      mp4: bot.recording_mode === 'audio_only' ? '' : olderLink(ARTIFACT_NAMES.video),
      audio: olderLink(ARTIFACT_NAMES.audio),
      event: 'complete',
      extra: bot.extra ?? {},
    },
  }
}

export function olderFailedBody(bot: BotRow): Body {
  const code = bot.error_code ?? 'UNKNOWN_ERROR'
  return {
    event: 'failed',
    data: {
      bot_id: bot.id,
      event_uuid: bot.event_uuid,
      error: olderError(code),
      message: `${bot.error_message ?? 'The bot failed.'} [${code}]`,
      extra: bot.extra ?? {},
    },
  }
}

export function olderTranscriptionBody(bot: BotRow): Body {
  return { event: 'transcription_complete', data: { bot_id: bot.id } }
}

const OLDER_ERRORS: Record<string, string> = {
  CANNOT_JOIN_MEETING: 'CannotJoinMeeting',
  UNABLE_JOIN_EXTERNAL_MEETING: 'CannotJoinMeeting',
  LOGIN_REQUIRED: 'CannotJoinMeeting',
  MEETING_ENDED_PREMATURELY: 'CannotJoinMeeting',
  BOT_NOT_ACCEPTED: 'BotNotAccepted',
  RECORDING_RIGHTS_NOT_GRANTED: 'BotNotAccepted',
  CANNOT_REQUEST_RECORDING_RIGHT: 'BotNotAccepted',
  HOST_CLIENT_CANNOT_GRANT_PERMISSION: 'BotNotAccepted',
  TIMEOUT_WAITING_TO_START: 'TimeoutWaitingToStart',
  RECORDING_START_TIMEOUT: 'TimeoutWaitingToStart',
  WAITING_FOR_AUTHORIZED_USER_TIMEOUT: 'TimeoutWaitingToStart',
  WAITING_FOR_HOST_TIMEOUT: 'WaitingForHostTimeout',
  BOT_REMOVED_TOO_EARLY: 'BotRemoved',
  BOT_REMOVED: 'BotRemoved',
  INVALID_MEETING_URL: 'InvalidMeetingUrl',
  EXITING_MEETING_BEFORE_RECORD: 'ApiRequest',
  STREAMING_SETUP_FAILED: 'StreamingSetupFailed',
  SDK_AUTH_FAILED: 'CONF_SDK_AUTH_FAILED',
  SET_CONF_ID_AND_PWD_TOGETHER: 'SET_CONF_ID_AND_PWD_TOGETHER',
  CANNOT_GET_JWT_TOKEN: 'CANNOT_GET_JWT_TOKEN',
  CONF_ACCESS_TOKEN_ERROR: 'CONF_ACCESS_TOKEN_ERROR',
  CONF_OBF_TOKEN_ERROR: 'CONF_OBF_TOKEN_ERROR',
}

/** The `error` value of a newer code; `InternalError` for codes without an equivalent in the older generation. */
export function olderError(code: string): string {
  return OLDER_ERRORS[code] ?? 'InternalError'
}
