/** A meeting page without a browser: it shows what the test says, look by look, and notes what is pressed. */

import { BotError } from '../../../packages/core/errors.ts'
import { silentLogger } from '../../../packages/core/logger.ts'
import type { AskGate } from '../../../packages/core/ports.ts'
import { OPEN_GATE } from '../../../platforms/shared/join/ahead.ts'
import type { CommonSnapshot, PageEvent } from '../../../platforms/shared/page/types.ts'
import type { MeetingPage } from '../../../platforms/shared/page-access/meeting-page.ts'
import type { PageClassifier, PagePhase, PageState } from '../../../platforms/shared/page-state.ts'
import { REAL_WAITS, type Waits } from '../../../platforms/shared/waits.ts'
import type { HandClock } from '../../fakes/clock.ts'

export type Kind =
  | 'entrance'
  | 'lobby'
  | 'call'
  | 'lost'
  | 'captcha'
  | 'odd'
  | 'denied'
  | 'over'
  | 'gave_up'
  | 'broken'
  | 'either'

export interface ScriptedSigns extends CommonSnapshot {
  kind: Kind
}

const PAGE_PHASES: Record<Kind, PagePhase> = {
  entrance: 'entrance',
  lobby: 'waiting',
  call: 'in_call',
  lost: 'reconnecting',
  captcha: 'obstacle',
  odd: 'unclear',
  denied: 'out',
  over: 'out',
  gave_up: 'out',
  broken: 'out',
  either: 'undecided',
}

export const SENSE: PageClassifier<ScriptedSigns, Kind> = {
  stateOf: ({ kind }): PageState<Kind> => ({ kind, text: `it shows ${kind}`, proofs: [] }),
  phases: PAGE_PHASES,
  refusalOf({ kind }) {
    if (kind === 'denied') return new BotError('BOT_NOT_ACCEPTED', 'denied')
    if (kind === 'gave_up')
      return new BotError('TIMEOUT_WAITING_TO_START', 'gave up', { reason: 'waiting_ended_by_platform' })
    if (kind === 'captcha') return new BotError('CANNOT_JOIN_MEETING', 'captcha')
    return null
  },
  endOf: ({ kind }) => (kind === 'over' ? 'ended_for_all' : null),
  failureOf: ({ kind }) => (kind === 'broken' ? new BotError('CANNOT_JOIN_MEETING', 'encrypted') : null),
  patience: { captcha: 10_000 },
  waitsFor: { lobby: 'host' },
}

/** Reads `lobby 5, nothing 1 → 2`: what a page shows for how many seconds, and a count if there is one. */
export function looksOf(story: string): { kind: Kind | null; seconds: number; count: number | null }[] {
  return story.split(', ').map((look) => {
    const [, kind, seconds, count] = /^(\w+) ([\d.]+)(?: → (\d+))?$/.exec(look)!
    if (kind !== 'nothing' && !(kind! in PAGE_PHASES)) throw new Error(`No page shows ${kind}`)
    return {
      kind: kind === 'nothing' ? null : (kind as Kind),
      seconds: Number(seconds),
      count: count ? Number(count) : null,
    }
  })
}

export class ScriptedPage {
  /** The current kind of page; null for a page between two documents. */
  shows: Kind | null = 'odd'
  events: PageEvent[] = []
  document = 1
  readonly asked: string[] = []
  readonly pressed: string[] = []
  gate: AskGate = OPEN_GATE
  unread: Record<string, number> = {}
  callGoneAt: number | null = null
  refused = 0
  /** Events that the page dropped so far. */
  dropped = 0
  readonly #clock: HandClock
  #hasBegun = false
  #seen = 0
  #last: ScriptedSigns | null = null

  constructor(clock: HandClock) {
    this.#clock = clock
  }

  /** Another document takes the place of this one. */
  reload(): void {
    this.document += 1
    this.#hasBegun = false
  }

  /** As the shared parts know it. Only what they use is there. */
  asPage(waits: Partial<Waits> = {}): MeetingPage<ScriptedSigns> {
    const scripted = this
    const page = {
      clock: this.#clock,
      logger: silentLogger,
      gate: this.gate,
      waits: { ...REAL_WAITS, ...waits },
      browser: { whenEnded: new Promise<string>(() => {}), ended: null },
      get lastSnapshot() {
        return scripted.#last
      },
      poll: async () => {
        if (this.shows === null) return null
        const isNewDocument = this.#seen !== this.document
        this.#seen = this.document
        this.#last = this.#signs(this.shows)
        return {
          snapshot: this.#last,
          events: this.events.splice(0),
          isNewDocument,
          hasBegun: this.#hasBegun,
          dropped: this.dropped,
        }
      },
      ask: async (method: string) => {
        this.asked.push(method)
        if (method === 'begin') this.#hasBegun = true
        return null
      },
      press: async (name: string) => {
        this.pressed.push(name)
        return true
      },
      wakePointer: async () => {},
      get refused() {
        return scripted.refused
      },
      enterCall: () => {},
    }
    return page as unknown as MeetingPage<ScriptedSigns>
  }

  #signs(kind: Kind): ScriptedSigns {
    const { unread, callGoneAt } = this
    return {
      ...{ url: 'https://meeting.test/', lang: 'en', lines: [], headings: [], dialogs: [] },
      ...{ at: this.#clock.now(), kind, microphone: 'off', camera: 'off', others: 2, unread, callGoneAt },
    }
  }
}
