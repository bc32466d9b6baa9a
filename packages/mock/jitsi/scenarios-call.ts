/** Scenarios that are about the meeting itself and how it ends. */
import type { MockPerson } from '../types.ts'
import { inCall, type Scenario } from './scenario.ts'

const MANY: MockPerson[] = Array.from({ length: 24 }, (_, index) => ({
  id: `person${index + 1}`,
  name: `Person ${String(index + 1).padStart(2, '0')}`,
  isHost: index === 0,
  camera: index < 3,
}))

export const CALL_SCENARIOS: Record<string, Scenario> = {
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
