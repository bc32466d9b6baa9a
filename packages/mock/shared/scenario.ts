/** The types of a scenario, and the helpers that write its timeline. */
import type { MockPerson } from '../types.ts'

export interface Step {
  /** Counted from when the page enters this state. */
  in: string
  /** Milliseconds at speed 1. */
  afterMs: number
  do: 'admit' | 'deny' | 'endForAll' | 'addPerson' | 'startSpeaking' | 'stopSpeaking' | 'say' | 'show'
  with?: string[]
}

export interface Scenario<Settings = unknown> {
  /** Description of the scenario in one sentence. */
  about: string
  settings?: Partial<Settings>
  /** Who is inside when the bot comes. Default: the platform's usual people. */
  people?: MockPerson[]
  timeline?: Step[]
}

export const TWO: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'bob', name: 'Bob Berg', camera: true },
]

export const THREE: MockPerson[] = [...TWO, { id: 'cleo', name: 'Cléo Ñandú', camera: true }]

export function admitAfter(afterMs: number): Step {
  return { in: 'lobby', afterMs, do: 'admit' }
}

export function inCall(seconds: number, what: Step['do'], ...args: string[]): Step {
  return { in: 'call', afterMs: seconds * 1000, do: what, with: args }
}

export function turn(id: string, from: number, to: number): Step[] {
  return [inCall(from, 'startSpeaking', id), inCall(to, 'stopSpeaking', id)]
}

/** The bot is admitted after a moment; no other events. */
export const ADMITTED: Step[] = [admitAfter(2000)]

type Timed = [timeline?: Step[], people?: MockPerson[]]
const timed = ([timeline, people]: Timed) => ({ ...(timeline && { timeline }), ...(people && { people }) })

/** A meeting with a waiting room, out of which the host lets the bot after a moment. */
export function admitted<Settings>(
  about: string,
  settings?: Partial<Settings>,
  people?: MockPerson[],
): Scenario<Settings> {
  return { about, ...(settings && { settings }), ...timed([ADMITTED, people]) }
}

/** A meeting that guests enter without a waiting room. */
export function open<Settings>(about: string, settings: Partial<Settings>, ...more: Timed): Scenario<Settings> {
  return { about, settings: { ...{ afterJoin: 'call' }, ...settings }, ...timed(more) }
}
