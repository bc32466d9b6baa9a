/** The states of a visit, and what it needs from its meeting. */
import type { VisitHost } from '../shared/visit.ts'
import { FINAL_VIEWS, type FinalState } from './final-states.ts'
import type { PagePerson } from './page/protocol.ts'
import type { ScenarioSettings } from './settings.ts'

/** The parts of the meeting that a visit uses. */
export interface VisitMeeting extends VisitHost {
  readonly settings: ScenarioSettings
  namesInside(): string[]
  /** A request was denied, by a person or by the platform. */
  denied(): void
  /** All people, with the bot as its own page shows it. */
  peopleFor(self: string, botName: string): PagePerson[]
}

export type VisitState =
  | 'boot'
  | 'loading'
  | 'devicePrompt'
  | 'signinPromo'
  | 'greenRoom'
  | 'joining'
  | 'waitingForHost'
  | 'lobby'
  | 'suspected'
  | 'consent'
  | 'call'
  | 'reconnecting'
  | 'alonePrompt'
  | 'closed'
  | FinalState

export const STATES = {
  waiting: ['lobby', 'suspected', 'waitingForHost'],
  /** In the call, or nearly. */
  inCall: ['consent', 'call', 'reconnecting', 'alonePrompt'],
  over: [...Object.keys(FINAL_VIEWS), 'invalid', 'expired'],
} as const satisfies Record<string, readonly string[]>
