/** Scenarios that are about the meeting itself and how it ends. */
import type { MockPerson } from '../types.ts'
import { inCall, type Scenario, THREE, turn } from './scenario.ts'

const MANY: MockPerson[] = Array.from({ length: 24 }, (_, index) => ({
  id: `person${index + 1}`,
  name: `Person ${String(index + 1).padStart(2, '0')}`,
  isHost: index === 0,
  camera: index < 3,
}))

export const CALL_SCENARIOS: Record<string, Scenario> = {
  'default-call': {
    about: 'Three people take turns and chat; one joins and one leaves.',
    people: THREE,
    timeline: [
      ...turn('ann', 2, 7),
      ...turn('bob', 8, 13),
      ...turn('cleo', 14, 18),
      inCall(5, 'say', 'bob', 'Good morning'),
      inCall(10, 'addPerson', 'dan', 'Dan Dubois'),
      inCall(20, 'removePerson', 'bob'),
    ],
  },
  'two-at-once': {
    about: 'Ann and Bob speak over each other.',
    timeline: [...turn('ann', 2, 10), ...turn('bob', 4, 12)],
  },
  alone: { about: 'No other participant ever comes.', people: [] },
  'everyone-leaves': { about: 'The others leave after 6 s.', timeline: [inCall(6, 'everyoneLeaves')] },
  'chat-busy': {
    about: 'All participants write.',
    people: THREE,
    timeline: [1, 2, 3, 4, 5, 6].map((second) =>
      inCall(second, 'say', ['ann', 'bob', 'cleo'][second % 3]!, `Message ${second} <b>with</b> marks`),
    ),
  },
  'chat-disabled': { about: 'The server has no chat.', settings: { page: { chat: 'off' } } },
  'chat-forbidden': { about: 'There is a chat, for reading only.', settings: { page: { chat: 'forbidden' } } },
  'screen-share': {
    about: 'Ann shares a screen from 3 s to 15 s.',
    timeline: [inCall(3, 'startSharing', 'ann'), ...turn('bob', 5, 10), inCall(15, 'stopSharing', 'ann')],
  },
  'odd-names': {
    about: 'Two people of the same name, one with markup, one without a name.',
    people: [
      { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
      { id: 'one', name: 'Sam', camera: true },
      { id: 'two', name: 'Sam', camera: false },
      { id: 'odd', name: '<img src=x onerror=alert(1)> "Eve"', camera: false },
      { id: 'none', name: '', camera: false },
    ],
  },
  'same-name-as-bot': {
    about: 'A participant has the name of the bot.',
    people: [
      { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
      { id: 'twin', name: 'Notes for Ann', camera: false },
    ],
  },
  'many-people': { about: 'Twenty-four people; most tiles are scrolled away.', people: MANY },
  'unknown-version': {
    about: 'A page whose state cannot be read: tiles and panel are all there is.',
    settings: { page: { store: false } },
    timeline: [...turn('ann', 2, 8), inCall(4, 'say', 'bob', 'Can anybody read this?')],
  },
  removed: { about: 'Kicked after 20 s.', timeline: [inCall(20, 'remove')] },
  'removed-by-system': {
    about: 'Kicked by the server after 20 s.',
    timeline: [inCall(20, 'show', 'kicked-by-system')],
  },
  'ended-for-all': { about: 'A moderator ends the meeting after 20 s.', timeline: [inCall(20, 'endForAll')] },
  'ended-without-words': {
    about: 'The meeting ends and the page just goes to its last page.',
    settings: { saysWhy: false },
    timeline: [inCall(30, 'endForAll')],
  },
  'ended-to-welcome': {
    about: 'The same, on a server whose last page is the welcome page.',
    settings: { saysWhy: false, afterwards: 'welcome' },
    timeline: [inCall(30, 'endForAll')],
  },
  'ended-nowhere': {
    about: 'The same, on a server without any last page: the empty meeting stays.',
    settings: { saysWhy: false, afterwards: 'nowhere' },
    timeline: [inCall(30, 'endForAll')],
  },
  'time-limit': { about: 'The meeting runs out of its time.', timeline: [inCall(20, 'show', 'time-limit')] },
  'own-reason': {
    about: "The server's operator closes the room with a custom reason.",
    timeline: [inCall(20, 'show', 'own-reason')],
  },
  'muted-by-moderator': { about: 'A moderator mutes the bot after 5 s.', timeline: [inCall(5, 'muteBot')] },
  consent: {
    about: 'The meeting is being recorded and asks all participants for consent.',
    settings: { consent: true },
  },
  'bot-is-moderator': {
    about: 'A free room that the bot entered first: leaving asks whether to end it for all.',
    settings: { page: { isModerator: true } },
  },
  'feedback-at-leave': {
    about: 'Leaving is answered with a question for stars.',
    settings: { page: { feedback: true } },
  },
  'media-lost': {
    about: 'Sound and picture are lost after 6 s and back after 14 s; the page does not show it.',
    timeline: [inCall(6, 'loseConnection'), { in: 'reconnecting', afterMs: 8000, do: 'regainConnection' }],
  },
  'server-lost': {
    about: 'The server is lost after 20 s: the page counts down, reloads and shows the pre-join page again.',
    timeline: [inCall(20, 'show', 'server-lost')],
  },
  'server-error': {
    about: 'Something went wrong on the server: the darker overlay, and the same afterwards.',
    timeline: [inCall(20, 'show', 'server-error')],
  },
  'connection-never-back': {
    about: 'The network is lost after 5 s and stays so.',
    timeline: [inCall(5, 'loseConnection')],
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
  'frozen-page': { about: 'The page hangs for 30 s.', timeline: [inCall(5, 'show', 'freeze')] },
}
