/** The mock's scenarios as data: the look of each page load, and the timeline. */
import { scenariosOf } from '../shared/access-modes.ts'
import { TWO } from '../shared/scenario.ts'
import { ACCESS_MODES } from './access-modes.ts'
import { type Scenario, STRAIGHT_IN } from './scenario.ts'
import { CALL_SCENARIOS } from './scenarios-call.ts'
import { JOIN_SCENARIOS } from './scenarios-join.ts'

/** Names that every platform has for the same thing. */
const COMMON_SCENARIOS: Record<string, Scenario> = {
  'waiting-room': { about: 'A join request that waits until the host decides.', people: TWO },
  open: { about: 'No waiting room: straight into the meeting.', people: TWO, settings: STRAIGHT_IN },
  'invalid-link': {
    about: 'A link to a meeting that does not exist.',
    settings: { load: 'invalid-code', loadingMs: 2000 },
  },
}

export const SCENARIOS: Record<string, Scenario> = {
  ...JOIN_SCENARIOS,
  ...CALL_SCENARIOS,
  ...COMMON_SCENARIOS,
  ...scenariosOf(ACCESS_MODES),
}
