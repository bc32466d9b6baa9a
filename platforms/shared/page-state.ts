/**
 * The meaning of a page's snapshot, in terms that all platforms share. The platform knows its pages, the shared steps
 * know these terms.
 */

import type { SignalOf, SignalPlatform } from '@standin/wire/page-signals.ts'
import type { BotError } from '../../packages/core/errors.ts'
import type { MeetingEnd } from '../../packages/core/meeting/meeting.ts'
import type { WaitingFor } from '../../packages/core/ports.ts'
import type { RoomWords } from './in-call/announced-rooms.ts'
import type { CommonSnapshot } from './page/types.ts'

/** The meaning of one snapshot of the page. Kinds are the platform's own. */
export interface PageState<Kind extends string = string> {
  kind: Kind
  /** The page's wording that led to this state, for people. */
  text: string
  /** Independent signs of being in the meeting. */
  proofs: readonly string[]
}

/**
 * The phase of the join or of the meeting that a page state belongs to; the shared steps use only this and never a
 * platform's own kinds.
 */
export type PagePhase =
  /** The page before the join: it takes the name and has the button to join. */
  | 'entrance'
  /** A waiting room of any kind; never the meeting, even if the page shows signs of one. */
  | 'waiting'
  | 'in_call'
  /** In the meeting, with a dialog over it that has to be answered. */
  | 'disturbed'
  | 'reconnecting'
  /** The signs fit the waiting room as well as the meeting. */
  | 'undecided'
  /** A captcha, a prompt, or an error that may pass. */
  | 'obstacle'
  /** Loading, or an unknown page. */
  | 'unclear'
  /** The bot is neither in the meeting nor waiting for it. */
  | 'out'

/** `pre-join` until the bot asked to join, `waiting` from then until it is in. */
export type JoinStep = 'pre-join' | 'waiting'

/** A platform's knowledge of its pages: pure functions and tables for the shared steps. */
export interface PageClassifier<Snapshot extends CommonSnapshot, Kind extends string> {
  stateOf(snapshot: Snapshot): PageState<Kind>
  phases: Readonly<Record<Kind, PagePhase>>
  /** Before admission: the error of this page state, or null if it is none. `seen`: kinds of earlier polls. */
  refusalOf(state: PageState<Kind>, joinStep: JoinStep, seen: ReadonlySet<Kind>): BotError | null
  /** After admission: the end that this page state means, or null. */
  endOf(state: PageState<Kind>, snapshot: Snapshot): MeetingEnd | null
  /** After admission: an error that this page state means, which is no end of the meeting; null if it is none. */
  failureOf?(state: PageState<Kind>, snapshot: Snapshot): BotError | null
  /**
   * How long a refusal of this kind has to last before it counts; some pass, some appear for a moment only.
   * Milliseconds.
   */
  patience?: Readonly<Partial<Record<Kind, number>>>
  /** Refusals that were decided before this visit, so that the time of the answer says nothing about them. */
  decidedBefore?: readonly Kind[]
  /** The waiting room that let go of the request. */
  droppedRequest?: Kind
  /** After so long the platform itself ends the wait, in words that the bot may not know. Milliseconds. */
  longestWaitMs?: number
  /** From then on the platform may deny suspects, in the words of a denial by a person. Milliseconds. */
  deniesAfterMs?: number
  /** Answers to a request to join: after an admission they say that there was none. */
  answers?: readonly Kind[]
  /** The condition that a waiting room of this kind waits for; default: admission by a participant. */
  waitsFor?: Readonly<Partial<Record<Kind, WaitingFor>>>
  /** The signals that are counted, if the platform has such; the proofs of a state answer `in_call`. */
  signals?: {
    platform: SignalPlatform
    answeredBy(snapshot: Snapshot, state: PageState<Kind>): readonly (SignalOf<SignalPlatform> | false)[]
  }
  /** How the page says in words that breakout rooms open; absent if it shows open ones otherwise, or never. */
  roomWords?: RoomWords
  /** Two independent signs say that the bot is in. */
  isCorroborated?(state: PageState<Kind>): boolean
}
