/** The states of a visit, and what it needs from its meeting. */
import type { VisitHost } from '../shared/visit.ts'
import type { BotTokenState } from './bot-token.ts'
import type { PagePerson, RetryKind } from './page/protocol.ts'
import type { ScenarioSettings } from './settings.ts'
import type { TeamsVisit } from './visit.ts'

export interface TeamsVisitMeeting extends VisitHost {
  readonly settings: ScenarioSettings
  /** The path of the light client for this meeting. */
  lightPath(): string
  /** All people, with the bot as its own page shows it. */
  peopleFor(visit: TeamsVisit): PagePerson[]
  /** True once for each name: for events that happen in one visit only. */
  isFirst(what: string): boolean
  readonly botToken: BotTokenState | null
  identify(token: string): void
  pushEnd(subCode: number, phrase: string, isByHost: boolean): void
  systemLine(visit: TeamsVisit, text: string): void
}

/** Kinds of the retry screen by the state they are; one that is missing has its own name. */
export const RETRY_STATES: Partial<Record<RetryKind, string>> = {
  notFound: 'invalid',
  declined: 'denied',
  notAdmitted: 'denied',
  noResponse: 'requestTimeout',
  removedAlt: 'removed',
}

export const STATES = {
  waiting: ['lobby', 'suspected'],
  inCall: ['call', 'reconnecting'],
  over: [
    'invalid',
    'denied',
    'requestTimeout',
    'removed',
    'botsBlocked',
    'locked',
    'full',
    'hostEnded',
    'left',
    'couldNotConnect',
    'captchaFailed',
    'encrypted',
    'signInWall',
    'notStarted',
    'malformed',
    'vanished',
  ],
} as const satisfies Record<string, readonly string[]>
