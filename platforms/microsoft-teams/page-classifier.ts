/** The driver's knowledge of the pages of Microsoft Teams, in the form that the shared join steps need. */

import type { SignalOf } from '@standin/wire/page-signals.ts'
import { BotError } from '../../packages/core/errors.ts'
import { saidIn } from '../shared/in-call/announced-rooms.ts'
import type { PageClassifier, PageState } from '../shared/page-state.ts'
import type { Waits } from '../shared/waits.ts'
import { matches } from '../shared/words.ts'
import { endOf, failureOf, refusalOf } from './outcomes.ts'
import type { PageSnapshot } from './page/types.ts'
import { isHeld, PAGE_PHASES, type PageStateKind, stateOf } from './page-state.ts'
import { WORDS } from './words.ts'

/**
 * The silent sign-in passes through a sign-in host for a moment, at every join and maybe later; a sign-in wall stays
 * (docs/platform-notes/microsoft-teams.md#redirects-before-the-pre-join-page).
 */
export const SIGN_IN_STANDS_MS = 3000
const OFF_SITE_STANDS_MS = 5000

export function teamsClassifier(
  waits: Pick<Waits, 'captchaMs' | 'lobbyMs'>,
  expectsAccount: boolean,
): PageClassifier<PageSnapshot, PageStateKind> & { failureOf: typeof failureOf } {
  return {
    stateOf,
    phases: PAGE_PHASES,
    refusalOf(state, joinStep, seen) {
      const refusal = refusalOf(state, joinStep, seen)
      // An account does not help against a policy that excludes this very account.
      if (expectsAccount && state.kind === 'organization_policy' && refusal)
        return new BotError('CANNOT_JOIN_MEETING', refusal.message, { step: joinStep })
      return refusal
    },
    endOf,
    failureOf,
    patience: { captcha: waits.captchaMs, sign_in_page: SIGN_IN_STANDS_MS, off_site: OFF_SITE_STANDS_MS },
    waitsFor: { waiting_for_host: 'host' },
    droppedRequest: 'lobby_dropped',
    longestWaitMs: waits.lobbyMs,
    isCorroborated: ({ proofs }) => proofs.length > 1,
    roomWords: WORDS.rooms,
    signals: { platform: 'teams', answeredBy },
  }
}

/** The signals that a snapshot shows; the page notes those of its elements itself. */
function answeredBy(snapshot: PageSnapshot, { kind, text }: PageState<PageStateKind>): (SignalOf<'teams'> | false)[] {
  const { endNotice, leaveGoneMs, peopleCount, rosterSource } = snapshot
  const says = (expressions: readonly RegExp[]) => snapshot.lines.some((line) => matches(expressions, line))
  const ends: Partial<Record<PageStateKind, readonly RegExp[]>> = WORDS.states
  return [
    snapshot.lobby && 'lobby.screen',
    (says(WORDS.states.lobby) || says(WORDS.states.waiting_for_host)) && 'lobby.words',
    isHeld(snapshot) && 'lobby.held_button',
    peopleCount !== null && 'people_count.badge',
    (rosterSource === 'push' || rosterSource === 'call') && 'people_count.roster',
    matches(ends[kind] ?? [], text) && 'out.words',
    endNotice !== null && 'out.signalling',
    leaveGoneMs !== null && 'out.no_toolbar',
    saidIn(snapshot).some((text) => matches(WORDS.rooms.open, text)) && 'rooms.words',
  ]
}
