/**
 * Scenarios of the waiting room, of admission and of what comes right after it
 * (docs/platform-notes/microsoft-teams.md#the-mock).
 */
import { ADMITTED, admitAfter, inCall, THREE } from '../shared/scenario.ts'
import type { TeamsScenario } from './meeting.ts'

export const LOBBY_SCENARIOS: Readonly<Record<string, TeamsScenario>> = {
  'happy-light-lobby-admit': {
    about: 'Admitted after 5 s to three people; the meeting ends after a minute.',
    people: THREE,
    timeline: [admitAfter(5000), inCall(60, 'endForAll')],
  },
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
  'lobby-timeout-started': { about: 'The meeting has begun, and the host does not answer the request.' },
  'lobby-drop-rejoin': {
    about: 'The request is dropped after 35 s without a message: the join button can be pressed again.',
    settings: { lobbyDropMs: 35_000 },
  },
  'lobby-foreign-words': {
    about: 'The waiting room has unknown words, and its join button stays enabled.',
    settings: { page: { foreignLobby: true } },
  },
  'cancel-during-lobby': { about: 'A join request that the bot has to withdraw.' },
  'ended-in-lobby': {
    about: 'The host ends the meeting while the bot waits.',
    timeline: [{ in: 'lobby', afterMs: 4000, do: 'endForAll' }],
  },
  'admitted-hop-to-full-client': {
    about: 'After admission the page changes to the full client, a new document.',
    settings: { skin: 'full' },
    timeline: ADMITTED,
  },
  'e2ee-after-admit': {
    about: 'After admission: "An encryption error occurred".',
    settings: { encrypted: true },
    timeline: ADMITTED,
  },
  'removed-after-10s': { about: 'Removed after 10 s.', timeline: [...ADMITTED, inCall(10, 'remove')] },
  'removed-after-5min': { about: 'Removed after 5 minutes.', timeline: [...ADMITTED, inCall(300, 'remove')] },
  'removed-typographic': {
    about: 'Removed after 60 s, with a typographic apostrophe in the words.',
    settings: { page: { typographic: true } },
    timeline: [...ADMITTED, inCall(60, 'remove')],
  },
  'removed-other-words': {
    about: 'Removed after 60 s: "Removed from the meeting".',
    settings: { removal: 'removedAlt' },
    timeline: [...ADMITTED, inCall(60, 'remove')],
  },
  'meeting-ended': { about: 'The host ends the meeting at 20 s.', timeline: [...ADMITTED, inCall(20, 'endForAll')] },
  'call-vanishes': {
    about: 'At 20 s the call disappears from the page without a message.',
    timeline: [...ADMITTED, inCall(20, 'show', 'vanish')],
  },
  'alone-after-others-left': {
    about: 'All others leave at 20 s; Teams keeps the meeting open.',
    timeline: [...ADMITTED, inCall(20, 'everyoneLeaves')],
  },
  'others-leave-and-return': {
    about: 'All others leave at 20 s, and one comes back at 40 s.',
    timeline: [...ADMITTED, inCall(20, 'everyoneLeaves'), inCall(40, 'addPerson', 'bob-again', 'Bob Berg')],
  },
  'nobody-ever-joins': { about: 'No other participant ever comes.', people: [], settings: { afterJoin: 'call' } },
  silence: { about: 'The other participants are silent.', people: THREE, timeline: ADMITTED },
  'network-drop-20s': {
    about: 'The network is lost at 10 s and back at 30 s.',
    timeline: [...ADMITTED, inCall(10, 'loseConnection'), inCall(30, 'regainConnection')],
  },
  'network-drop-forever': {
    about: 'The network is lost at 10 s; after a minute the platform gives up.',
    timeline: [...ADMITTED, inCall(10, 'loseConnection')],
  },
  'page-freeze-20s': {
    about: 'The page freezes for 20 s at 10 s.',
    timeline: [...ADMITTED, inCall(10, 'show', 'freeze')],
  },
}
