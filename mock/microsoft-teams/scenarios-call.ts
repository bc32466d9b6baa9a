/**
 * Scenarios of the call: notices that mean nothing, chat, people, layout, the bar
 * (docs/platform-notes/microsoft-teams.md#the-mock).
 */

import { ADMITTED, inCall, THREE, TWO } from '../shared/scenario.ts'
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
  'benign-alerts': {
    about: 'Toasts and banners of every kind; none of them ends the meeting.',
    settings: { banners: ['JoinersOngoingRecording'] },
    timeline: [
      ...ADMITTED,
      inCall(2, 'show', 'muted-toast'),
      inCall(4, 'show', 'device-banner'),
      inCall(6, 'show', 'camera-banner'),
      inCall(8, 'show', 'lobby-banner'),
      inCall(10, 'show', 'recording-started'),
    ],
  },
  'consent-mid-call': {
    about: 'A recording that asks for consent at 10 s.',
    timeline: [...ADMITTED, inCall(10, 'show', 'consent')],
  },
  'alone-prompt': {
    about: 'Alone, and asked "Are you still there?" at 10 s; it is unknown whether the real one asks.',
    people: [],
    settings: { afterJoin: 'call' },
    timeline: [inCall(10, 'show', 'alone-prompt')],
  },
  'chat-quotes-end-text': {
    about: 'Messages that read like ends and denials.',
    timeline: [
      ...ADMITTED,
      inCall(2, 'say', 'ann', 'The meeting has ended'),
      inCall(3, 'say', 'bob', 'you were denied access'),
      inCall(4, 'say', 'ann', "You've been removed from this meeting. Someone will let you in shortly"),
    ],
  },
  'relayout-badge-vanishes': {
    about: 'The layout changes at 5 s, and the number of people is gone for a while.',
    people: THREE,
    timeline: [...ADMITTED, inCall(5, 'show', 'relayout'), inCall(15, 'show', 'relayout')],
  },
  'muted-by-host': {
    about: 'The microphone is muted by the host at 10 s.',
    timeline: [...ADMITTED, inCall(10, 'muteBot')],
  },
  'chat-send-light': { about: 'The light client: Enter does not send.', timeline: ADMITTED },
  'chat-send-full': { about: 'The full client: Enter sends.', settings: FULL, timeline: ADMITTED },
  'chat-multiline': {
    about: 'A message of several lines, and others of every kind.',
    timeline: [
      ...ADMITTED,
      inCall(2, 'say', 'ann', 'First line\n\nThird line 👋 – ça va? 你好'),
      inCall(4, 'say', 'bob', 'The notes are at https://example.com/notes?page=1&x=<b> now'),
      inCall(6, 'say', 'ann', '<img src=x onerror=alert(1)>'),
    ],
  },
  'chat-disabled': { about: 'Chat is switched off.', settings: { page: { chat: 'off' } }, timeline: ADMITTED },
  'chat-no-button': {
    about: 'There is no chat button at all.',
    settings: { page: { chat: 'no-button' } },
    timeline: ADMITTED,
  },
  'chat-disabled-mid-call': { about: 'Chat is switched off at 20 s.', timeline: [...ADMITTED, inCall(20, 'chatOff')] },
  'chat-late-mount': {
    about: 'The chat takes 6 s to appear.',
    settings: { page: { chatMountMs: 6000 } },
    timeline: ADMITTED,
  },
  'chat-read-grouped-authors': {
    about: 'Messages in a row of one person, an edit, notices, and more messages than the list holds.',
    people: THREE,
    timeline: [
      ...ADMITTED,
      inCall(2, 'say', 'ann', 'One'),
      inCall(2.5, 'say', 'ann', 'Two'),
      inCall(3, 'say', 'bob', 'Three'),
      inCall(3.5, 'show', 'chat-notice'),
      inCall(4, 'say', 'bob', 'Four'),
      inCall(5, 'show', 'edit-last-message'),
      ...Array.from({ length: 40 }, (_, index) =>
        inCall(6 + index * 0.2, 'say', index % 2 ? 'ann' : 'cleo', `Item ${index}`),
      ),
    ],
  },
  'chat-panel-toggle-twice': {
    about: 'A chat whose button closes it again.',
    timeline: [...ADMITTED, inCall(3, 'say', 'bob', 'Anybody here?')],
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
  'one-other-camera-off': {
    about: 'One other person without a camera is a large avatar, not a tile.',
    people: [{ id: 'ann', name: 'Ann Host', isHost: true, camera: false }],
    settings: { page: { bigAvatar: true } },
    timeline: ADMITTED,
  },
  'view-speaker-full': { about: 'The full client has a view menu.', settings: FULL, people: THREE, timeline: ADMITTED },
  'view-missing-light': { about: 'The light client has no view menu.', people: THREE, timeline: ADMITTED },
  gallery: {
    about: 'Nine people with cameras.',
    people: CROWD.slice(0, 9).map((person) => ({ ...person, camera: true })),
    timeline: ADMITTED,
  },
  'captions-direct-item': { about: 'Captions are an item of "More".', people: THREE, timeline: ADMITTED },
  'captions-submenu': {
    about: 'Captions are behind "Language and speech".',
    settings: { page: { captionsItem: 'submenu' } },
    timeline: ADMITTED,
  },
  'captions-disabled-policy': {
    about: 'There are no captions.',
    settings: { page: { captionsItem: 'none' } },
    timeline: ADMITTED,
  },
  'toolbar-autohide-leave': {
    about: 'The toolbar hides after half a second without a pointer.',
    settings: { page: { toolbarHideMs: 500 } },
    timeline: ADMITTED,
  },
  'toolbar-hidden-mid-call': {
    about: 'The toolbar is hidden at 5 s, even if the pointer moves.',
    timeline: [...ADMITTED, inCall(5, 'show', 'hide-toolbar')],
  },
  'leave-split-button': {
    about: 'Leaving opens a menu, one of whose entries ends the meeting for all.',
    settings: { page: { hangUp: 'split' } },
    timeline: ADMITTED,
  },
  'toolbar-overflow-small-window': {
    about: 'In a narrow window most of the bar is behind "More".',
    timeline: ADMITTED,
  },
  'leave-button-stuck': {
    about: 'The first two clicks on "Leave" are ignored.',
    settings: { page: { swallow: { 'hangup-main-btn': 2 } } },
    timeline: ADMITTED,
  },
  'redirected-in-call': {
    about: 'The page leaves the site at 10 s.',
    timeline: [...ADMITTED, inCall(10, 'show', 'off-site')],
  },
}
