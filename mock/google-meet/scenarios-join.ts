/** Scenarios about joining: the pre-join page and the waiting room. */
import { ADMITTED, admitAfter, type Scenario, STRAIGHT_IN } from './scenario.ts'

export const JOIN_SCENARIOS: Record<string, Scenario> = {
  'open-meeting-join-now': { about: 'An open meeting: "Join now" leads straight in.', settings: STRAIGHT_IN },
  'waiting-room-then-admit': { about: 'Admitted 8 s after the join request.', timeline: [admitAfter(8000)] },
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
  'request-timeout': {
    about: 'The host does not answer; the platform gives up (10 s here, 600 s in reality).',
    settings: { requestTimeoutMs: 10_000 },
  },
  'own-lobby-timeout': {
    about: 'The host does not answer, and the platform continues to wait.',
    settings: { requestTimeoutMs: Infinity },
  },
  'cancelled-in-lobby': {
    about: 'A join request that the bot has to withdraw.',
    settings: { requestTimeoutMs: Infinity },
  },
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
    about: 'The name box is replaced once; the typed text is lost.',
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
    about: 'No microphone and no camera; a persistent notice covers the toolbar.',
    settings: { page: { devices: 'none' } },
    timeline: ADMITTED,
  },
  'devices-reset-on-admit': {
    about: 'Microphone and camera come on by themselves a second after admission.',
    settings: { devicesReset: true },
    timeline: ADMITTED,
  },
  'slow-name-box': {
    about: 'An error for a second, 25 s of "Getting ready", and a name box that is replaced once.',
    settings: { callErrorFlash: true, loadingMs: 25_000, page: { nameBoxReplaced: true } },
    timeline: ADMITTED,
  },
  'stubborn-form': {
    about: 'A tip whose Escape takes the name back, and a join button that ignores two clicks.',
    settings: { page: { escapeTip: true, swallow: { 'Ask to join': 2 } } },
    timeline: ADMITTED,
  },
  'dialogs-before-the-name': {
    about: 'Devices are asked for twice, a promotion speaks of being "let in", the button says "Request entry".',
    settings: { devicePrompt: 'twice', signinPromo: true, page: { joinLabels: ['Request entry'] } },
    timeline: ADMITTED,
  },
  'join-anyway-new-jsname': {
    about: '"Ask to join anyway", with a warning, on a button with another jsname.',
    settings: {
      page: {
        joinLabels: ['Ask to join anyway'],
        joinWarning: 'This call is being recorded',
        joinJsname: 'zK9pLd',
      },
    },
    timeline: ADMITTED,
  },
  'captcha-invisible': { about: 'Only the invisible captcha frame every page has.', timeline: ADMITTED },
  'captcha-live': {
    about: 'A visible captcha that is never solved; the join request waits.',
    settings: { requestTimeoutMs: Infinity, page: { captcha: 'live' } },
  },
}
