/**
 * Scenarios of speech: each sign of speech alone, and all together (docs/platform-notes/microsoft-teams.md#the-mock).
 */
import { ADMITTED, THREE, turn } from '../shared/scenario.ts'
import type { TeamsScenario } from './meeting.ts'
import type { SpeakingMark } from './page/protocol.ts'

const TURNS = [...turn('ann', 3, 8), ...turn('bob', 10, 15), ...turn('cleo', 17, 22)]

/** Only one mark of the tiles: the contributing sources name no person, and the main channel is silent. */
function only(mark: SpeakingMark, about: string): TeamsScenario {
  return {
    about,
    people: THREE,
    settings: { mapsSources: false, page: { marks: [mark] } },
    timeline: [...ADMITTED, ...TURNS],
  }
}

export const SPEECH_SCENARIOS: Readonly<Record<string, TeamsScenario>> = {
  'speaking-signal-class': only('class', 'Only a class of the outline shows who speaks.'),
  'speaking-signal-caption': {
    about: 'Only captions name who speaks.',
    people: THREE,
    settings: { mapsSources: false, page: { marks: [] } },
    timeline: [...ADMITTED, ...TURNS],
  },
  'speaking-signal-csrc': {
    about: 'Only the numbers in the mixed sound, and the main channel, name who speaks.',
    people: THREE,
    settings: { page: { marks: [] } },
    timeline: [...ADMITTED, ...TURNS],
  },
  'no-call-object': {
    about: "No call among the page's globals: people come by push and snapshot, and only captions name who speaks.",
    people: THREE,
    settings: { mapsSources: false, page: { callObject: false, marks: [], captionsItem: 'submenu' } },
    timeline: [...ADMITTED, ...TURNS],
  },
}
