/**
 * Scenarios of the call: notices that mean nothing, chat, people, layout, the bar
 * (docs/platform-notes/microsoft-teams.md#the-mock).
 */

import { ADMITTED, admitted, THREE, TWO } from '../shared/scenario.ts'
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
  'chat-no-button': admitted('There is no chat button at all.', { page: { chat: 'no-button' } }),
  'chat-late-mount': admitted('The chat takes 6 s to appear.', { page: { chatMountMs: 6000 } }),
  'roster-names-qualifiers': admitted(
    'Qualifiers, namesakes, placeholders, people who are invited or wait, and a namesake of the bot.',
    { ownSuffix: ' 2', page: { invited: ['Invited Ida', 'Absent Abe'], waiting: ['Waiting Wim'] } },
    QUALIFIED,
  ),
  'roster-large-meeting': admitted(
    '60 people: the number reads 12+, the list holds the rows that fit.',
    { page: { badgeCap: 12 } },
    CROWD,
  ),
  'roster-unresolved-names': admitted('Names of tiles take 8 s to resolve.', { page: { unresolvedMs: 8000 } }, THREE),
  'view-speaker-full': { about: 'The full client has a view menu.', settings: FULL, people: THREE, timeline: ADMITTED },
  'toolbar-autohide-leave': admitted('The toolbar hides after half a second without a pointer.', {
    page: { toolbarHideMs: 500 },
  }),
  'leave-split-button': admitted('Leaving opens a menu, one of whose entries ends the meeting for all.', {
    page: { hangUp: 'split' },
  }),
  'leave-button-stuck': admitted('The first two clicks on "Leave" are ignored.', {
    page: { swallow: { 'hangup-main-btn': 2 } },
  }),
}
