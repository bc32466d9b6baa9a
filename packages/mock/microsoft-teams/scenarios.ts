/** The mock's scenarios as data: the look of each page load, and the timeline. */
import { scenariosOf } from '../shared/access-modes.ts'
import { ACCESS_MODES } from './access-modes.ts'
import type { TeamsScenario } from './meeting.ts'
import { CALL_SCENARIOS } from './scenarios-call.ts'
import { JOIN_SCENARIOS } from './scenarios-join.ts'
import { LOBBY_SCENARIOS } from './scenarios-lobby.ts'
import { SPEECH_SCENARIOS } from './scenarios-speech.ts'

export const SCENARIOS: Readonly<Record<string, TeamsScenario>> = {
  ...JOIN_SCENARIOS,
  ...LOBBY_SCENARIOS,
  ...CALL_SCENARIOS,
  ...SPEECH_SCENARIOS,
  ...scenariosOf(ACCESS_MODES),
}
