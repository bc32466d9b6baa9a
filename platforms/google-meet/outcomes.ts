/** Maps each page state to its outcome, before and after admission. Pure. */

import type { BotError } from '../../core/errors.ts'
import type { MeetingEnd } from '../../core/meeting/meeting.ts'
import { type Refusal, refusalError } from '../shared/join/refusal.ts'
import type { JoinStep, PageState } from '../shared/page-state.ts'
import type { PageSnapshot } from './page/types.ts'
import { PAGE_PHASES, type PageStateKind } from './page-state.ts'

/** Statuses of the bot's own device in the roster. */
const OUT = 6
const REMOVED = 7

const BLOCKED: Refusal = {
  code: 'BOT_NOT_ACCEPTED',
  sentence: 'Google Meet refused the bot ("{text}"): guests may be off, or the meeting admits invited people only.',
  // Most refusals of this kind do not happen again in a new attempt.
  canRetry: true,
}

const BEFORE_ADMISSION: Partial<Record<PageStateKind, Refusal>> = {
  invalid_code: { code: 'INVALID_MEETING_URL', sentence: 'Google Meet does not know this meeting code ("{text}").' },
  landing: {
    code: 'INVALID_MEETING_URL',
    sentence: 'The link led to the home page of Google Meet ({text}) instead of a meeting.',
  },
  expired_code: { code: 'CANNOT_JOIN_MEETING', sentence: 'The meeting code has expired ("{text}").' },
  login_wall: { code: 'LOGIN_REQUIRED', sentence: 'Google Meet asked the bot to sign in ({text}).' },
  credentials_lost: { code: 'LOGIN_REQUIRED', sentence: 'The account of the bot is no longer signed in ("{text}").' },
  blocked: BLOCKED,
  marketing: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: 'Google Meet sent the bot away from the meeting to {text}.',
    canRetry: true,
  },
  off_site: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: 'The page left Google Meet for {text} before the bot was in.',
    canRetry: true,
  },
  call_error: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: 'Google Meet could not start the call ("{text}").',
    canRetry: true,
  },
  captcha: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: 'Google Meet showed a captcha, which the bot does not solve; it was not solved in time.',
  },
  denied: { code: 'BOT_NOT_ACCEPTED', sentence: 'A participant denied the request to join ("{text}").' },
  request_timed_out: {
    code: 'TIMEOUT_WAITING_TO_START',
    sentence: 'The request to join was not answered until Google Meet gave up ("{text}").',
  },
  // Unless the bot left by itself, an active denial looks like this too.
  left: { code: 'BOT_NOT_ACCEPTED', sentence: 'The request to join was turned down ("{text}").' },
  removed: { code: 'BOT_NOT_ACCEPTED', sentence: 'The bot was removed before it was in ("{text}").' },
  ended_for_all: {
    code: 'EXITING_MEETING_BEFORE_RECORD',
    sentence: 'The meeting ended while the bot was waiting ("{text}").',
  },
  everyone_left: {
    code: 'EXITING_MEETING_BEFORE_RECORD',
    sentence: 'All participants left while the bot was waiting ("{text}").',
  },
  unknown_end: {
    code: 'BOT_NOT_ACCEPTED',
    sentence: 'Google Meet ended the attempt to join in words the bot does not know ("{text}").',
  },
}

/** Before admission: the error of this page state, or null for none. `seen`: kinds that came before. */
export function refusalOf(
  state: PageState<PageStateKind>,
  joinStep: JoinStep,
  seen: ReadonlySet<PageStateKind> = new Set(),
): BotError | null {
  const wasBlocked = seen.has('blocked') && state.kind === 'marketing'
  const refusal = wasBlocked ? BLOCKED : BEFORE_ADMISSION[state.kind]
  if (!refusal) return null
  // A dead link says nothing about a host, and before the bot asks to join no host can have denied it.
  if (joinStep === 'pre-join' && state.kind === 'unknown_end') return null
  return refusalError(refusal, state.text, joinStep)
}

const AFTER_ADMISSION: Partial<Record<PageStateKind, MeetingEnd>> = {
  removed: 'removed',
  ended_for_all: 'ended_for_all',
  everyone_left: 'everyone_left',
  // By another device of the same person, by an idle rule, or by words we do not know.
  left: 'ended_for_all',
  unknown_end: 'ended_for_all',
  blocked: 'removed',
  denied: 'removed',
  off_site: 'removed',
  marketing: 'removed',
  landing: 'removed',
  login_wall: 'removed',
}

/** After admission: the end that this page state means, or null. */
export function endOf(
  { kind }: PageState<PageStateKind>,
  { ownStatus }: Pick<PageSnapshot, 'ownStatus'>,
): MeetingEnd | null {
  const end = AFTER_ADMISSION[kind]
  if (end) return end
  // The bot's status in the roster, if the page has no words for it (yet).
  const isMeeting = ['in_call', 'disturbed', 'reconnecting'].includes(PAGE_PHASES[kind])
  if (!isMeeting && ownStatus === REMOVED) return 'removed'
  if (kind === 'unknown' && ownStatus === OUT) return 'ended_for_all'
  return null
}
