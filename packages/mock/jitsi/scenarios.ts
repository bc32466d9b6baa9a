import { scenariosOf } from '../shared/access-modes.ts'
import { ACCESS_MODES } from './access-modes.ts'
import type { Scenario } from './scenario.ts'
import { CALL_SCENARIOS } from './scenarios-call.ts'
import { JOIN_SCENARIOS } from './scenarios-join.ts'

export const SCENARIOS: Record<string, Scenario> = {
  ...JOIN_SCENARIOS,
  ...CALL_SCENARIOS,
  ...scenariosOf(ACCESS_MODES),
}
