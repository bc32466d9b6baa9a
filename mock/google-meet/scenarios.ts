/** The mock's scenarios as data: how each page load looks and what happens by itself. */
import type { MockPerson } from '../types.ts'
import type { ScenarioSettings } from './settings.ts'
import type { VisitState } from './visit.ts'

export interface Step {
  /** Counted from when the page enters this state. */
  in: VisitState
  /** At speed 1. */
  afterMs: number
  do:
    | 'admit'
    | 'deny'
    | 'remove'
    | 'endForAll'
    | 'everyoneLeaves'
    | 'addPerson'
    | 'removePerson'
    | 'startSpeaking'
    | 'stopSpeaking'
    | 'startSharing'
    | 'stopSharing'
    | 'say'
    | 'chatOff'
    | 'muteBot'
    | 'loseConnection'
    | 'regainConnection'
    | 'show'
  with?: string[]
}

export interface Scenario {
  /** What happens, in a sentence for people. */
  about: string
  settings?: Partial<ScenarioSettings>
  /** Who is inside when the bot comes; `DEFAULT_PEOPLE` where a scenario names nobody. */
  people?: MockPerson[]
  timeline?: Step[]
}

export const DEFAULT_PEOPLE: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'bob', name: 'Bob Berg', camera: false, muted: true },
]

const THREE: MockPerson[] = [...DEFAULT_PEOPLE, { id: 'cleo', name: 'Cléo Ñandú', camera: true }]

function admitAfter(afterMs: number): Step {
  return { in: 'lobby', afterMs, do: 'admit' }
}

const inCall = (seconds: number, what: Step['do'], ...args: string[]): Step => ({
  in: 'call',
  afterMs: seconds * 1000,
  do: what,
  with: args,
})

function turn(id: string, from: number, to: number): Step[] {
  return [inCall(from, 'startSpeaking', id), inCall(to, 'stopSpeaking', id)]
}

/** Admitted after a moment, without anything else. */
const ADMITTED: Step[] = [admitAfter(2000)]
const STRAIGHT_IN: Partial<ScenarioSettings> = { afterJoin: 'call' }

export const SCENARIOS: Record<string, Scenario> = {
  'open-meeting-join-now': { about: 'An open meeting: "Join now" leads straight in.', settings: STRAIGHT_IN },
  'waiting-room': { about: 'A knock that waits until the host decides.' },
  'waiting-room-then-admit': { about: 'Admitted 8 s after the knock.', timeline: [admitAfter(8000)] },
  'late-lobby-text': {
    about: 'The toolbar is there at once, the waiting room says so 6.4 s later; admitted at 15 s.',
    settings: { lobbyTextDelayMs: 6400 },
    timeline: [admitAfter(15_000)],
  },
  'effects-phantom-tile': {
    about: 'A long wait with a participant id on the effects button, which is no tile.',
    settings: { lobbyTextDelayMs: 1500 },
  },
  denied: { about: 'Denied after 5 s.', timeline: [{ in: 'lobby', afterMs: 5000, do: 'deny' }] },
  'denied-stale-lobby-text': {
    about: 'Denied after 5 s, with the waiting room text still visible.',
    settings: { lobbyTextAfterDenial: 'visible' },
    timeline: [{ in: 'lobby', afterMs: 5000, do: 'deny' }],
  },
  'denied-as-you-left': {
    about: 'Denied after 5 s in the words "You left the meeting".',
    settings: { denial: 'left' },
    timeline: [{ in: 'lobby', afterMs: 5000, do: 'deny' }],
  },
  'knock-timeout': {
    about: 'Nobody answers; the platform gives up (10 s here, 600 s in reality).',
    settings: { knockTimeoutMs: 10_000 },
  },
  'own-lobby-timeout': { about: 'Nobody answers and the platform waits on.', settings: { knockTimeoutMs: Infinity } },
  'cancelled-in-lobby': { about: 'A knock that the bot is to take back.', settings: { knockTimeoutMs: Infinity } },
  'ended-in-lobby': {
    about: 'The host ends the meeting while the bot waits.',
    timeline: [{ in: 'lobby', afterMs: 4000, do: 'endForAll' }],
  },
  'waiting-for-host': {
    about: '"Waiting for the host to join"; the host comes after 20 s.',
    settings: { afterJoin: 'waiting-for-host' },
    timeline: [{ in: 'waitingForHost', afterMs: 20_000, do: 'admit' }],
  },
  'host-never-comes': {
    about: '"Waiting for the host to join", for ever.',
    settings: { afterJoin: 'waiting-for-host' },
  },
  'login-wall': { about: 'The link leads to the sign-in page.', settings: { load: 'login-wall' } },
  'login-wall-after-click': {
    about: 'The sign-in page comes after the join button.',
    settings: { afterJoin: 'login-wall' },
  },
  'signed-in-session-lost': { about: 'A page that should be signed in shows the name box.' },
  'signed-in-join': {
    about: 'Signed in: no name box, "Join now".',
    settings: { ...STRAIGHT_IN, page: { signedIn: true } },
  },
  'switch-here': {
    about: 'The same account is in the call elsewhere.',
    settings: { ...STRAIGHT_IN, page: { signedIn: true, joinLabels: ['Switch here', 'Join here too'] } },
  },
  'blocked-at-load': {
    about: '"You can\'t join this video call" at every load.',
    settings: { blockedLoads: Infinity },
  },
  'blocked-after-click': {
    about: 'Half a second of black after the join button, then blocked, a countdown, off the site.',
    settings: { afterJoin: 'blocked' },
  },
  'blocked-then-ok': {
    about: 'The first two loads are blocked, the third is fine.',
    settings: { blockedLoads: 2 },
    timeline: ADMITTED,
  },
  'invalid-code': { about: '"Check your meeting code".', settings: { load: 'invalid-code', loadingMs: 2000 } },
  'invalid-name': { about: '"Invalid video call name".', settings: { load: 'invalid-name', loadingMs: 2000 } },
  'code-does-not-work': {
    about: 'The newer words for an unknown code, with a typographic apostrophe.',
    settings: { load: 'code-does-not-work', loadingMs: 2000 },
  },
  'expired-code': {
    about: '"Your meeting code has expired".',
    settings: { load: 'expired-code', loadingMs: 2000 },
  },
  'redirect-to-landing': { about: 'The link leads to the home page.', settings: { load: 'landing' } },
  'http-503': { about: 'HTTP 503 twice, then fine.', settings: { failedLoads: 2 }, timeline: ADMITTED },
  'http-503-forever': { about: 'HTTP 503 always.', settings: { failedLoads: Infinity } },
  'call-error-flash': {
    about: '"Couldn\'t start the video call" for a second, then normal.',
    settings: { callErrorFlash: true },
    timeline: ADMITTED,
  },
  'name-input-appears-late': {
    about: '25 s of "Getting ready".',
    settings: { loadingMs: 25_000 },
    timeline: ADMITTED,
  },
  'name-input-replaced': {
    about: 'The name box is made anew once; what was typed is lost.',
    settings: { page: { nameBoxReplaced: true } },
    timeline: ADMITTED,
  },
  'name-escape-reverts': {
    about: 'A tip invites to press Escape, which takes the name back.',
    settings: { page: { escapeTip: true } },
    timeline: ADMITTED,
  },
  'new-button-label': {
    about: 'The join button says "Request entry".',
    settings: { page: { joinLabels: ['Request entry'] } },
    timeline: ADMITTED,
  },
  'new-jsname': {
    about: 'The join button has another jsname.',
    settings: { page: { joinJsname: 'zK9pLd' } },
    timeline: ADMITTED,
  },
  'join-anyway': {
    about: '"Ask to join anyway", with a warning.',
    settings: { page: { joinLabels: ['Ask to join anyway'], joinWarning: 'This call is being recorded' } },
    timeline: ADMITTED,
  },
  'click-swallowed': {
    about: 'The first two clicks on the join button are ignored.',
    settings: { page: { swallow: { 'Ask to join': 2 } } },
    timeline: ADMITTED,
  },
  'media-prompt': {
    about: 'A dialog asks about microphone and camera first.',
    settings: { devicePrompt: 'once' },
    timeline: ADMITTED,
  },
  'media-prompt-twice': {
    about: 'The dialog about microphone and camera comes again after the join button.',
    settings: { devicePrompt: 'twice' },
    timeline: ADMITTED,
  },
  'signin-promo-got-it': {
    about: 'A promotion that speaks of being "let in".',
    settings: { signinPromo: true },
    timeline: ADMITTED,
  },
  'mic-button-div': {
    about: 'Device toggles are div elements.',
    settings: { page: { toggleTag: 'div' } },
    timeline: ADMITTED,
  },
  'mic-button-button': {
    about: 'Device toggles are buttons.',
    settings: { page: { toggleTag: 'button' } },
    timeline: ADMITTED,
  },
  'no-devices': {
    about: 'No microphone and no camera; a persistent notice lies over the toolbar.',
    settings: { page: { devices: 'none' } },
    timeline: ADMITTED,
  },
  'devices-reset-on-admit': {
    about: 'Microphone and camera come on by themselves a second after admission.',
    settings: { devicesReset: true },
    timeline: ADMITTED,
  },
  'captcha-invisible': { about: 'Only the invisible captcha frame every page has.', timeline: ADMITTED },
  'captcha-live': {
    about: 'A visible captcha that nobody solves; the knock waits.',
    settings: { knockTimeoutMs: Infinity, page: { captcha: 'live' } },
  },
  'consent-dialog-after-admit': {
    about: 'The call is being recorded: consent is asked for before the bot is in.',
    settings: { consent: 'recording' },
    timeline: ADMITTED,
  },
  'consent-gemini': {
    about: 'Consent to "take notes for me".',
    settings: { consent: 'gemini' },
    timeline: ADMITTED,
  },
  'gemini-pill-only': {
    about: 'A pill says that notes are taken; nothing is asked.',
    timeline: [...ADMITTED, inCall(1, 'show', 'gemini-pill')],
  },
  'consent-mid-call': {
    about: 'Recording starts 30 s into the call.',
    timeline: [...ADMITTED, inCall(30, 'show', 'consent')],
  },
  'got-it-stack': { about: 'Three tips, one after another.', settings: { tips: 3 }, timeline: ADMITTED },
  'toolbar-hidden': {
    about: 'The toolbar hides after half a second without a pointer.',
    settings: { page: { toolbarHideMs: 500 } },
    timeline: ADMITTED,
  },
  'people-badge-ui': {
    about: 'A badge at the top right in place of the people button.',
    settings: { page: { peopleBadge: true } },
    timeline: ADMITTED,
  },
  'people-virtualised': {
    about: '60 people; the list holds 20 rows at a time.',
    people: Array.from({ length: 60 }, (_, index) => ({
      id: `p${index + 1}`,
      name: index === 0 ? 'Ann Host' : `Guest Number ${index + 1}`,
      isHost: index === 0,
      camera: index < 2,
    })),
    settings: { page: { peopleBadge: false } },
    timeline: ADMITTED,
  },
  'duplicate-names': {
    about: 'Two people named Alex.',
    people: [
      ...DEFAULT_PEOPLE,
      { id: 'alex-1', name: 'Alex', camera: true },
      { id: 'alex-2', name: 'Alex', camera: true },
    ],
    timeline: [...ADMITTED, ...turn('alex-1', 2, 4), ...turn('alex-2', 5, 7)],
  },
  'no-data-self-name': {
    about: 'The old attribute with the own name is absent.',
    settings: { page: { selfNameAttribute: false } },
    timeline: ADMITTED,
  },
  'screen-share-tile': {
    about: 'Cléo shares her screen from 3 s to 15 s: a second tile, not a person.',
    people: THREE,
    timeline: [...ADMITTED, inCall(3, 'startSharing', 'cleo'), inCall(15, 'stopSharing', 'cleo')],
  },
  'merged-audio': {
    about: 'Three people in one room with one sound.',
    people: [...THREE, { id: 'dan', name: 'Dan Dole', camera: true }],
    settings: { mergedAudio: true },
    timeline: [...ADMITTED, ...turn('cleo', 2, 6), ...turn('ann', 7, 9)],
  },
  'class-rotation': {
    about: 'All class names are random, as always here.',
    people: THREE,
    timeline: [...ADMITTED, ...turn('ann', 2, 4), inCall(3, 'say', 'bob', 'Classes changed again')],
  },
  'known-classes': {
    about: 'The class names of earlier captures.',
    settings: { page: { knownClasses: true } },
    timeline: ADMITTED,
  },
  'speaker-csrc': {
    about: 'Turns of speech with an overlap, named by their contributing source.',
    people: THREE,
    timeline: [
      ...ADMITTED,
      ...turn('ann', 2, 6),
      ...turn('bob', 7, 10),
      ...turn('cleo', 9, 13),
      ...turn('ann', 14, 16),
    ],
  },
  'no-audio-elements': {
    about: 'The page mixes the sound itself: no audio elements, no sources to read.',
    people: THREE,
    settings: { page: { audio: 'worklet' } },
    timeline: [...ADMITTED, ...turn('ann', 2, 6), ...turn('cleo', 7, 11)],
  },
  'captions-and-translation': {
    about: 'Captions are behind "Captions and translation".',
    settings: { page: { captionsMenu: true } },
    timeline: [...ADMITTED, ...turn('ann', 3, 10)],
  },
  'captions-region-replaced': {
    about: 'The captions region is swapped for a new node at 8 s.',
    timeline: [...ADMITTED, ...turn('ann', 3, 14), inCall(8, 'show', 'replace-captions')],
  },
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
  'chat-new-message-label': {
    about: 'A message comes at once, so the chat button says so.',
    timeline: [...ADMITTED, inCall(1, 'say', 'bob', 'Anybody here?')],
  },
  'chat-pin-overlay': {
    about: 'Pin buttons carry the id of their message.',
    settings: { page: { chatPins: true } },
    timeline: [...ADMITTED, inCall(2, 'say', 'ann', 'Pin me'), inCall(4, 'say', 'ann', 'Me too')],
  },
  'chat-disabled': { about: 'The host turned chat off.', settings: { page: { chat: 'off' } }, timeline: ADMITTED },
  'chat-disabled-mid-call': {
    about: 'Chat is turned off at 20 s.',
    timeline: [...ADMITTED, inCall(20, 'chatOff')],
  },
  'layout-change-layout': {
    about: 'The layout is behind "Change layout".',
    settings: { page: { layoutLabel: 'Change layout' } },
    timeline: ADMITTED,
  },
  'layout-adjust-view': {
    about: 'The layout is behind "Adjust view".',
    settings: { page: { layoutLabel: 'Adjust view' } },
    timeline: ADMITTED,
  },
  'layout-dialog-blocked': {
    about: 'A tip covers the layout dialog once.',
    settings: { page: { layoutTip: true } },
    timeline: ADMITTED,
  },
  'muted-by-host': {
    about: 'The microphone is muted by the host at 10 s.',
    timeline: [...ADMITTED, inCall(10, 'muteBot')],
  },
  'removed-by-host': { about: 'Removed after 60 s.', timeline: [...ADMITTED, inCall(60, 'remove')] },
  'removed-early': { about: 'Removed after 5 s.', timeline: [...ADMITTED, inCall(5, 'remove')] },
  'redirected-in-call': {
    about: 'The page leaves the site at 10 s.',
    timeline: [...ADMITTED, inCall(10, 'show', 'off-site')],
  },
  'false-admission': {
    about: 'Something like the call for a moment, then the waiting room again, then a denial.',
    timeline: [...ADMITTED, inCall(1, 'show', 'lobby'), { in: 'lobby', afterMs: 9000, do: 'deny' }],
  },
  'meeting-ended': { about: 'The host ends the meeting at 20 s.', timeline: [...ADMITTED, inCall(20, 'endForAll')] },
  'everyone-left': {
    about: 'The last person leaves at 20 s.',
    timeline: [...ADMITTED, inCall(20, 'everyoneLeaves')],
  },
  'call-ended-everyone-left': {
    about: 'Everybody leaves at 20 s and the platform ends the call.',
    timeline: [...ADMITTED, inCall(20, 'everyoneLeaves'), inCall(22, 'show', 'everyone-left')],
  },
  'never-anyone': { about: 'Nobody ever comes.', people: [], settings: STRAIGHT_IN },
  'alone-prompt': {
    about: 'Alone: "Are you still there?"',
    people: [],
    settings: { ...STRAIGHT_IN, aloneMs: 10_000 },
  },
  silence: { about: 'People, and not a word.', people: THREE, timeline: ADMITTED },
  'reconnect-recovers': {
    about: 'The network is lost at 10 s and back at 20 s.',
    timeline: [...ADMITTED, inCall(10, 'loseConnection'), inCall(20, 'regainConnection')],
  },
  'reconnect-fails': {
    about: 'The network is lost at 10 s and stays lost.',
    settings: { reconnectMs: Infinity },
    timeline: [...ADMITTED, inCall(10, 'loseConnection')],
  },
  'false-positive-strings': {
    about: 'Chat messages that read like the end of the call.',
    timeline: [
      ...ADMITTED,
      inCall(2, 'say', 'ann', "You've been removed from the meeting"),
      inCall(3, 'say', 'bob', 'The call ended'),
      inCall(4, 'say', 'ann', 'Asking to be let in... You left the meeting. Return to home screen'),
    ],
  },
  'leave-normal': { about: 'Leaving as it should be.', timeline: ADMITTED },
  'leave-host-dialog': {
    about: 'Leaving asks whether to end the call for everybody.',
    settings: { page: { leaveDialog: true } },
    timeline: ADMITTED,
  },
  'leave-button-stuck': {
    about: 'The first two clicks on "Leave call" are ignored.',
    settings: { page: { swallow: { 'Leave call': 2 } } },
    timeline: ADMITTED,
  },
  'page-freeze': {
    about: 'The page stands still for 30 s from 10 s on.',
    timeline: [...ADMITTED, inCall(10, 'show', 'freeze')],
  },
  'non-english-lobby': {
    about: 'The page speaks German whatever was asked for.',
    settings: { page: { lang: 'de' } },
    timeline: ADMITTED,
  },
}
