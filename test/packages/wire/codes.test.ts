/** The words below are copied from the published tables of the interface (docs/api.md#statuses), so that ours cannot drift. */

import { ERROR_CODES, NORMAL_END_CODES, RECORDING_MODES, STATUSES } from '@standin/wire/codes.ts'
import { COMMAND_ERROR_CODES } from '@standin/wire/commands.ts'
import { expect, test } from 'vitest'

const words = (list: string) => list.split(',').map((word) => word.trim())

const ERROR_GROUPS = `
  BOT_NOT_ACCEPTED, TIMEOUT_WAITING_TO_START, CANNOT_JOIN_MEETING, BOT_REMOVED_TOO_EARLY, INVALID_MEETING_URL,
  STREAMING_SETUP_FAILED, LOGIN_REQUIRED, INTERNAL_ERROR,
  OOM_KILLED, SIGTERM, FORCE_KILLED, GENERAL_ERROR,
  EXITING_MEETING_BEFORE_RECORD,
  TRANSCRIPTION_FAILED,
  WAITING_FOR_HOST_TIMEOUT, WAITING_FOR_AUTHORIZED_USER_TIMEOUT, UNABLE_JOIN_EXTERNAL_MEETING,
  RECORDING_RIGHTS_NOT_GRANTED, CANNOT_REQUEST_RECORDING_RIGHT, MEETING_ENDED_PREMATURELY, SET_CONF_ID_AND_PWD_TOGETHER,
  CANNOT_GET_JWT_TOKEN, SDK_AUTH_FAILED, CONF_ACCESS_TOKEN_ERROR, CONF_OBF_TOKEN_ERROR, RECORDING_START_TIMEOUT,
  HOST_CLIENT_CANNOT_GRANT_PERMISSION,
  INSUFFICIENT_TOKENS, DAILY_BOT_CAP_REACHED, BOT_ALREADY_EXISTS,
  UNKNOWN_ERROR`
const STATUSES_OF_A_RUN =
  'joining_call, in_waiting_room, in_call_not_recording, in_call_recording, recording_paused, recording_resumed, completed, failed'
const CHAT_CODES = 'FST_ERR_BOT_STATUS, FST_ERR_CHAT_DISABLED, FST_ERR_SEND_CHAT_MESSAGE_FAILED'

test.each([
  ['statuses', STATUSES, words(STATUSES_OF_A_RUN)],
  ['recording modes', RECORDING_MODES, words('speaker_view, gallery_view, audio_only')],
  ['normal ends', NORMAL_END_CODES, words('BOT_REMOVED, NO_ATTENDEES, NO_SPEAKER, RECORDING_TIMEOUT, API_REQUEST')],
  ['error codes', ERROR_CODES, words(ERROR_GROUPS)],
  ['codes of a refused chat message', COMMAND_ERROR_CODES, expect.arrayContaining(words(CHAT_CODES))],
])('the %s are those of the specification', (_what, ours, specified) => expect(ours).toEqual(specified))

test('no word stands for two things', () => {
  const all = [...STATUSES, ...NORMAL_END_CODES, ...ERROR_CODES, ...COMMAND_ERROR_CODES]
  expect(new Set(all).size).toBe(all.length)
})
