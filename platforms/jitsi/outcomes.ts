/**
 * Maps each page state to its meaning for the bot: the error code before admission, the end reason after it. One table
 * each, without a search.
 */

import type { BotError } from '../../packages/core/errors.ts'
import type { MeetingEnd } from '../../packages/core/meeting/meeting.ts'
import { refusalError, refusals } from '../shared/join/refusal.ts'
import type { JoinStep, PageState } from '../shared/page-state.ts'
import { NOT_ALLOWED, type PageStateKind } from './page-state.ts'

const BEFORE_ADMISSION = refusals<PageStateKind>(
  {
    LOGIN_REQUIRED: {
      off_site: 'The Jitsi server sent the bot to another site to sign in ({text}).',
      login_wall: 'The Jitsi server admits people with an account only ("{text}").',
    },
    INVALID_MEETING_URL: {
      landing: 'The link led to the home page of the Jitsi server ({text}) instead of a room.',
    },
    BOT_NOT_ACCEPTED: {
      denied: 'A moderator rejected the request to join ("{text}").',
      not_allowed:
        'The Jitsi server does not let the bot into this room ("{text}"): a token may be missing or out of date.',
      removed: 'The bot was removed before it was in ("{text}").',
      unknown_end: 'Jitsi ended the attempt to join in words the bot does not know ("{text}").',
    },
    CANNOT_JOIN_MEETING: {
      password:
        'The room is locked with a password; put it behind the link as #pwd=…, or ask a moderator to unlock the room.',
      full: 'The room is full ("{text}").',
      maintenance: 'The Jitsi server is down for maintenance ("{text}").',
      reservation: 'The server\'s reservation system refused the room ("{text}").',
      too_quick: 'The Jitsi server limits how quickly rooms are made ("{text}").',
      not_connected: 'The page could not connect to its Jitsi server ("{text}").',
      reconnecting: 'The page lost its Jitsi server before the bot was in ("{text}").',
      unreachable: 'The Jitsi server could no longer be reached ({text}).',
      left: 'The page ended the visit by itself ({text}).',
    },
    EXITING_MEETING_BEFORE_RECORD: {
      lobby_closed: 'The waiting room was closed while the bot was in it ("{text}").',
      ended_for_all: 'The meeting ended while the bot was waiting ("{text}").',
      time_limit: 'The meeting ran out of its time while the bot was waiting ("{text}").',
    },
  },
  ['full', 'maintenance', 'too_quick', 'not_connected', 'reconnecting', 'unreachable', 'left'],
  {
    denied_by_person: ['denied'],
    // The page does not say who refused.
    denied_by_platform: ['removed'],
    account_required: ['off_site', 'login_wall'],
    invitation_required: ['not_allowed'],
    locked: ['password'],
    full: ['full'],
    ended: ['lobby_closed', 'ended_for_all', 'time_limit'],
    page_unknown: ['unknown_end'],
  },
)

/** Before admission: the error of this page state, or null for none. */
export function refusalOf(state: PageState<PageStateKind>, joinStep: JoinStep, hasPassword: boolean): BotError | null {
  const { kind } = state
  const refusal = kind === 'password' && hasPassword ? null : BEFORE_ADMISSION[kind]
  if (!refusal) return null
  return refusalError(state.text === NOT_ALLOWED ? { ...refusal, reason: undefined } : refusal, state.text, joinStep)
}

const AFTER_ADMISSION: Partial<Record<PageStateKind, MeetingEnd>> = {
  removed: 'removed',
  ended_for_all: 'ended_for_all',
  time_limit: 'ended_for_all',
  lobby_closed: 'ended_for_all',
  // A server gives its own reason for the end of a conference; a removal always has known words.
  unknown_end: 'ended_for_all',
  // Without a shown reason the page just goes to its home page.
  left: 'ended_for_all',
  landing: 'ended_for_all',
  off_site: 'ended_for_all',
  not_allowed: 'removed',
  denied: 'removed',
  login_wall: 'removed',
}

/** After admission: the end that this page state means, or null. */
export function endOf(state: PageState<PageStateKind>): MeetingEnd | null {
  return AFTER_ADMISSION[state.kind] ?? null
}
