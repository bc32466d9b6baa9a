/**
 * All scenarios of the mock Zoom: situations of Zoom (docs/platform-notes/zoom.md#the-mock), and the names that
 * every platform has.
 */

import { scenariosOf } from '../shared/access-modes.ts'
import { ACCESS_MODES } from './access-modes.ts'
import { OPEN, type ZoomScenario } from './scenario.ts'
import { CALL_SCENARIOS } from './scenarios-call.ts'
import { JOIN_SCENARIOS } from './scenarios-join.ts'
import { SDK_SCENARIOS } from './sdk/scenarios.ts'

/** The platform never ends a join request by itself, so there is no `request-timeout`. */
const COMMON: Record<string, ZoomScenario> = {
  'waiting-room': { about: 'A join request that waits until the host decides.' },
  open: { about: 'No waiting room: straight in.', settings: OPEN },
  'invalid-link': { about: 'A link to a meeting that does not exist.', settings: { load: 'invalid-link' } },
  'login-wall': { about: 'The link leads to the sign-in page.', settings: { load: 'sign-in' } },
  'chat-disabled': { about: 'Chat is switched off.', settings: { ...OPEN, page: { chat: 'disabled' } } },
}

export const SCENARIOS: Record<string, ZoomScenario> = {
  ...COMMON,
  ...JOIN_SCENARIOS,
  ...CALL_SCENARIOS,
  ...SDK_SCENARIOS,
  ...scenariosOf(ACCESS_MODES),
}
