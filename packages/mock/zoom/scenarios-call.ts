/** Scenarios that are about what happens in the meeting; most have no waiting room. */
import { inCall, open, THREE, turn } from '../shared/scenario.ts'
import { crowd, type ZoomScenario } from './scenario.ts'

const TURNS = [...turn('ann', 2, 6), ...turn('bob', 7, 10), ...turn('cleo', 9, 13), ...turn('ann', 14, 16)]
/** Ann's turns over a long time, so that a bot that joins late captures some of them. */
const ANN_TALKS = Array.from({ length: 8 }, (_, index) => turn('ann', 2 + index * 6, 6 + index * 6)).flat()

export const CALL_SCENARIOS: Record<string, ZoomScenario> = {
  'wc-audio-webrtc': open(
    'A stream for every person, played by audio elements outside the tiles.',
    { page: { playback: 'webrtc' } },
    TURNS,
    THREE,
  ),
  'wc-audio-worklet': open(
    'Sound mixed by the page and played by an AudioContext, pictures on canvases.',
    { page: { playback: 'worklet' } },
    TURNS,
    THREE,
  ),
  'wc-audio-loopback': open(
    'Sound mixed by the page and sent round through a detached audio element, pictures on canvases.',
    { page: { playback: 'loopback' } },
    TURNS,
    THREE,
  ),
  'wc-restless': open(
    'Three dialogs over each other, a banner and a tip; header and footer slide away after half a second.',
    { notices: ['ai-summary', 'livestream', 'recording'], page: { footerHideMs: 500 } },
    [inCall(1, 'show', 'recording-banner'), inCall(1, 'show', 'tip')],
  ),
  'wc-audio-not-joined': open(
    'Nothing is heard before "Join Audio by Computer".',
    { page: { audio: 'dialog' } },
    TURNS,
    THREE,
  ),
  'wc-mic-label-audio': open('The microphone\'s button says only "audio".', { page: { audio: 'unknown' } }),
  'wc-chat-group': open(
    'Messages go to the "Meeting Group Chat".',
    { page: { chatReceiver: 'group', chatTip: true } },
    [inCall(2, 'say', 'ann', 'To the group')],
  ),
  'wc-chat-drawn-late': open('An opened chat shows its last message before the others.', {
    page: { chatDrawsLate: true },
  }),
  'wc-chat-textarea': open('The plain text box of older builds.', { page: { chatEditor: 'textarea' } }),
  'wc-speaker-1to1': open('One other person: no mark says who speaks.', {}, ANN_TALKS, [
    { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  ]),
  'wc-gallery-active': open(
    'Gallery view; the mark of the last speaker stays after the speech.',
    { page: { view: 'gallery', activeLingerMs: null } },
    TURNS,
    THREE,
  ),
  'wc-many-participants-virtualised': open('Sixty people; the list holds the rows in view.', {}, undefined, crowd(60)),
  'wc-reconnect-fails': open('A network that is lost: the page gives up 30 s later.', { reconnectMs: 30_000 }),
}
