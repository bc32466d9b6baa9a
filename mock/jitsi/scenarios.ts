import type { Scenario } from './scenario.ts'
import { CALL_SCENARIOS } from './scenarios-call.ts'
import { DOOR_SCENARIOS } from './scenarios-door.ts'

export const SCENARIOS: Record<string, Scenario> = { ...DOOR_SCENARIOS, ...CALL_SCENARIOS }
