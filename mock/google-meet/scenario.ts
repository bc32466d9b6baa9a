/** What a scenario is, and the words its timeline is written in. */
import type { MockPerson } from '../types.ts'
import type { ScenarioSettings } from './settings.ts'
import type { VisitState } from './visit-types.ts'

export interface Step {
  /** Counted from when the page enters this state. */
  in: VisitState
  /** At speed 1. */
  afterMs: number
  do:
    | 'admit'
    | 'deny'
    | 'remove'
    | 'endForAll'
    | 'everyoneLeaves'
    | 'addPerson'
    | 'removePerson'
    | 'startSpeaking'
    | 'stopSpeaking'
    | 'startSharing'
    | 'stopSharing'
    | 'say'
    | 'chatOff'
    | 'muteBot'
    | 'loseConnection'
    | 'regainConnection'
    | 'show'
  with?: string[]
}

export interface Scenario {
  /** What happens, in a sentence for people. */
  about: string
  settings?: Partial<ScenarioSettings>
  /** Who is inside when the bot comes; `DEFAULT_PEOPLE` where a scenario names nobody. */
  people?: MockPerson[]
  timeline?: Step[]
}

export const DEFAULT_PEOPLE: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'bob', name: 'Bob Berg', camera: false, muted: true },
]

export const THREE: MockPerson[] = [...DEFAULT_PEOPLE, { id: 'cleo', name: 'Cléo Ñandú', camera: true }]

export function admitAfter(afterMs: number): Step {
  return { in: 'lobby', afterMs, do: 'admit' }
}

export const inCall = (seconds: number, what: Step['do'], ...args: string[]): Step => ({
  in: 'call',
  afterMs: seconds * 1000,
  do: what,
  with: args,
})

export function turn(id: string, from: number, to: number): Step[] {
  return [inCall(from, 'startSpeaking', id), inCall(to, 'stopSpeaking', id)]
}

/** Admitted after a moment, without anything else. */
export const ADMITTED: Step[] = [admitAfter(2000)]
export const STRAIGHT_IN: Partial<ScenarioSettings> = { afterJoin: 'call' }
