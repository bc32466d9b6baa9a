/**
 * The words of the service's interface that a bot reports: statuses, end codes, modes, and its name.
 * Source: docs/api.md#statuses and #end-codes.
 */

/** Of a bot whose sender gave it no name. */
export const DEFAULT_BOT_NAME = 'Standin'

export const STATUSES = [
  'joining_call',
  'in_waiting_room',
  'in_call_not_recording',
  'in_call_recording',
  'recording_paused',
  'recording_resumed',
  'completed',
  'failed',
] as const
export type Status = (typeof STATUSES)[number]

export const RECORDING_MODES = ['speaker_view', 'gallery_view', 'audio_only'] as const
export type RecordingMode = (typeof RECORDING_MODES)[number]

/** Ends that are not failures. */
export const NORMAL_END_CODES = [
  'BOT_REMOVED',
  'NO_ATTENDEES',
  'NO_SPEAKER',
  'RECORDING_TIMEOUT',
  'API_REQUEST',
] as const
export type NormalEndCode = (typeof NORMAL_END_CODES)[number]

/** The specification's error codes, group by group. */
export const ERROR_CODES = [
  // Error end
  'BOT_NOT_ACCEPTED',
  'TIMEOUT_WAITING_TO_START',
  'CANNOT_JOIN_MEETING',
  'BOT_REMOVED_TOO_EARLY',
  'INVALID_MEETING_URL',
  'STREAMING_SETUP_FAILED',
  'LOGIN_REQUIRED',
  'INTERNAL_ERROR',
  // Crash
  'OOM_KILLED',
  'SIGTERM',
  'FORCE_KILLED',
  'GENERAL_ERROR',
  // Stopped before recording
  'EXITING_MEETING_BEFORE_RECORD',
  // Transcription
  'TRANSCRIPTION_FAILED',
  // Conferencing platform with an SDK
  'WAITING_FOR_HOST_TIMEOUT',
  'WAITING_FOR_AUTHORIZED_USER_TIMEOUT',
  'UNABLE_JOIN_EXTERNAL_MEETING',
  'RECORDING_RIGHTS_NOT_GRANTED',
  'CANNOT_REQUEST_RECORDING_RIGHT',
  'MEETING_ENDED_PREMATURELY',
  'SET_CONF_ID_AND_PWD_TOGETHER',
  'CANNOT_GET_JWT_TOKEN',
  'SDK_AUTH_FAILED',
  'CONF_ACCESS_TOKEN_ERROR',
  'CONF_OBF_TOKEN_ERROR',
  'RECORDING_START_TIMEOUT',
  'HOST_CLIENT_CANNOT_GRANT_PERMISSION',
  // Refused when a bot is created; a worker never meets these
  'INSUFFICIENT_TOKENS',
  'DAILY_BOT_CAP_REACHED',
  'BOT_ALREADY_EXISTS',
  // Fallback
  'UNKNOWN_ERROR',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Causes say more of a failure than its error code; `error-help.ts` has the cure of each. */
export const END_CAUSES = [
  // The bot's machine
  'MACHINE_UNFIT',
  // Its network
  'DNS_FAILED',
  'CONNECTION_FAILED',
  'PROXY_FAILED',
  'TLS_INTERCEPTED',
  // An end without a report
  'JOB_REFUSED',
  'PROCESS_EXITED',
  'PROCESS_LOST',
  'NOT_STARTED',
] as const
export type EndCause = (typeof END_CAUSES)[number]
