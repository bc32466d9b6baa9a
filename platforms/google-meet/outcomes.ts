/** Maps each page state to its outcome, before and after admission. Pure. */

import type { BotError } from '../../packages/core/errors.ts'
import type { MeetingEnd } from '../../packages/core/meeting/meeting.ts'
import { refusalError, refusals } from '../shared/join/refusal.ts'
import type { JoinStep, PageState } from '../shared/page-state.ts'
import type { PageSnapshot } from './page/types.ts'
import { PAGE_PHASES, type PageStateKind } from './page-state.ts'

/** Statuses of the bot's own device in the roster. */
export const OUT = 6
export const REMOVED = 7

const BEFORE_ADMISSION = refusals<PageStateKind>(
  {
    INVALID_MEETING_URL: {
      invalid_code: 'Google Meet does not know this meeting code ("{text}").',
      landing: 'The link led to the home page of Google Meet ({text}) instead of a meeting.',
    },
    CANNOT_JOIN_MEETING: {
      expired_code: 'The meeting code has expired ("{text}").',
      marketing: 'Google Meet sent the bot away from the meeting to {text}.',
      off_site: 'The page left Google Meet for {text} before the bot was in.',
      call_error: 'Google Meet could not start the call ("{text}").',
      captcha: 'Google Meet showed a captcha, which the bot does not solve; it was not solved in time.',
      full: 'The meeting is full ("{text}").',
    },
    LOGIN_REQUIRED: {
      login_wall: 'Google Meet asked the bot to sign in ({text}).',
      credentials_lost: 'The account of the bot is no longer signed in ("{text}").',
    },
    BOT_NOT_ACCEPTED: {
      blocked: 'Google Meet refused the bot ("{text}"): guests may be off, or the meeting admits invited people only.',
      denied: 'A participant denied the request to join ("{text}").',
      // Unless the bot left by itself, an active denial looks like this too.
      left: 'The request to join was turned down ("{text}").',
      removed: 'The bot was removed before it was in ("{text}").',
      unverified: 'Google Meet removes participants who are not signed in from this meeting ("{text}").',
      unknown_end: 'Google Meet ended the attempt to join in words the bot does not know ("{text}").',
    },
    TIMEOUT_WAITING_TO_START: {
      request_timed_out: 'The request to join was not answered until Google Meet gave up ("{text}").',
    },
    EXITING_MEETING_BEFORE_RECORD: {
      ended_for_all: 'The meeting ended while the bot was waiting ("{text}").',
      everyone_left: 'All participants left while the bot was waiting ("{text}").',
    },
  },
  // Most refusals of the kind `blocked` do not happen again in a new attempt.
  ['blocked', 'marketing', 'off_site', 'call_error'],
  {
    denied_by_person: ['denied'],
    // The page does not say who refused.
    denied_by_platform: ['blocked', 'left', 'removed'],
    account_required: ['login_wall', 'credentials_lost'],
    waiting_ended_by_platform: ['request_timed_out'],
    full: ['full'],
    ended: ['ended_for_all', 'everyone_left'],
    ejected_as_unverified: ['unverified'],
    captcha: ['captcha'],
    page_unknown: ['unknown_end'],
  },
)

/** Before admission: the error of this page state, or null for none. `seen`: kinds that came before. */
export function refusalOf(
  state: PageState<PageStateKind>,
  joinStep: JoinStep,
  seen: ReadonlySet<PageStateKind> = new Set(),
): BotError | null {
  const kind = seen.has('blocked') && state.kind === 'marketing' ? 'blocked' : state.kind
  const refusal = BEFORE_ADMISSION[kind]
  if (!refusal) return null
  // Before the bot asks to join no host can have denied it.
  const code = joinStep === 'pre-join' && kind === 'unknown_end' ? 'CANNOT_JOIN_MEETING' : refusal.code
  return refusalError({ ...refusal, code }, state.text, joinStep)
}

const AFTER_ADMISSION: Partial<Record<PageStateKind, MeetingEnd>> = {
  removed: 'removed',
  unverified: 'removed',
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
  credentials_lost: 'removed',
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
