/**
 * Scenarios of speech: each sign of speech alone, and all together (docs/platform-notes/microsoft-teams.md#the-mock).
 */
import { ADMITTED, inCall, THREE, turn } from '../shared/scenario.ts'
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
  'speaking-signal-attribute': only('attribute', 'Only an attribute of the outline shows who speaks.'),
  'speaking-signal-before': only('before', 'Only the border of a ::before shows who speaks.'),
  'speaking-signal-after': only('after', 'Only the border of an ::after shows who speaks.'),
  'speaking-signal-motion': only('motion', 'Only the moving outline shows who speaks.'),
  'speaking-signal-aria': only('aria', 'Only the label for screen readers says who speaks.'),
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
  'overlapping-speakers': {
    about: 'Turns of speech that overlap.',
    people: THREE,
    timeline: [...ADMITTED, ...turn('ann', 3, 9), ...turn('bob', 6, 12), ...turn('cleo', 14, 18)],
  },
  'screenshare-with-speaker': {
    about: 'Cléo shares her screen while Ann speaks.',
    people: THREE,
    timeline: [
      ...ADMITTED,
      inCall(3, 'startSharing', 'cleo'),
      ...turn('ann', 5, 12),
      inCall(20, 'stopSharing', 'cleo'),
    ],
  },
  'captions-refine-in-place': {
    about: 'A long turn whose caption grows in one row.',
    people: THREE,
    timeline: [...ADMITTED, ...turn('ann', 3, 18)],
  },
  'rtc-roster-and-dsh': {
    about: 'A person comes, speaks, shares and leaves: the push socket and the main channel report it.',
    timeline: [
      ...ADMITTED,
      inCall(3, 'addPerson', 'eve', 'Eve Ek'),
      ...turn('eve', 5, 9),
      inCall(10, 'startSharing', 'eve'),
      inCall(14, 'stopSharing', 'eve'),
      inCall(16, 'removePerson', 'eve'),
      inCall(20, 'endForAll'),
    ],
  },
}
