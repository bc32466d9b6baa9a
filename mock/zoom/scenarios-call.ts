/** Scenarios that are about what happens in the meeting; most have no waiting room. */
import { inCall, THREE, turn } from '../shared/scenario.ts'
import { crowd, OPEN, type ZoomScenario } from './scenario.ts'

const TURNS = [...turn('ann', 2, 6), ...turn('bob', 7, 10), ...turn('cleo', 9, 13), ...turn('ann', 14, 16)]
/** Ann's turns over a long time, so that a bot that joins late captures some of them. */
const ANN_TALKS = Array.from({ length: 8 }, (_, index) => turn('ann', 2 + index * 6, 6 + index * 6)).flat()

export const CALL_SCENARIOS: Record<string, ZoomScenario> = {
  'wc-happy': {
    about: 'A guest with the passcode in the link, straight in: people talk and write.',
    people: THREE,
    settings: { ...OPEN, page: { view: 'speaker' } },
    timeline: [...TURNS, inCall(5, 'say', 'bob', 'Welcome')],
  },
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
  'wc-removed': { about: 'Removed after 20 s; Leave stays.', settings: OPEN, timeline: [inCall(20, 'remove')] },
  'wc-removed-early': { about: 'Removed after 4 s.', settings: OPEN, timeline: [inCall(4, 'remove')] },
  'wc-ended': { about: 'The host ends the meeting at 20 s.', settings: OPEN, timeline: [inCall(20, 'endForAll')] },
  'wc-ended-by-admin': {
    about: 'An admin ends the meeting at 20 s.',
    settings: OPEN,
    timeline: [inCall(20, 'show', 'ended-by-admin')],
  },
  'wc-host-other-meeting': {
    about: 'The host starts another meeting at 20 s.',
    settings: OPEN,
    timeline: [inCall(20, 'show', 'ended-other-meeting')],
  },
  'wc-left-without-dialog': {
    about: 'The page goes to the home page at 20 s, and nothing says why.',
    settings: OPEN,
    timeline: [inCall(20, 'show', 'gone-home')],
  },
  'wc-recording-consent': {
    about: 'The meeting is being recorded: a dialog with "Leave Meeting" and "Got it".',
    settings: { ...OPEN, notices: ['recording'] },
  },
  'wc-recording-mid-call': {
    about: 'Recording starts at 15 s.',
    settings: OPEN,
    timeline: [inCall(15, 'show', 'recording-ai')],
  },
  'wc-ai-notice': { about: 'AI Companion was turned on.', settings: { ...OPEN, notices: ['ai'] } },
  'wc-stacked-notices': {
    about: 'Three dialogs over each other, a banner and a tip.',
    settings: { ...OPEN, notices: ['ai-summary', 'livestream', 'recording'] },
    timeline: [inCall(1, 'show', 'recording-banner'), inCall(1, 'show', 'tip')],
  },
  'wc-restless': {
    about: 'Three dialogs over each other, a banner and a tip; header and footer slide away after half a second.',
    settings: { ...OPEN, notices: ['ai-summary', 'livestream', 'recording'], page: { footerHideMs: 500 } },
    timeline: [inCall(1, 'show', 'recording-banner'), inCall(1, 'show', 'tip')],
  },
  'wc-footer-hidden': {
    about: 'Header and footer slide away after half a second.',
    settings: { ...OPEN, page: { footerHideMs: 500 } },
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
  'wc-ask-to-unmute': {
    about: 'The host asks the bot to unmute at 5 s.',
    settings: OPEN,
    timeline: [inCall(5, 'muteBot'), inCall(6, 'show', 'ask-to-unmute')],
  },
  'wc-becomes-host': {
    about: 'The host leaves at 5 s and the bot becomes host: the red button ends the meeting for all.',
    people: THREE,
    settings: OPEN,
    timeline: [inCall(5, 'removePerson', 'ann'), inCall(5, 'show', 'make-host')],
  },
  'wc-new-host': {
    about: 'Bob becomes host at 5 s.',
    settings: OPEN,
    timeline: [inCall(5, 'show', 'new-host')],
  },
  'wc-host-left': {
    about: 'The host leaves at 10 s; all wait for another, who comes 10 s later.',
    settings: OPEN,
    timeline: [inCall(10, 'show', 'host-left'), { in: 'onHold', afterMs: 10_000, do: 'admit' }],
  },
  'wc-chat-read-send': {
    about: 'Messages with every kind of text.',
    settings: OPEN,
    timeline: [
      inCall(2, 'say', 'ann', 'Hello 👋 – ça va? 你好 🇸🇪'),
      inCall(3, 'say', 'ann', 'The notes are at https://example.com/notes?page=1&x=<b> now'),
      inCall(3.5, 'show', 'private-message'),
      inCall(4, 'say', 'bob', 'One line\nand another, with, commas'),
      inCall(5, 'say', 'ann', '<img src=x onerror=alert(1)>'),
      inCall(6, 'say', 'bob', `${'x'.repeat(1000)}.`),
    ],
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
  'wc-chat-disabled': { about: 'Chat is disabled.', settings: { ...OPEN, page: { chat: 'disabled' } } },
  'wc-chat-disabled-mid-call': {
    about: 'The host disables the chat at 15 s.',
    settings: OPEN,
    timeline: [inCall(15, 'chatOff')],
  },
  'wc-chat-denial-words': {
    about: 'Messages that read like the end of the meeting.',
    settings: OPEN,
    timeline: [
      inCall(2, 'say', 'ann', 'You have been removed from this meeting by the host.'),
      inCall(3, 'say', 'bob', 'The meeting has been ended'),
      inCall(4, 'say', 'ann', 'Please wait, the meeting host will let you in soon. Joining Meeting...'),
    ],
  },
  'wc-chat-virtualised': {
    about: 'Sixty messages, of which the list holds those in view.',
    settings: OPEN,
    timeline: Array.from({ length: 60 }, (_, index) =>
      inCall(2 + index / 10, 'say', index % 3 === 0 ? 'ann' : 'bob', `Message number ${index + 1}`),
    ),
  },
  'wc-speaker-switch': {
    about: 'Speakers follow each other, with an overlap, in speaker view.',
    people: THREE,
    settings: { ...OPEN, page: { view: 'speaker' } },
    timeline: TURNS,
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
  'wc-gallery-mark-stays': {
    about: 'Gallery view in which the mark outlives the speech, and not a word by itself.',
    people: THREE,
    settings: { ...OPEN, page: { view: 'gallery', activeLingerMs: null } },
  },
  'wc-gallery-pages': {
    about: 'Gallery view with nine tiles on a page and fourteen people.',
    people: crowd(14),
    settings: { ...OPEN, page: { view: 'gallery', galleryTiles: 9 } },
  },
  'wc-share-layout': {
    about: 'Cléo shares her screen from 3 s to 15 s.',
    people: THREE,
    settings: OPEN,
    timeline: [inCall(3, 'startSharing', 'cleo'), ...turn('cleo', 4, 10), inCall(15, 'stopSharing', 'cleo')],
  },
  'wc-many-participants-virtualised': {
    about: 'Sixty people; the list holds the rows in view.',
    people: crowd(60),
    settings: OPEN,
  },
  'wc-names': {
    about: 'Names with umlauts, emoji, commas, brackets and markup, and two people of one name.',
    people: [
      { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
      { id: 'alex-1', name: 'Alex', camera: true },
      { id: 'alex-2', name: 'Alex', camera: false },
      { id: 'comma', name: 'Müller, Jörg (Host)', camera: false },
      { id: 'markup', name: '<b>Eve</b> 👩‍💻', camera: false },
      { id: 'phone-1', name: '+1 555 0100', camera: false },
      { id: 'guest-1', name: 'Gus Guest', camera: false },
      { id: 'long', name: 'ß'.repeat(64), camera: false },
    ],
    settings: OPEN,
    timeline: [...turn('alex-1', 2, 4), ...turn('alex-2', 5, 7)],
  },
  'wc-joins-and-leaves': {
    about: 'People come, are renamed and go.',
    settings: OPEN,
    timeline: [
      inCall(2, 'addPerson', 'dan', 'Dan Dole'),
      inCall(5, 'renamePerson', 'dan', 'Daniel Dole'),
      inCall(8, 'removePerson', 'dan'),
      inCall(10, 'setCamera', 'bob', 'off'),
    ],
  },
  'wc-duplicate-session': {
    about: '"You have joined this meeting on another platform" at 10 s.',
    settings: OPEN,
    timeline: [inCall(10, 'show', 'other-device')],
  },
  'wc-reconnect': {
    about: 'The network is lost at 10 s and back at 20 s.',
    settings: OPEN,
    timeline: [inCall(10, 'loseConnection'), inCall(20, 'regainConnection')],
  },
  'wc-reconnect-fails': {
    about: 'The network is lost at 10 s; the page gives up 30 s later.',
    settings: { ...OPEN, reconnectMs: 30_000 },
    timeline: [inCall(10, 'loseConnection')],
  },
  'wc-free-limit': {
    about: 'The free meeting is announced to end at 5 s and ends at 20 s.',
    settings: OPEN,
    timeline: [inCall(5, 'show', 'free-limit'), inCall(20, 'show', 'ended-free')],
  },
  'wc-breakout': {
    about: 'An invitation to a breakout room at 5 s.',
    settings: OPEN,
    timeline: [inCall(5, 'show', 'breakout-invitation')],
  },
  'wc-locked-later': {
    about: 'The host locks the meeting at 3 s: its title says so.',
    settings: OPEN,
    timeline: [inCall(3, 'show', 'lock')],
  },
  'wc-alone': { about: 'Nobody ever comes.', people: [], settings: OPEN },
  'wc-everyone-left': {
    about: 'All others leave at 20 s.',
    settings: OPEN,
    timeline: [inCall(20, 'everyoneLeaves')],
  },
  'wc-silence': { about: 'The other participants are silent.', people: THREE, settings: OPEN },
  'wc-freeze': {
    about: 'The page freezes for 30 s at 10 s.',
    settings: OPEN,
    timeline: [inCall(10, 'show', 'freeze')],
  },
}
