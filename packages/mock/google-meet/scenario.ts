/** Scenarios of Google Meet: who is usually inside, and settings that many of them share. */
import type { Scenario as BaseScenario } from '../shared/scenario.ts'
import type { MockPerson } from '../types.ts'
import type { ScenarioSettings } from './settings.ts'

export { ADMITTED, admitAfter, inCall, turn } from '../shared/scenario.ts'

export type Scenario = BaseScenario<ScenarioSettings>

export const DEFAULT_PEOPLE: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'bob', name: 'Bob Berg', camera: false, muted: true },
]

export const THREE: MockPerson[] = [...DEFAULT_PEOPLE, { id: 'cleo', name: 'Cléo Ñandú', camera: true }]

export const STRAIGHT_IN: Partial<ScenarioSettings> = { afterJoin: 'call' }
