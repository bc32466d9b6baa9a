/**
 * Scenarios of the waiting room, of admission and of what comes right after it
 * (docs/platform-notes/microsoft-teams.md#the-mock).
 */
import { ADMITTED } from '../shared/scenario.ts'
import type { TeamsScenario } from './meeting.ts'

export const LOBBY_SCENARIOS: Readonly<Record<string, TeamsScenario>> = {
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
  'removed-typographic': {
    about: 'The words of a removal have a typographic apostrophe.',
    settings: { page: { typographic: true } },
    timeline: ADMITTED,
  },
  'removed-other-words': {
    about: 'A removal in other words: "Removed from the meeting".',
    settings: { removal: 'removedAlt' },
    timeline: ADMITTED,
  },
}
