/** Maps each page state to its outcome, before and after admission. Pure. */

import type { BotError } from '../../packages/core/errors.ts'
import type { MeetingEnd } from '../../packages/core/meeting/meeting.ts'
import { type Refusal, refusalError, refusals } from '../shared/join/refusal.ts'
import type { JoinStep, PageState } from '../shared/page-state.ts'
import type { PageSnapshot } from './page/types.ts'
import { noticeKind, PAGE_PHASES, type PageStateKind } from './page-state.ts'

/** docs/platform-notes/microsoft-teams.md#outcomes. A retry, if one can help, always uses a fresh browser. */
const BEFORE_ADMISSION = refusals<PageStateKind>(
  {
    INVALID_MEETING_URL: {
      not_found:
        'Microsoft Teams found no meeting for this link ("{text}"): number or passcode may be wrong, or the meeting is over.',
      no_page: 'Microsoft Teams has no page for this link ({text}).',
      bad_link: 'Microsoft Teams does not take this link ("{text}").',
    },
    CANNOT_JOIN_MEETING: {
      server_error: 'The server of Microsoft Teams failed on the way to the meeting ({text}).',
      captcha: 'Microsoft Teams showed a captcha, which the bot does not solve; it was not solved in time.',
      captcha_failed: 'Microsoft Teams did not take the answer to its captcha ("{text}").',
      could_not_connect: 'Microsoft Teams did not connect the bot ("{text}").',
      encryption_error: 'The meeting is end-to-end encrypted, which no guest in a browser can join ("{text}").',
      unsupported_browser: 'Microsoft Teams does not run in this browser ("{text}").',
      locked: 'The organizer has locked the meeting ("{text}").',
      full: 'The meeting is full ("{text}").',
      off_site: 'The page left Microsoft Teams for {text} before the bot was in.',
      unknown_end: 'Microsoft Teams ended the attempt to join in words the bot does not know ("{text}").',
    },
    LOGIN_REQUIRED: {
      sign_in_page: 'Microsoft Teams asked the bot to sign in ({text}).',
      sign_in_wall: 'The meeting admits signed-in people only ("{text}").',
      organization_policy: 'The organization\'s policy keeps guests out of the meeting ("{text}").',
    },
    TIMEOUT_WAITING_TO_START: {
      not_started: 'The event has not begun and admits no guests before ("{text}").',
      no_response: 'The request to join was not answered until Microsoft Teams gave up ("{text}").',
    },
    BOT_NOT_ACCEPTED: {
      bots_blocked: 'A policy keeps bots out of the meeting ("{text}").',
      denied: 'A participant denied the request to join ("{text}").',
      removed: 'The bot was removed before it was in ("{text}").',
      left: 'The request to join was turned down ("{text}").',
    },
    EXITING_MEETING_BEFORE_RECORD: {
      ended_for_all: 'The meeting ended while the bot was waiting ("{text}").',
    },
  },
  ['server_error', 'could_not_connect', 'off_site'],
  {
    denied_by_person: ['denied'],
    // The page does not say who refused.
    denied_by_platform: ['left', 'removed'],
    policy_blocks_bots: ['bots_blocked'],
    policy_blocks_guests: ['organization_policy'],
    account_required: ['sign_in_page', 'sign_in_wall'],
    waiting_ended_by_platform: ['no_response'],
    not_started: ['not_started'],
    locked: ['locked'],
    full: ['full'],
    ended: ['ended_for_all'],
    captcha: ['captcha', 'captcha_failed'],
    page_unknown: ['unknown_end'],
  },
)

/** An end without known words, after the lobby. */
const LOBBY_ENDED: Refusal = {
  code: 'BOT_NOT_ACCEPTED',
  sentence: 'Microsoft Teams ended the wait in the lobby in words the bot does not know ("{text}").',
  reason: 'page_unknown',
}

/** Before admission: the error of this page state, or null for none. */
export function refusalOf(
  state: PageState<PageStateKind>,
  joinStep: JoinStep,
  seen: ReadonlySet<PageStateKind>,
): BotError | null {
  const isAnswer = state.kind === 'unknown_end' && (seen.has('lobby') || seen.has('waiting_for_host'))
  const refusal = isAnswer ? LOBBY_ENDED : BEFORE_ADMISSION[state.kind]
  return refusal ? refusalError(refusal, state.text, joinStep) : null
}

const AFTER_ADMISSION: Partial<Record<PageStateKind, MeetingEnd>> = {
  removed: 'removed',
  denied: 'removed',
  bots_blocked: 'removed',
  organization_policy: 'removed',
  sign_in_wall: 'removed',
  sign_in_page: 'removed',
  ended_for_all: 'ended_for_all',
  // By another device of the same person, or in words we do not know.
  left: 'ended_for_all',
  unknown_end: 'ended_for_all',
  not_found: 'ended_for_all',
  could_not_connect: 'ended_for_all',
}

/**
 * How long the toolbar is missing from an otherwise unchanged page before the call counts as over: longer than the page
 * takes to render itself again.
 */
export const LEAVE_GONE_MS = 8000

/** After admission: the end that this page state means, or null. */
export function endOf({ kind }: PageState<PageStateKind>, snapshot: PageSnapshot): MeetingEnd | null {
  const end = AFTER_ADMISSION[kind]
  if (end) return isDoubtful(kind, snapshot) ? null : end
  const isElsewhere = ['waiting', 'entrance', 'reconnecting'].includes(PAGE_PHASES[kind])
  if (snapshot.leaveControl || isElsewhere) return null
  // Where the page has no words (yet), the meeting's signalling reports the end.
  const noticed = noticeKind(snapshot)
  if (noticed) return AFTER_ADMISSION[noticed] ?? 'ended_for_all'
  return snapshot.leaveGoneMs !== null && snapshot.leaveGoneMs >= LEAVE_GONE_MS ? 'ended_for_all' : null
}

/** A screen that no real page was seen to have, in unknown words, while the call still receives sound. */
function isDoubtful(kind: PageStateKind, { endNotice, leaveGoneMs, receivesSound }: PageSnapshot): boolean {
  const isWordless = kind === 'unknown_end' && endNotice === null
  return isWordless && receivesSound === true && leaveGoneMs !== null && leaveGoneMs < LEAVE_GONE_MS
}

/** After admission: the error of this page state, or null. */
export function failureOf(state: PageState<PageStateKind>): BotError | null {
  return state.kind === 'encryption_error' ? refusalOf(state, 'waiting', new Set()) : null
}
