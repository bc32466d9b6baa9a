/** The states of a visit, and what it needs from its meeting. */
import type { FinalState } from './final-states.ts'
import type { FromPage, PagePerson } from './page/protocol.ts'
import type { ScenarioSettings } from './settings.ts'
import type { Visit } from './visit.ts'

/** What a visit needs from its meeting. */
export interface VisitMeeting {
  readonly settings: ScenarioSettings
  readonly speed: number
  readonly seed: number
  namesInside(): string[]
  /** Everybody with the bot as it is shown to itself. */
  peopleFor(self: string, botName: string): PagePerson[]
  note(message: Extract<FromPage, { say: 'log' }>): void
  stateChanged(visit: Visit, state: string): void
  botJoined(visit: Visit): void
  chatFromBot(visit: Visit, text: string): void
  endedByBot(): void
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
  | 'consent'
  | 'call'
  | 'reconnecting'
  | 'alonePrompt'
  | 'closed'
  | FinalState

/** States of somebody who is in the call, or nearly. */
export const IN_CALL: readonly string[] = ['consent', 'call', 'reconnecting', 'alonePrompt']
