import { scenariosOf } from '../shared/access-modes.ts'
import type { MockPerson } from '../types.ts'
import { ACCESS_MODES } from './access-modes.ts'
import { ADMITTED, inCall, type Scenario } from './scenario.ts'

const LOBBY = { joinResponse: 'lobby' } as const

const JOIN_SCENARIOS: Record<string, Scenario> = {
  open: { about: 'A free room: "Join meeting" leads straight in.' },
  'waiting-room': { about: 'A lobby that waits until a moderator decides.', settings: LOBBY },
  'lobby-button': {
    about: 'The lobby asks for a click on another button; admitted 2 s later.',
    settings: { joinResponse: 'lobby-button' },
    timeline: ADMITTED,
  },
  'denied-unknown-version': {
    about: 'Rejected, on a page whose state cannot be read.',
    settings: { ...LOBBY, page: { store: false } },
    timeline: [{ in: 'lobby', afterMs: 3000, do: 'deny' }],
  },
  'lobby-closed': {
    about: 'The meeting ends while the bot waits: the lobby is closed.',
    settings: LOBBY,
    timeline: [{ in: 'lobby', afterMs: 4000, do: 'endForAll' }],
  },
  'locked-room': {
    about: 'A dialog asks for the password, which is "sesame".',
    settings: { joinResponse: 'password', password: 'sesame' },
  },
  'locked-lobby': {
    about: 'A lobby that a visitor can bypass with the password "sesame".',
    settings: { ...LOBBY, password: 'sesame' },
  },
  'moderator-in-lobby': {
    about: 'A dialog with a button to wait, and a lobby behind it; the host admits later.',
    settings: { joinResponse: 'moderator-lobby' },
  },
  'login-wall': { about: 'The server sends the tab to a page that signs people in.', settings: { load: 'sign-in' } },
  'login-dialog': {
    about: 'A dialog asks for a user and a password of the server.',
    settings: { joinResponse: 'login-dialog' },
  },
  'refused-page': { about: 'An older server refuses with a separate page.', settings: { load: 'refused' } },
  'too-quick': { about: 'The server limits how quickly rooms are made.', settings: { joinResponse: 'too-quick' } },
  'not-connected': {
    about: 'The page cannot reach its conference server.',
    settings: { joinResponse: 'not-connected' },
  },
  'invalid-link': { about: 'A path for which the server has no page (404).', settings: { load: 'not-found' } },
  'home-page': { about: 'The link leads to the welcome page.', settings: { load: 'welcome' } },
  'server-down': { about: 'Every load is answered with 503.', settings: { failedLoads: Number.POSITIVE_INFINITY } },
  'deep-link': { about: 'A page that offers the desktop app comes first.', settings: { deepLink: true } },
  'slow-join': { about: 'The server takes its time to answer the click.', settings: { joinMs: 9000 } },
  'name-from-token': {
    about: 'A token gives the name; there is no box for it.',
    settings: { page: { readOnlyName: 'Notes by token' } },
  },
  'old-labels': {
    about: 'An older page, whose toolbar names what is switched, with a lobby.',
    settings: { ...LOBBY, page: { labels: 'old' } },
    timeline: ADMITTED,
  },
  'unlistened-button': {
    about: 'The first two clicks on the join button have no effect.',
    settings: { page: { swallow: { 'prejoin.joinMeeting': 2 } } },
  },
  'no-devices': { about: 'A machine without camera and microphone.', settings: { page: { devices: 'none' } } },
}

const MANY: MockPerson[] = Array.from({ length: 24 }, (_, index) => ({
  id: `person${index + 1}`,
  name: `Person ${String(index + 1).padStart(2, '0')}`,
  isHost: index === 0,
  camera: index < 3,
}))

const CALL_SCENARIOS: Record<string, Scenario> = {
  'chat-disabled': { about: 'The server has no chat.', settings: { page: { chat: 'off' } } },
  'chat-forbidden': { about: 'There is a chat, for reading only.', settings: { page: { chat: 'forbidden' } } },
  'many-people': { about: 'Twenty-four people; most tiles are scrolled away.', people: MANY },
  'unknown-version': {
    about: 'A page whose state cannot be read: tiles and panel are all there is.',
    settings: { page: { store: false } },
  },
  'ended-without-words': {
    about: 'The meeting ends and the page just goes to its last page.',
    settings: { saysWhy: false },
  },
  'ended-to-welcome': {
    about: 'The same, on a server whose last page is the welcome page.',
    settings: { saysWhy: false, afterwards: 'welcome' },
  },
  'ended-nowhere': {
    about: 'The same, on a server without any last page: the empty meeting stays.',
    settings: { saysWhy: false, afterwards: 'nowhere' },
  },
  'bot-is-moderator': {
    about: 'A free room that the bot entered first: leaving asks whether to end it for all.',
    settings: { page: { isModerator: true } },
  },
  'feedback-at-leave': {
    about: 'Leaving is answered with a question for stars.',
    settings: { page: { feedback: true } },
  },
  notifications: {
    about: 'Notifications of all kinds over the meeting.',
    timeline: [
      inCall(2, 'show', 'moderation'),
      inCall(3, 'show', 'noisy-microphone'),
      inCall(4, 'addPerson', 'dan', 'Dan Dubois'),
      inCall(6, 'show', 'tip'),
    ],
  },
}

export const SCENARIOS: Record<string, Scenario> = {
  ...JOIN_SCENARIOS,
  ...CALL_SCENARIOS,
  ...scenariosOf(ACCESS_MODES),
}
