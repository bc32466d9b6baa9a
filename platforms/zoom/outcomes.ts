/**
 * Maps each page state to its outcome, before and after admission. Pure.
 * docs/platform-notes/zoom.md#web-client-outcomes and #outcomes-in-the-meeting.
 */

import type { BotError } from '../../packages/core/errors.ts'
import type { MeetingEnd } from '../../packages/core/meeting/meeting.ts'
import { type Refusal, refusalError, refusals } from '../shared/join/refusal.ts'
import type { JoinStep } from '../shared/page-state.ts'
import type { PageState, PageStateKind } from './page-state.ts'

const BEFORE_ADMISSION = refusals<PageStateKind>(
  {
    CANNOT_JOIN_MEETING: {
      off_site: 'The page left Zoom for {text} before the bot was in.',
      registration: 'The meeting asks for a registration ({text}); give the personal link that Zoom sends after it.',
      client_blocked: 'Zoom blocks this client from the meeting ("{text}").',
      browser_off: 'The meeting cannot be joined from a browser ("{text}").',
      locked: 'The host has locked the meeting ("{text}").',
      full: 'The meeting is full ("{text}").',
      elsewhere: 'The same participant is in the meeting on another device ("{text}").',
      join_failed: 'Zoom could not connect the bot to the meeting ("{text}").',
      went_wrong: 'Zoom\'s page broke down ("{text}"); a machine that is too slow can be the reason.',
      wrong_passcode: 'Zoom did not accept the passcode ("{text}").',
    },
    LOGIN_REQUIRED: {
      login_wall: 'The meeting admits only people who are signed in to Zoom ("{text}").',
    },
    BOT_NOT_ACCEPTED: {
      bot_wall:
        'Zoom does not admit bots to this meeting ("{text}"). The host can change that, or the bot joins through the Meeting SDK.',
      captcha: 'Zoom showed a captcha ("{text}"), which the bot does not solve.',
      removed_before: 'The host removed the bot from this meeting earlier, and Zoom keeps it out ("{text}").',
      removed: 'The host removed the bot from the waiting room ("{text}").',
      left: 'Zoom ended the attempt to join without saying why ("{text}").',
    },
    MEETING_ENDED_PREMATURELY: {
      ended: 'The meeting ended before the bot was in ("{text}").',
      free_limit: 'The free meeting\'s time was over before the bot was in ("{text}").',
    },
  },
  ['off_site', 'join_failed', 'went_wrong'],
  {
    denied_by_person: ['removed', 'removed_before'],
    denied_by_platform: ['client_blocked', 'left'],
    policy_blocks_bots: ['bot_wall'],
    account_required: ['login_wall'],
    invitation_required: ['registration'],
    locked: ['locked'],
    full: ['full'],
    ended: ['ended', 'free_limit'],
    captcha: ['captcha'],
  },
)

/** Zoom names the way that it wants bots to go. */
const RTMS = /\bRTMS\b/

/** Before the bot asked, no person can have refused: the page is simply not the meeting's. */
const LEFT_BEFORE_ASKING: Refusal = {
  code: 'CANNOT_JOIN_MEETING',
  sentence: 'The link led to another page of Zoom ({text}) instead of a meeting.',
}

/** Before admission: the error of this page state, or null for none. */
export function refusalOf({ kind, text }: PageState, joinStep: JoinStep): BotError | null {
  const refusal = kind === 'left' && joinStep === 'pre-join' ? LEFT_BEFORE_ASKING : BEFORE_ADMISSION[kind]
  if (!refusal) return null
  const isRtms = kind === 'bot_wall' && RTMS.test(text)
  return refusalError(isRtms ? { ...refusal, reason: 'rtms_required' } : refusal, text, joinStep)
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
