/**
 * Maps each page state to its outcome, before and after admission. Pure.
 * docs/platform-notes/zoom.md#web-client-outcomes and #outcomes-in-the-meeting.
 */

import type { BotError } from '../../core/errors.ts'
import type { MeetingEnd } from '../../core/meeting/meeting.ts'
import { type Refusal, refusalError } from '../shared/join/refusal.ts'
import type { JoinStep } from '../shared/page-state.ts'
import type { PageState, PageStateKind } from './page-state.ts'

const BEFORE_ADMISSION: Partial<Record<PageStateKind, Refusal>> = {
  off_site: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: 'The page left Zoom for {text} before the bot was in.',
    canRetry: true,
  },
  login_wall: {
    code: 'LOGIN_REQUIRED',
    sentence: 'The meeting admits only people who are signed in to Zoom ("{text}").',
  },
  registration: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: 'The meeting asks for a registration ({text}); give the personal link that Zoom sends after it.',
  },
  bot_wall: {
    code: 'BOT_NOT_ACCEPTED',
    sentence:
      'Zoom does not admit bots to this meeting ("{text}"). The host can change that, or the bot joins through the Meeting SDK.',
  },
  captcha: {
    code: 'BOT_NOT_ACCEPTED',
    sentence: 'Zoom showed a captcha ("{text}"), which the bot does not solve.',
  },
  client_blocked: { code: 'CANNOT_JOIN_MEETING', sentence: 'Zoom blocks this client from the meeting ("{text}").' },
  browser_off: { code: 'CANNOT_JOIN_MEETING', sentence: 'The meeting cannot be joined from a browser ("{text}").' },
  removed_before: {
    code: 'BOT_NOT_ACCEPTED',
    sentence: 'The host removed the bot from this meeting earlier, and Zoom keeps it out ("{text}").',
  },
  locked: { code: 'CANNOT_JOIN_MEETING', sentence: 'The host has locked the meeting ("{text}").' },
  full: { code: 'CANNOT_JOIN_MEETING', sentence: 'The meeting is full ("{text}").' },
  elsewhere: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: 'The same participant is in the meeting on another device ("{text}").',
  },
  removed: { code: 'BOT_NOT_ACCEPTED', sentence: 'The host removed the bot from the waiting room ("{text}").' },
  ended: { code: 'MEETING_ENDED_PREMATURELY', sentence: 'The meeting ended before the bot was in ("{text}").' },
  free_limit: {
    code: 'MEETING_ENDED_PREMATURELY',
    sentence: 'The free meeting\'s time was over before the bot was in ("{text}").',
  },
  left: {
    code: 'BOT_NOT_ACCEPTED',
    sentence: 'Zoom ended the attempt to join without saying why ("{text}").',
  },
  join_failed: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: 'Zoom could not connect the bot to the meeting ("{text}").',
    canRetry: true,
  },
  went_wrong: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: 'Zoom\'s page broke down ("{text}"); a machine that is too slow can be the reason.',
    canRetry: true,
  },
  wrong_passcode: { code: 'CANNOT_JOIN_MEETING', sentence: 'Zoom did not accept the passcode ("{text}").' },
}

/** Before the bot asked, no person can have refused: the page is simply not the meeting's. */
const LEFT_BEFORE_ASKING: Refusal = {
  code: 'CANNOT_JOIN_MEETING',
  sentence: 'The link led to another page of Zoom ({text}) instead of a meeting.',
}

/** Before admission: the error of this page state, or null for none. */
export function refusalOf({ kind, text }: PageState, joinStep: JoinStep): BotError | null {
  const refusal = kind === 'left' && joinStep === 'pre-join' ? LEFT_BEFORE_ASKING : BEFORE_ADMISSION[kind]
  return refusal ? refusalError(refusal, text, joinStep) : null
}

const AFTER_ADMISSION: Partial<Record<PageStateKind, MeetingEnd>> = {
  removed: 'removed',
  removed_before: 'removed',
  ended: 'ended_for_all',
  free_limit: 'ended_for_all',
  // The page after a meeting, without a reason.
  left: 'ended_for_all',
  launch_page: 'ended_for_all',
  // Another client joined with the same identity, and this window is left.
  elsewhere: 'ended_for_all',
  off_site: 'removed',
  login_wall: 'removed',
  bot_wall: 'removed',
}

/** After admission: the end that this page state means, or null. */
export function endOf({ kind }: PageState): MeetingEnd | null {
  return AFTER_ADMISSION[kind] ?? null
}
