/** Scenarios about joining. */
import { admitAfter, inCall, type Step } from '../shared/scenario.ts'
import { ADMITTED, OPEN, type ZoomScenario } from './scenario.ts'

const steps = (...timeline: Step[]) => timeline

export const JOIN_SCENARIOS: Record<string, ZoomScenario> = {
  'wc-launch-new': { about: 'The link is that of the launch page.', settings: { ...OPEN, launch: 'new' } },
  'wc-launch-old': {
    about: 'The older launch page, whose way to the browser shows after a click.',
    settings: { ...OPEN, launch: 'old' },
  },
  'wc-obstacle-course': {
    about:
      'New launch page, devices asked for twice, a passcode, a former name; the first click on Join has no effect.',
    settings: {
      ...OPEN,
      launch: 'new',
      passcode: 'asked',
      preview: { permission: 'twice', name: 'Somebody Else', swallowedClicks: 1 },
    },
  },
  'wc-slow-and-lenient': {
    about: 'Old launch page, 25 s of loading, no devices, cookie layer and disclaimer; any name is accepted.',
    settings: {
      ...OPEN,
      launch: 'old',
      loadingMs: 25_000,
      cookies: true,
      disclaimer: true,
      preview: { lenient: true },
      page: { devices: 'none' },
    },
  },
  'wc-vanity-blank': {
    about:
      "The company's own host serves the client, whose first load stays white; German unless English is asked for.",
    settings: { ...OPEN, vanity: true, blankLoads: 1, browserLanguage: true },
  },
  'wc-external-german': {
    about: "The meeting is not that of the company's host. The page and the waiting room are German in any case.",
    settings: { load: 'external', vanity: true, page: { lang: 'de' } },
    timeline: ADMITTED,
  },
  'wc-launch-without-browser': {
    about: 'The launch page offers no browser.',
    settings: { ...OPEN, launch: 'old-without-browser' },
  },
  'wc-classic': {
    about: 'The older form, with terms and a cookie layer over it.',
    settings: { ...OPEN, form: 'classic', cookies: true },
  },
  'wc-pwa-iframe': { about: 'Everything is in a frame of the web app.', settings: { ...OPEN, framed: true } },
  'wc-vanity-host': { about: "The company's own host serves the client.", settings: { ...OPEN, vanity: true } },
  'wc-external-meeting': {
    about: "The meeting does not belong to the company's host, which says so; the common host serves it.",
    settings: { ...OPEN, load: 'external', vanity: true },
  },
  'wc-cookie-terms': {
    about: "A cookie layer over the form, and the organization's disclaimer before entry.",
    settings: { ...OPEN, cookies: true, disclaimer: true },
  },
  'wc-permission-once': {
    about: "The client's own dialog about devices.",
    settings: { ...OPEN, preview: { permission: 'once' } },
  },
  'wc-permission-twice': {
    about: "The client's own dialog about devices, twice.",
    settings: { ...OPEN, preview: { permission: 'twice' } },
  },
  'wc-no-devices': { about: 'No microphone and no camera.', settings: { ...OPEN, page: { devices: 'none' } } },
  'wc-passcode-field': {
    about: 'The form asks for the passcode that the link has.',
    settings: { ...OPEN, passcode: 'asked' },
  },
  'wc-passcode-wrong': {
    about: 'The passcode of the link is wrong.',
    settings: { ...OPEN, passcode: 'wrong-in-link' },
  },
  'wc-passcode-missing': {
    about: 'The link has no passcode, the meeting has one.',
    settings: { ...OPEN, passcode: 'missing-in-link' },
  },
  'wc-name-needs-real-keys': {
    about: 'A name that was set without keys leaves Join disabled, as in most scenarios.',
    settings: { ...OPEN, preview: { lenient: false } },
  },
  'wc-name-lenient': {
    about: 'A name that was set without keys is accepted.',
    settings: { ...OPEN, preview: { lenient: true } },
  },
  'wc-name-prefilled': {
    about: 'The name box holds a former name.',
    settings: { ...OPEN, preview: { name: 'Somebody Else' } },
  },
  'wc-email-required': { about: 'The form wants an address, too.', settings: { ...OPEN, preview: { email: true } } },
  'wc-join-click-race': {
    about: 'The first click on Join has no effect.',
    settings: { ...OPEN, preview: { swallowedClicks: 1 } },
  },
  'wc-waiting-room-admit': { about: 'Admitted 8 s after the join request.', timeline: [admitAfter(8000)] },
  'wc-waiting-room-deny': {
    about: 'Removed from the waiting room after 5 s.',
    timeline: steps({ in: 'lobby', afterMs: 5000, do: 'deny' }),
  },
  'wc-waiting-room-old': {
    about: 'The waiting room of older builds; admitted after 8 s.',
    settings: { waitingLook: 'old' },
    timeline: [admitAfter(8000)],
  },
  'wc-waiting-room-timeout': { about: 'The host does not answer; the platform continues to wait.' },
  'wc-ended-in-waiting-room': {
    about: 'The host ends the meeting while the bot waits.',
    timeline: steps({ in: 'lobby', afterMs: 4000, do: 'endForAll' }),
  },
  'wc-host-not-started': {
    about: 'The host has not started the meeting, and does not.',
    settings: { afterJoin: 'waiting-for-host' },
  },
  'wc-host-starts': {
    about: 'The host starts the meeting after 10 s, with a waiting room; admitted at once.',
    settings: { afterJoin: 'waiting-for-host' },
    timeline: steps({ in: 'waitingForHost', afterMs: 10_000, do: 'admit' }, admitAfter(2000)),
  },
  'wc-host-3001-then-starts': {
    about: 'The error page of an invalid link for 40 s, while the host has not started; then the form.',
    settings: { ...OPEN, invalidForMs: 40_000 },
  },
  'wc-invalid-link': { about: '"This meeting link is invalid (3,001)", for ever.', settings: { load: 'invalid-link' } },
  'wc-login-required': {
    about: 'The page says "Sign in to join this meeting"; no name box ever comes.',
    settings: { load: 'sign-in-text' },
  },
  'wc-authorized-only': { about: 'Authorized participants only.', settings: { load: 'authorized-only' } },
  'wc-signin-redirect': { about: 'The link leads to the sign-in page.', settings: { load: 'sign-in' } },
  'wc-signin-after-join': {
    about: 'The sign-in page comes after Join.',
    settings: { afterJoin: 'sign-in' },
  },
  'signed-in-join': {
    about: 'Only those who are signed in (the cookie `_zm_ssid`) get the form, with their name in it.',
    settings: { ...OPEN, load: 'signed-in-only' },
  },
  'wc-registration': { about: 'The link leads to a registration.', settings: { load: 'registration' } },
  'wc-captcha': { about: 'Letters to be typed from a picture.', settings: { preview: { captcha: 'characters' } } },
  'wc-captcha-frame': { about: 'A visible captcha in a frame.', settings: { preview: { captcha: 'frame' } } },
  'wc-captcha-failed': {
    about: 'The invisible captcha was failed, the page says after Join.',
    settings: { botWall: 'captcha-failed' },
  },
  'wc-bot-wall': { about: 'The bot wall covers the form from the start.', settings: { botWall: 'at-once' } },
  'wc-bot-wall-after-join': { about: 'The bot wall comes with Join.', settings: { botWall: 'after-join' } },
  'wc-bot-wall-late': {
    about: 'The bot wall comes 2 s after Join, with a typographic apostrophe.',
    settings: { botWall: 'late' },
  },
  'wc-1132': { about: '"Unable to join meeting. Error code: 1132".', settings: { afterJoin: 'error-1132' } },
  'wc-browser-join-off': { about: 'Joining from a browser is off.', settings: { afterJoin: 'browser-off' } },
  'wc-policy-blocked': { about: 'The web client is blocked by policy.', settings: { afterJoin: 'policy' } },
  'wc-locked': { about: 'The host locked the meeting.', settings: { afterJoin: 'locked' } },
  'wc-full': { about: 'The meeting is full.', settings: { afterJoin: 'full' } },
  'wc-removed-before': { about: 'The bot was removed from it before.', settings: { afterJoin: 'removed-before' } },
  'wc-join-timeout': {
    about: '"Joining Meeting Timeout or Browser restriction".',
    settings: { afterJoin: 'timeout' },
  },
  'wc-blank-page': { about: 'The first load stays white.', settings: { ...OPEN, blankLoads: 1 } },
  'wc-spinner-stall': { about: 'Every load stays at the spinner.', settings: { stalledLoads: Infinity } },
  'wc-something-wrong': { about: '"Something went wrong".', settings: { load: 'something-wrong' } },
  'wc-name-input-late': {
    about: '25 s of loading before the form.',
    settings: { loadingMs: 25_000 },
    timeline: ADMITTED,
  },
  'wc-german': {
    about: 'German, unless the browser asks for English.',
    settings: { ...OPEN, browserLanguage: true },
  },
  'wc-german-forced': {
    about: 'The page is German in any case.',
    settings: { page: { lang: 'de' } },
    timeline: ADMITTED,
  },
  'wc-on-hold-and-back': {
    about: 'Put back into the waiting room at 10 s, admitted again 10 s later.',
    timeline: [...ADMITTED, inCall(10, 'show', 'on-hold'), { in: 'onHold', afterMs: 10_000, do: 'admit' }],
  },
}
