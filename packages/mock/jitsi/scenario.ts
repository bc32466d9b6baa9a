/** Scenarios of Jitsi: who is usually inside, and settings that many of them share. */
import type { Scenario as BaseScenario } from '../shared/scenario.ts'
import type { ScenarioSettings } from './settings.ts'

export { ADMITTED, inCall, TWO } from '../shared/scenario.ts'

export type Scenario = BaseScenario<ScenarioSettings>
