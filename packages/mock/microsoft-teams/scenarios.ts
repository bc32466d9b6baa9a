/** The mock's scenarios as data: the look of each page load, and the timeline. */

import { scenariosOf } from '../shared/access-modes.ts'
import { ADMITTED, admitted, THREE, turn } from '../shared/scenario.ts'
import { ACCESS_MODES } from './access-modes.ts'
import type { TeamsScenario } from './meeting.ts'
import type { SpeakingMark } from './page/protocol.ts'
import { CALL_SCENARIOS } from './scenarios-call.ts'
import { JOIN_SCENARIOS } from './scenarios-join.ts'

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

const SPEECH_SCENARIOS: Readonly<Record<string, TeamsScenario>> = {
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

const LOBBY_SCENARIOS: Readonly<Record<string, TeamsScenario>> = {
  'lobby-denied': { about: 'Denied after 5 s.', timeline: [{ in: 'lobby', afterMs: 5000, do: 'deny' }] },
  'lobby-declined': {
    about: 'Denied after 5 s, in the newer words.',
    settings: { denial: 'declined' },
    timeline: [{ in: 'lobby', afterMs: 5000, do: 'deny' }],
  },
  'lobby-not-admitted': {
    about: 'Denied after 5 s: "You weren\'t admitted to the meeting".',
    settings: { denial: 'notAdmitted' },
    timeline: [{ in: 'lobby', afterMs: 5000, do: 'deny' }],
  },
  'lobby-no-response': {
    about: 'The platform gives up after 10 s; it is unknown whether the real one ever does.',
    timeline: [{ in: 'lobby', afterMs: 10_000, do: 'show', with: ['no-response'] }],
  },
  'lobby-timeout-not-started': {
    about: 'A meeting that has not begun, and no person comes.',
    settings: { hasStarted: false },
    people: [],
  },
  'lobby-drop-rejoin': {
    about: 'The request is dropped after 35 s without a message: the join button can be pressed again.',
    settings: { lobbyDropMs: 35_000 },
  },
  'lobby-foreign-words': {
    about: 'The waiting room has unknown words, and its join button stays enabled.',
    settings: { page: { foreignLobby: true } },
  },
  'ended-in-lobby': {
    about: 'The host ends the meeting while the bot waits.',
    timeline: [{ in: 'lobby', afterMs: 4000, do: 'endForAll' }],
  },
  'admitted-hop-to-full-client': admitted('After admission the page changes to the full client, a new document.', {
    skin: 'full',
  }),
  'e2ee-after-admit': admitted('After admission: "An encryption error occurred".', { encrypted: true }),
  'removed-typographic': admitted('The words of a removal have a typographic apostrophe.', {
    page: { typographic: true },
  }),
  'removed-other-words': admitted('A removal in other words: "Removed from the meeting".', { removal: 'removedAlt' }),
}

export const SCENARIOS: Readonly<Record<string, TeamsScenario>> = {
  ...JOIN_SCENARIOS,
  ...LOBBY_SCENARIOS,
  ...CALL_SCENARIOS,
  ...SPEECH_SCENARIOS,
  ...scenariosOf(ACCESS_MODES),
}
