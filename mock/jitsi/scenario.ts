/** Scenarios of Jitsi: who is usually inside, and settings that many of them share. */
import type { Scenario as BaseScenario } from '../shared/scenario.ts'
import type { ScenarioSettings } from './settings.ts'

export { ADMITTED, admitAfter, inCall, THREE, TWO, turn } from '../shared/scenario.ts'

export type Scenario = BaseScenario<ScenarioSettings & { host: string }>
