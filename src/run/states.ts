/**
 * States of a bot, legal moves between them, and the ways it can end. Source: docs/api.md#statuses.
 */

import type { ErrorCode, NormalEndCode, Status } from '@standin/wire/codes.ts'
import type { Reason } from '@standin/wire/reasons.ts'
import type { BotError } from '../../packages/core/errors.ts'
import type { MeetingEnd } from '../../packages/core/meeting/meeting.ts'
import type { StopRequester } from '../../packages/core/process/stop-requests.ts'

export type State = 'created' | Status

export const LEGAL_MOVES: Readonly<Record<State, readonly Status[]>> = {
  created: ['joining_call', 'failed'],
  joining_call: ['in_waiting_room', 'in_call_not_recording', 'failed'],
  in_waiting_room: ['in_call_not_recording', 'failed'],
  in_call_not_recording: ['in_call_recording', 'failed'],
  in_call_recording: ['recording_paused', 'completed', 'failed'],
  recording_paused: ['recording_resumed', 'completed', 'failed'],
  recording_resumed: ['recording_paused', 'completed', 'failed'],
  completed: [],
  failed: [],
}

/** States in which people in the meeting see the bot, so that it can chat. */
export const IN_CALL: ReadonlySet<State> = new Set<State>([
  'in_call_not_recording',
  'in_call_recording',
  'recording_paused',
  'recording_resumed',
])

/** States in which time is being recorded. */
export const RECORDING: ReadonlySet<State> = new Set<State>(['in_call_recording', 'recording_resumed'])

/** Why the bot ended; the first reason wins. */
export interface End {
  code: NormalEndCode | ErrorCode
  /** One plain sentence. */
  message: string
  /** A caller or operator asked for it, rather than the meeting or a failure. */
  askedBy?: StopRequester
  /** UTC milliseconds of the first sign of it, if it was seen later than it came; nothing after it is recorded. */
  at?: number
  /** Leave without the platform's manners; the recording is finished all the same. */
  atOnce?: boolean
  error?: BotError
  /** Why the meeting did not let the bot in, or sent it out, if that was seen. */
  reason?: Reason | undefined
}

const NORMAL_ENDS: Readonly<Record<NormalEndCode, true>> = {
  BOT_REMOVED: true,
  NO_ATTENDEES: true,
  NO_SPEAKER: true,
  RECORDING_TIMEOUT: true,
  API_REQUEST: true,
}

export function isNormalEnd(code: End['code']): code is NormalEndCode {
  return code in NORMAL_ENDS
}

/** End codes for ends that the meeting causes after admission. */
export const MEETING_ENDS: Readonly<Record<MeetingEnd, { code: NormalEndCode; message: string }>> = {
  removed: { code: 'BOT_REMOVED', message: 'The host removed the bot from the meeting.' },
  // The specification has no separate code for it: a host who ends the meeting for all removes every participant, the
  // bot too.
  ended_for_all: { code: 'BOT_REMOVED', message: 'The host ended the meeting for everyone.' },
  everyone_left: { code: 'NO_ATTENDEES', message: 'The meeting ended because everyone left.' },
  // The platform sends the bot out as a host would; the specification's table of ends has nothing nearer.
  authorized_user_left: {
    code: 'BOT_REMOVED',
    message: 'The user on whose behalf the bot was there left, so the platform sent the bot out.',
  },
}

/** A stop before anything was recorded has one name for leaving and another for a machine that takes the bot away. */
export const STOP_ENDS: Readonly<Record<StopRequester, Record<'recorded' | 'not_recorded', End['code']>>> = {
  command: { recorded: 'API_REQUEST', not_recorded: 'EXITING_MEETING_BEFORE_RECORD' },
  interrupt: { recorded: 'API_REQUEST', not_recorded: 'EXITING_MEETING_BEFORE_RECORD' },
  terminate: { recorded: 'SIGTERM', not_recorded: 'SIGTERM' },
}

export type ExitCode = 0 | 2 | 3 | 4 | 70

/**
 * 0 recorded and stored, or asked to stop before; 2 the job names something that cannot work, or the machine is unfit; 3 could not join; 4 failed
 * after recording began; 70 our defect.
 */
export function exitCodeOf(end: End, hasRecorded: boolean, isDefect: boolean): ExitCode {
  if (isDefect) return 70
  if (isNormalEnd(end.code)) return 0
  // A stop that came while the first frame was on its way is a stop before recording.
  if (hasRecorded && end.code !== 'EXITING_MEETING_BEFORE_RECORD') return 4
  if (end.error?.isInvalidJob || end.error?.endCause === 'MACHINE_UNFIT') return 2
  return end.askedBy === undefined ? 3 : 0
}
