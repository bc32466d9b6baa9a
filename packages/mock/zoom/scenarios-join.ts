/** Scenarios about joining. */
import { open } from '../shared/scenario.ts'
import { ADMITTED, OPEN, type ZoomScenario } from './scenario.ts'

export const JOIN_SCENARIOS: Record<string, ZoomScenario> = {
  'wc-obstacle-course': open(
    'New launch page, devices asked for twice, a passcode, a former name; the first click on Join has no effect.',
    {
      launch: 'new',
      passcode: 'asked',
      preview: { permission: 'twice', name: 'Somebody Else', swallowedClicks: 1 },
    },
  ),
  'wc-slow-and-lenient': open(
    'Old launch page, 25 s of loading, no devices, cookie layer and disclaimer; any name is accepted.',
    {
      launch: 'old',
      loadingMs: 25_000,
      cookies: true,
      disclaimer: true,
      preview: { lenient: true },
      page: { devices: 'none' },
    },
  ),
  'wc-vanity-blank': open(
    "The company's own host serves the client, whose first load stays white; German unless English is asked for.",
    { vanity: true, blankLoads: 1, browserLanguage: true },
  ),
  'wc-external-german': {
    about: "The meeting is not that of the company's host. The page and the waiting room are German in any case.",
    settings: { load: 'external', vanity: true, page: { lang: 'de' } },
    timeline: ADMITTED,
  },
  'wc-launch-without-browser': open('The launch page offers no browser.', { launch: 'old-without-browser' }),
  'wc-classic': open('The older form, with terms and a cookie layer over it.', { form: 'classic', cookies: true }),
  'wc-pwa-iframe': { about: 'Everything is in a frame of the web app.', settings: { ...OPEN, framed: true } },
  'wc-passcode-wrong': open('The passcode of the link is wrong.', { passcode: 'wrong-in-link' }),
  'wc-passcode-missing': open('The link has no passcode, the meeting has one.', { passcode: 'missing-in-link' }),
  'wc-email-required': { about: 'The form wants an address, too.', settings: { ...OPEN, preview: { email: true } } },
  'wc-waiting-room-old': {
    about: 'The waiting room of older builds.',
    settings: { waitingLook: 'old' },
  },
  'wc-not-started-sdk': {
    about: "The host has not started the meeting, as the SDK's own view says it.",
    settings: { afterJoin: 'waiting-for-host', waitingLook: 'sdk' },
  },
  'wc-ended-in-waiting-room': {
    about: 'The host ends the meeting while the bot waits.',
    timeline: [{ in: 'lobby', afterMs: 4000, do: 'endForAll' }],
  },
  'wc-host-3001-then-starts': open(
    'The error page of an invalid link for 40 s, while the host has not started; then the form.',
    { invalidForMs: 40_000 },
  ),
  'wc-login-required': {
    about: 'The page says "Sign in to join this meeting"; no name box ever comes.',
    settings: { load: 'sign-in-text' },
  },
  'wc-signin-after-join': {
    about: 'The sign-in page comes after Join.',
    settings: { afterJoin: 'sign-in' },
  },
  'signed-in-join': open('Only those who are signed in (the cookie `_zm_ssid`) get the form, with their name in it.', {
    load: 'signed-in-only',
  }),
  'wc-captcha-frame': { about: 'A visible captcha in a frame.', settings: { preview: { captcha: 'frame' } } },
  'wc-captcha-failed': {
    about: 'The invisible captcha was failed, the page says after Join.',
    settings: { botWall: 'captcha-failed' },
  },
  'wc-bot-wall': { about: 'The bot wall covers the form from the start.', settings: { botWall: 'at-once' } },
  'wc-bot-wall-late': {
    about: 'The bot wall comes 2 s after Join, with a typographic apostrophe.',
    settings: { botWall: 'late' },
  },
  'wc-1132': { about: '"Unable to join meeting. Error code: 1132".', settings: { afterJoin: 'error-1132' } },
  'wc-browser-join-off': { about: 'Joining from a browser is off.', settings: { afterJoin: 'browser-off' } },
  'wc-policy-blocked': { about: 'The web client is blocked by policy.', settings: { afterJoin: 'policy' } },
  'wc-join-timeout': {
    about: '"Joining Meeting Timeout or Browser restriction".',
    settings: { afterJoin: 'timeout' },
  },
  'wc-spinner-stall': { about: 'Every load stays at the spinner.', settings: { stalledLoads: Infinity } },
  'wc-something-wrong': { about: '"Something went wrong".', settings: { load: 'something-wrong' } },
}
