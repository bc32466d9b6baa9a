/** Scenarios that are about what happens after admission. */
import { ADMITTED, DEFAULT_PEOPLE, inCall, type Scenario, STRAIGHT_IN, THREE, turn } from './scenario.ts'

export const CALL_SCENARIOS: Record<string, Scenario> = {
  'consent-dialog-after-admit': {
    about: 'The call is being recorded: consent is asked for before the bot is in.',
    settings: { consent: 'recording' },
    timeline: ADMITTED,
  },
  'consent-gemini': {
    about: 'Consent to "take notes for me".',
    settings: { consent: 'gemini' },
    timeline: ADMITTED,
  },
  'gemini-pill-only': {
    about: 'A pill says that notes are taken; the page does not ask for consent.',
    timeline: [...ADMITTED, inCall(1, 'show', 'gemini-pill')],
  },
  'consent-mid-call': {
    about: 'Recording starts 30 s into the call.',
    timeline: [...ADMITTED, inCall(30, 'show', 'consent')],
  },
  'got-it-stack': { about: 'Three tips, one after another.', settings: { tips: 3 }, timeline: ADMITTED },
  'toolbar-hidden': {
    about: 'The toolbar hides after half a second without a pointer.',
    settings: { page: { toolbarHideMs: 500 } },
    timeline: ADMITTED,
  },
  'people-badge-ui': {
    about: 'A badge at the top right in place of the people button.',
    settings: { page: { peopleBadge: true } },
    timeline: ADMITTED,
  },
  'large-meeting': {
    about: '300 people, 16 of them with cameras of 720p, on a page that is as much work as a real one.',
    people: Array.from({ length: 300 }, (_, index) => ({
      id: `p${index + 1}`,
      name: index === 0 ? 'Ann Host' : `Guest Number ${index + 1}`,
      isHost: index === 0,
      camera: index < 16,
    })),
    settings: { ...STRAIGHT_IN, page: { heavy: true } },
  },
  'people-virtualised': {
    about: '60 people; the list holds 20 rows at a time.',
    people: Array.from({ length: 60 }, (_, index) => ({
      id: `p${index + 1}`,
      name: index === 0 ? 'Ann Host' : `Guest Number ${index + 1}`,
      isHost: index === 0,
      camera: index < 2,
    })),
    settings: { page: { peopleBadge: false } },
    timeline: ADMITTED,
  },
  'duplicate-names': {
    about: 'Two people named Alex.',
    people: [
      ...DEFAULT_PEOPLE,
      { id: 'alex-1', name: 'Alex', camera: true },
      { id: 'alex-2', name: 'Alex', camera: true },
    ],
    timeline: [...ADMITTED, ...turn('alex-1', 2, 4), ...turn('alex-2', 5, 7)],
  },
  'no-data-self-name': {
    about: 'The old attribute with the own name is absent.',
    settings: { page: { selfNameAttribute: false } },
    timeline: ADMITTED,
  },
  'screen-share-tile': {
    about: 'Cléo shares her screen from 3 s to 15 s: a second tile, not a person.',
    people: THREE,
    timeline: [...ADMITTED, inCall(3, 'startSharing', 'cleo'), inCall(15, 'stopSharing', 'cleo')],
  },
  'merged-audio': {
    about: 'Three people in one room with one sound.',
    people: [...THREE, { id: 'dan', name: 'Dan Dole', camera: true }],
    settings: { mergedAudio: true },
    timeline: [...ADMITTED, ...turn('cleo', 2, 6), ...turn('ann', 7, 9)],
  },
  'class-rotation': {
    about: 'All class names are random, as always here.',
    people: THREE,
    timeline: [...ADMITTED, ...turn('ann', 2, 4), inCall(3, 'say', 'bob', 'Classes changed again')],
  },
  'known-classes': {
    about: 'The class names of earlier captures.',
    settings: { page: { knownClasses: true } },
    timeline: ADMITTED,
  },
  'speaker-csrc': {
    about: 'Turns of speech with an overlap, named by their contributing source.',
    people: THREE,
    timeline: [
      ...ADMITTED,
      ...turn('ann', 2, 6),
      ...turn('bob', 7, 10),
      ...turn('cleo', 9, 13),
      ...turn('ann', 14, 16),
    ],
  },
  'no-audio-elements': {
    about: 'The page mixes the sound itself: no audio elements, no sources to read.',
    people: THREE,
    settings: { page: { audio: 'worklet' } },
    timeline: [...ADMITTED, ...turn('ann', 2, 6), ...turn('cleo', 7, 11)],
  },
  'captions-and-translation': {
    about: 'Captions are behind "Captions and translation".',
    settings: { page: { captionsMenu: true } },
    timeline: [...ADMITTED, ...turn('ann', 3, 10)],
  },
  'captions-by-page': {
    about: 'Captions are on the page alone.',
    people: THREE,
    settings: { captionsChannel: false },
    timeline: ADMITTED,
  },
  'captions-region-replaced': {
    about: 'The captions region is swapped for a new node at 8 s.',
    timeline: [...ADMITTED, ...turn('ann', 3, 14), inCall(8, 'show', 'replace-captions')],
  },
  'chat-send-receive': {
    about: 'Messages with every kind of text.',
    timeline: [
      ...ADMITTED,
      inCall(2, 'say', 'ann', 'Hello 👋 – ça va? 你好 🇸🇪'),
      inCall(4, 'say', 'bob', `${'x'.repeat(499)}.`),
      inCall(6, 'say', 'ann', 'The notes are at https://example.com/notes?page=1&x=<b> now'),
      inCall(7, 'say', 'ann', '<img src=x onerror=alert(1)>'),
    ],
  },
  'chat-new-message-label': {
    about: 'A message comes at once, so the chat button says so.',
    timeline: [...ADMITTED, inCall(1, 'say', 'bob', 'Anybody here?')],
  },
  'chat-pin-overlay': {
    about: 'Pin buttons carry the id of their message.',
    settings: { page: { chatPins: true } },
    timeline: [...ADMITTED, inCall(2, 'say', 'ann', 'Pin me'), inCall(4, 'say', 'ann', 'Me too')],
  },
  'chat-disabled': { about: 'The host turned chat off.', settings: { page: { chat: 'off' } }, timeline: ADMITTED },
  'chat-continuous': {
    about: 'Continuous chat: the panel has a frame of Google Chat.',
    settings: { page: { chat: 'continuous' } },
    timeline: ADMITTED,
  },
  'chat-disabled-mid-call': {
    about: 'Chat is turned off at 20 s.',
    timeline: [...ADMITTED, inCall(20, 'chatOff')],
  },
  'layout-change-layout': {
    about: 'The layout is behind "Change layout".',
    settings: { page: { layoutLabel: 'Change layout' } },
    timeline: ADMITTED,
  },
  'layout-adjust-view': {
    about: 'The layout is behind "Adjust view".',
    settings: { page: { layoutLabel: 'Adjust view' } },
    timeline: ADMITTED,
  },
  'layout-dialog-blocked': {
    about: 'A tip covers the layout dialog once.',
    settings: { page: { layoutTip: true } },
    timeline: ADMITTED,
  },
  'muted-by-host': {
    about: 'The microphone is muted by the host at 10 s.',
    timeline: [...ADMITTED, inCall(10, 'muteBot')],
  },
  'removed-by-host': { about: 'Removed after 60 s.', timeline: [...ADMITTED, inCall(60, 'remove')] },
  'removed-early': { about: 'Removed after 5 s.', timeline: [...ADMITTED, inCall(5, 'remove')] },
  'redirected-in-call': {
    about: 'The page leaves the site at 10 s.',
    timeline: [...ADMITTED, inCall(10, 'show', 'off-site')],
  },
  'false-admission': {
    about: 'Something like the call for a moment, then the waiting room again, then a denial.',
    timeline: [...ADMITTED, inCall(1, 'show', 'lobby'), inCall(5, 'deny')],
  },
  'meeting-ended': { about: 'The host ends the meeting at 20 s.', timeline: [...ADMITTED, inCall(20, 'endForAll')] },
  'everyone-left': {
    about: 'The last person leaves at 20 s.',
    timeline: [...ADMITTED, inCall(20, 'everyoneLeaves')],
  },
  'call-ended-everyone-left': {
    about: 'All others leave at 20 s and the platform ends the call.',
    timeline: [...ADMITTED, inCall(20, 'everyoneLeaves'), inCall(22, 'show', 'everyone-left')],
  },
  'never-anyone': { about: 'Nobody ever comes.', people: [], settings: STRAIGHT_IN },
  'alone-prompt': {
    about: 'Alone: "Are you still there?"',
    people: [],
    settings: { ...STRAIGHT_IN, aloneMs: 10_000 },
  },
  silence: { about: 'The other participants are silent.', people: THREE, timeline: ADMITTED },
  'reconnect-recovers': {
    about: 'The network is lost at 10 s and back at 20 s.',
    timeline: [...ADMITTED, inCall(10, 'loseConnection'), inCall(20, 'regainConnection')],
  },
  'reconnect-fails': {
    about: 'The network is lost at 10 s and stays lost.',
    settings: { reconnectMs: Infinity },
    timeline: [...ADMITTED, inCall(10, 'loseConnection')],
  },
  'false-positive-strings': {
    about: 'Chat messages that read like the end of the call.',
    timeline: [
      ...ADMITTED,
      inCall(2, 'say', 'ann', "You've been removed from the meeting"),
      inCall(3, 'say', 'bob', 'The call ended'),
      inCall(4, 'say', 'ann', 'Asking to be let in... You left the meeting. Return to home screen'),
    ],
  },
  'leave-normal': { about: 'Leaving as it should be.', timeline: ADMITTED },
  'leave-host-dialog': {
    about: 'Leaving asks whether to end the call for all.',
    settings: { page: { leaveDialog: true } },
    timeline: ADMITTED,
  },
  'leave-button-stuck': {
    about: 'The first two clicks on "Leave call" are ignored.',
    settings: { page: { swallow: { 'Leave call': 2 } } },
    timeline: ADMITTED,
  },
  'page-freeze': {
    about: 'The page freezes for 30 s at 10 s.',
    timeline: [...ADMITTED, inCall(10, 'show', 'freeze')],
  },
  'non-english-lobby': {
    about: 'The page is German in any case.',
    settings: { page: { lang: 'de' } },
    timeline: ADMITTED,
  },
}
