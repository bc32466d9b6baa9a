/** Scenarios that are about what happens after admission. */
import { admitted, open } from '../shared/scenario.ts'
import { ADMITTED, inCall, type Scenario, THREE, turn } from './scenario.ts'

export const CALL_SCENARIOS: Record<string, Scenario> = {
  'consent-dialog-after-admit': admitted('The call is being recorded: consent is asked for before the bot is in.', {
    consent: 'recording',
  }),
  'consent-gemini': admitted('Consent to "take notes for me".', { consent: 'gemini' }),
  'consent-other-words': admitted('A dialog in unknown words: leave, or join now.', { consent: 'other' }),
  'got-it-stack': { about: 'Three tips, one after another.', settings: { tips: 3 }, timeline: ADMITTED },
  'toolbar-hidden': admitted('The toolbar hides after half a second without a pointer.', {
    page: { toolbarHideMs: 500 },
  }),
  'people-badge-ui': admitted('A badge at the top right in place of the people button.', {
    page: { peopleBadge: true },
  }),
  'large-meeting': open(
    '300 people, 16 of them with cameras of 720p, on a page that is as much work as a real one.',
    { page: { heavy: true } },
    undefined,
    Array.from({ length: 300 }, (_, index) => ({
      id: `p${index + 1}`,
      name: index === 0 ? 'Ann Host' : `Guest Number ${index + 1}`,
      isHost: index === 0,
      camera: index < 16,
    })),
  ),
  'no-workers': open('A page whose policy lets no worker start.', { workersAreRefused: true }),
  'no-data-self-name': admitted('The old attribute with the own name is absent.', {
    page: { selfNameAttribute: false },
  }),
  'merged-audio': {
    about: 'Three people in one room with one sound.',
    people: [...THREE, { id: 'dan', name: 'Dan Dole', camera: true }],
    settings: { mergedAudio: true },
    timeline: [...ADMITTED, ...turn('cleo', 2, 6), ...turn('ann', 7, 9)],
  },
  'no-audio-elements': {
    about: 'The page mixes the sound itself: no audio elements, no sources to read.',
    people: THREE,
    settings: { page: { audio: 'worklet' } },
    timeline: [...ADMITTED, ...turn('ann', 2, 6), ...turn('cleo', 7, 11)],
  },
  'encoded-frames': open('A page that decodes its sound itself where the browser gives it encoded frames.', {
    page: { audio: 'encoded-frames' },
  }),
  'own-decoder': open('A page that decodes its sound itself, whatever the browser gives: its receivers are silent.', {
    page: { audio: 'own-decoder' },
  }),
  'captions-and-translation': {
    about: 'Captions are behind "Captions and translation".',
    settings: { page: { captionsMenu: true } },
    timeline: [...ADMITTED, ...turn('ann', 3, 10)],
  },
  'captions-by-page': admitted('Captions are on the page alone.', { captionsChannel: false }, THREE),
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
  'chat-pin-overlay': {
    about: 'Pin buttons carry the id of their message.',
    settings: { page: { chatPins: true } },
    timeline: [...ADMITTED, inCall(2, 'say', 'ann', 'Pin me'), inCall(4, 'say', 'ann', 'Me too')],
  },
  'chat-disabled': { about: 'The host turned chat off.', settings: { page: { chat: 'off' } }, timeline: ADMITTED },
  'chat-continuous': admitted('Continuous chat: the panel has a frame of Google Chat.', {
    page: { chat: 'continuous' },
  }),
  'leave-host-dialog': admitted('Leaving asks whether to end the call for all.', { page: { leaveDialog: true } }),
  'leave-button-stuck': admitted('The first two clicks on "Leave call" are ignored.', {
    page: { swallow: { 'Leave call': 2 } },
  }),
}
