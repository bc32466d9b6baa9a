/**
 * How long the service waits for a bot. A deadline is never shorter than the limits in the bot's job: a bot that may
 * wait ten minutes in a waiting room is not given up after five.
 */

import type { BotRow } from '../store/rows/index.ts'
import { DEFAULT_TIMEOUTS, timeoutsOf } from './request.ts'

/** Seconds; the worker's own limits, `packages/wire/job.ts`. */
const STORING_SECONDS = 900
const TRANSCRIPTION_SECONDS = 1800
/** Seconds of a launched bot until its `joining_call`, by launcher. */
export const START_SECONDS = { process: 60, simulated: 60, docker: 120, kubernetes: 120 } as const
/** Seconds between the request to leave and the end of a bot that has recorded nothing. */
const LEAVE_SECONDS = 120
/** Seconds that a bot may still take to end its process after its final report. */
export const AFTER_REPORT_SECONDS = 60
const MARGIN_SECONDS = 60
/** Seconds after which a bot that is still queued is reported as late. */
export const PICKUP_DELAYED_SECONDS = 120

const after = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)
const later = (a: Date, b: Date | null) => (b !== null && b > a ? b : a)

/** When no further attempt is made to start a bot: its waiting time in the meeting would be over as well. */
export function giveUpAt(bot: Pick<BotRow, 'join_at' | 'request'>, now: Date): Date {
  const waiting = Math.max(timeoutsOf(bot).waiting_room_timeout, DEFAULT_TIMEOUTS.waiting_room_timeout)
  return after(later(now, bot.join_at), waiting)
}

export function startDeadline(now: Date, launcher: keyof typeof START_SECONDS): Date {
  return after(now, START_SECONDS[launcher])
}

/**
 * The deadline of a bot whose status is known `since`. `bot` is the row after the change. Past it the service asks
 * the launcher, and ends the bot only if the launcher says so or where it does not obey.
 */
export function deadlineOf(bot: BotRow, since: Date): Date {
  const {
    waiting_room_timeout: waitingRoom,
    no_one_joined_timeout: noOneJoined,
    recording_timeout: recording,
  } = timeoutsOf(bot)
  const afterwards = STORING_SECONDS + (bot.transcription_status === 'not-applicable' ? 0 : TRANSCRIPTION_SECONDS)
  const hasRecorded = bot.recording_started_at !== null
  // Its status stays `in_call_recording` while it waits to be admitted again.
  const rejoin = bot.resuming_since === null ? 0 : 2 * waitingRoom + noOneJoined
  if (bot.phase === 'processing') return after(since, TRANSCRIPTION_SECONDS + MARGIN_SECONDS)
  if (bot.phase === 'ending')
    return after(bot.stop_requested_at ?? since, hasRecorded ? afterwards + LEAVE_SECONDS : LEAVE_SECONDS)
  switch (bot.status) {
    case 'queued':
    case 'joining_call':
    case 'in_waiting_room':
      // A bot that is early waits for its time; host and admission may be waited for one after the other.
      return after(later(since, bot.join_at), 2 * waitingRoom + afterwards + MARGIN_SECONDS)
    case 'in_call_not_recording':
      return after(since, waitingRoom + noOneJoined + recording + afterwards + MARGIN_SECONDS)
    case 'recording_paused':
      // A pause has no separate limit; a day is the longest that the worker's limits can express.
      return after(since, 86_400 + rejoin)
    default:
      return after(since, rejoin + recording + afterwards + MARGIN_SECONDS)
  }
}
