/**
 * Scenarios of the call: notices that mean nothing, chat, people, layout, the bar
 * (docs/platform-notes/microsoft-teams.md#the-mock).
 */

import { ADMITTED, THREE, TWO } from '../shared/scenario.ts'
import type { MockPerson } from '../types.ts'
import type { TeamsScenario } from './meeting.ts'
import type { ScenarioSettings } from './settings.ts'

const FULL: Partial<ScenarioSettings> = { skin: 'full' }

const QUALIFIED: MockPerson[] = [
  ...TWO,
  { id: 'dana', name: 'Dana Diaz (Guest)', camera: true },
  { id: 'eli', name: 'Eli Eck (Unverified)', camera: false },
  { id: 'alex-1', name: 'Alex', camera: true },
  { id: 'alex-2', name: 'Alex', camera: true },
  { id: 'unknown', name: 'Unknown user', camera: false },
  { id: 'markup', name: '<b>Bold</b> & "Co"', camera: false },
]

const CROWD: MockPerson[] = Array.from({ length: 60 }, (_, index) => ({
  id: `p${index + 1}`,
  name: index === 0 ? 'Ann Host' : `Guest Number ${index + 1}`,
  isHost: index === 0,
  camera: index < 2,
  muted: index > 2,
}))

export const CALL_SCENARIOS: Readonly<Record<string, TeamsScenario>> = {
  'chat-send-full': { about: 'The full client: Enter sends.', settings: FULL, timeline: ADMITTED },
  'chat-disabled': { about: 'Chat is switched off.', settings: { page: { chat: 'off' } }, timeline: ADMITTED },
  'chat-no-button': {
    about: 'There is no chat button at all.',
    settings: { page: { chat: 'no-button' } },
    timeline: ADMITTED,
  },
  'chat-late-mount': {
    about: 'The chat takes 6 s to appear.',
    settings: { page: { chatMountMs: 6000 } },
    timeline: ADMITTED,
  },
  'roster-names-qualifiers': {
    about: 'Qualifiers, namesakes, placeholders, people who are invited or wait, and a namesake of the bot.',
    people: QUALIFIED,
    settings: { ownSuffix: ' 2', page: { invited: ['Invited Ida', 'Absent Abe'], waiting: ['Waiting Wim'] } },
    timeline: ADMITTED,
  },
  'roster-large-meeting': {
    about: '60 people: the number reads 12+, the list holds the rows that fit.',
    people: CROWD,
    settings: { page: { badgeCap: 12 } },
    timeline: ADMITTED,
  },
  'roster-unresolved-names': {
    about: 'Names of tiles take 8 s to resolve.',
    people: THREE,
    settings: { page: { unresolvedMs: 8000 } },
    timeline: ADMITTED,
  },
  'view-speaker-full': { about: 'The full client has a view menu.', settings: FULL, people: THREE, timeline: ADMITTED },
  'toolbar-autohide-leave': {
    about: 'The toolbar hides after half a second without a pointer.',
    settings: { page: { toolbarHideMs: 500 } },
    timeline: ADMITTED,
  },
  'leave-split-button': {
    about: 'Leaving opens a menu, one of whose entries ends the meeting for all.',
    settings: { page: { hangUp: 'split' } },
    timeline: ADMITTED,
  },
  'leave-button-stuck': {
    about: 'The first two clicks on "Leave" are ignored.',
    settings: { page: { swallow: { 'hangup-main-btn': 2 } } },
    timeline: ADMITTED,
  },
}
