/** Scenarios about joining: the pre-join page and the waiting room. */
import { admitted, open } from '../shared/scenario.ts'
import { admitAfter, type Scenario } from './scenario.ts'

export const JOIN_SCENARIOS: Record<string, Scenario> = {
  'late-lobby-text': {
    about: 'Toolbar and own tile are there at once, the waiting room says so 6.4 s later; admitted at 15 s.',
    settings: { lobbyTextDelayMs: 6400, page: { lobbyTile: true } },
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
  'ended-in-lobby': {
    about: 'The host ends the meeting while the bot waits.',
    timeline: [{ in: 'lobby', afterMs: 4000, do: 'endForAll' }],
  },
  'login-wall': { about: 'The link leads to the sign-in page.', settings: { load: 'login-wall' } },
  'login-wall-after-click': {
    about: 'The sign-in page comes after the join button.',
    settings: { afterJoin: 'login-wall' },
  },
  'signed-in-join': open('Signed in: no name box, "Join now".', { page: { signedIn: true } }),
  'switch-here': open('The same account is in the call elsewhere.', {
    page: { signedIn: true, joinLabels: ['Switch here', 'Join here too'] },
  }),
  'blocked-after-click': {
    about: 'Half a second of black after the join button, then blocked, a countdown, off the site.',
    settings: { afterJoin: 'blocked' },
  },
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
  'http-503-forever': { about: 'HTTP 503 always.', settings: { failedLoads: Infinity } },
  'mic-button-div': admitted('Device toggles are div elements.', { page: { toggleTag: 'div' } }),
  'mic-button-button': admitted('Device toggles are buttons.', { page: { toggleTag: 'button' } }),
  'no-devices': admitted(
    'No microphone and no camera, which the button says; a persistent notice covers the toolbar.',
    {
      page: { devices: 'none', joinDetail: 'without microphone & camera', joinJsname: 'zK9pLd' },
    },
  ),
  'devices-reset-on-admit': admitted('Microphone and camera come on by themselves a second after admission.', {
    devicesReset: true,
  }),
  'slow-name-box': admitted('An error for a second, 25 s of "Getting ready", and a name box that is replaced once.', {
    callErrorFlash: true,
    loadingMs: 25_000,
    page: { nameBoxReplaced: true },
  }),
  'stubborn-form': admitted('A tip whose Escape takes the name back, and a join button that ignores two clicks.', {
    page: { escapeTip: true, swallow: { 'Ask to join': 2 } },
  }),
  'dialogs-before-the-name': admitted(
    'Devices are asked for twice, a promotion speaks of being "let in", the button says "Request entry".',
    { devicePrompt: 'twice', signinPromo: true, page: { joinLabels: ['Request entry'] } },
  ),
  'join-anyway-new-jsname': admitted('"Ask to join anyway", with a warning, on a button with another jsname.', {
    page: {
      joinLabels: ['Ask to join anyway'],
      joinWarning: 'This call is being recorded',
      joinJsname: 'zK9pLd',
    },
  }),
}
