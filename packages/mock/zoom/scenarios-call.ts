/** Scenarios that are about what happens in the meeting; most have no waiting room. */
import { inCall, THREE, turn } from '../shared/scenario.ts'
import { crowd, OPEN, type ZoomScenario } from './scenario.ts'

const TURNS = [...turn('ann', 2, 6), ...turn('bob', 7, 10), ...turn('cleo', 9, 13), ...turn('ann', 14, 16)]
/** Ann's turns over a long time, so that a bot that joins late captures some of them. */
const ANN_TALKS = Array.from({ length: 8 }, (_, index) => turn('ann', 2 + index * 6, 6 + index * 6)).flat()

export const CALL_SCENARIOS: Record<string, ZoomScenario> = {
  'wc-audio-webrtc': {
    about: 'A stream for every person, played by audio elements outside the tiles.',
    people: THREE,
    settings: { ...OPEN, page: { playback: 'webrtc' } },
    timeline: TURNS,
  },
  'wc-audio-worklet': {
    about: 'Sound mixed by the page and played by an AudioContext, pictures on canvases.',
    people: THREE,
    settings: { ...OPEN, page: { playback: 'worklet' } },
    timeline: TURNS,
  },
  'wc-audio-loopback': {
    about: 'Sound mixed by the page and sent round through a detached audio element, pictures on canvases.',
    people: THREE,
    settings: { ...OPEN, page: { playback: 'loopback' } },
    timeline: TURNS,
  },
  'wc-restless': {
    about: 'Three dialogs over each other, a banner and a tip; header and footer slide away after half a second.',
    settings: { ...OPEN, notices: ['ai-summary', 'livestream', 'recording'], page: { footerHideMs: 500 } },
    timeline: [inCall(1, 'show', 'recording-banner'), inCall(1, 'show', 'tip')],
  },
  'wc-audio-not-joined': {
    about: 'Nothing is heard before "Join Audio by Computer".',
    people: THREE,
    settings: { ...OPEN, page: { audio: 'dialog' } },
    timeline: TURNS,
  },
  'wc-mic-label-audio': {
    about: 'The microphone\'s button says only "audio".',
    settings: { ...OPEN, page: { audio: 'unknown' } },
  },
  'wc-chat-group': {
    about: 'Messages go to the "Meeting Group Chat".',
    settings: { ...OPEN, page: { chatReceiver: 'group', chatTip: true } },
    timeline: [inCall(2, 'say', 'ann', 'To the group')],
  },
  'wc-chat-drawn-late': {
    about: 'An opened chat shows its last message before the others.',
    settings: { ...OPEN, page: { chatDrawsLate: true } },
  },
  'wc-chat-textarea': {
    about: 'The plain text box of older builds.',
    settings: { ...OPEN, page: { chatEditor: 'textarea' } },
  },
  'wc-speaker-1to1': {
    about: 'One other person: no mark says who speaks.',
    people: [{ id: 'ann', name: 'Ann Host', isHost: true, camera: true }],
    settings: OPEN,
    timeline: ANN_TALKS,
  },
  'wc-gallery-active': {
    about: 'Gallery view; the mark of the last speaker stays after the speech.',
    people: THREE,
    settings: { ...OPEN, page: { view: 'gallery', activeLingerMs: null } },
    timeline: TURNS,
  },
  'wc-many-participants-virtualised': {
    about: 'Sixty people; the list holds the rows in view.',
    people: crowd(60),
    settings: OPEN,
  },
  'wc-reconnect-fails': {
    about: 'A network that is lost: the page gives up 30 s later.',
    settings: { ...OPEN, reconnectMs: 30_000 },
  },
}
