/**
 * Scenarios of the way to the pre-join page: links, launcher, sign-in, dialogs before the name
 * (docs/platform-notes/microsoft-teams.md#the-mock).
 */
import { ADMITTED } from '../shared/scenario.ts'
import type { TeamsScenario } from './meeting.ts'

export const JOIN_SCENARIOS: Readonly<Record<string, TeamsScenario>> = {
  'waiting-room': { about: 'A request that waits until the host decides.' },
  open: { about: 'No waiting room: "Join now" leads straight in.', settings: { afterJoin: 'call' } },
  'happy-direct-no-lobby': {
    about: 'Straight in, and the meeting ends after a minute.',
    settings: { afterJoin: 'call' },
    timeline: [{ in: 'call', afterMs: 60_000, do: 'endForAll' }],
  },
  'classic-link': {
    about: 'A link of the long form, with the meeting’s thread.',
    settings: { link: 'classic' },
    timeline: ADMITTED,
  },
  'personal-account': {
    about: 'A meeting of a personal account, whose toolbar differs.',
    settings: { host: 'teams.live.com' },
    timeline: ADMITTED,
  },
  'gov-host-join-on-web': {
    about: 'A government host, where the launcher asks.',
    settings: { host: 'gov.teams.microsoft.us', launcher: 'choice' },
    timeline: ADMITTED,
  },
  'launcher-choice-click': {
    about: 'The launcher waits for the choice between app and browser.',
    settings: { launcher: 'choice' },
    timeline: ADMITTED,
  },
  'launcher-auto-forward': { about: 'The launcher continues by itself.', timeline: ADMITTED },
  'launcher-protocol-dialog-blocked': {
    about: 'The launcher offers itself to the app by a link of another scheme.',
    settings: { launcher: 'choice' },
    timeline: ADMITTED,
  },
  'late-light-experience-reload': {
    about: 'The page loads once more 3 s after the form was shown.',
    settings: { reloadMs: 3000 },
    timeline: ADMITTED,
  },
  'slow-redirects-45s': {
    about: '45 s of documents before the page.',
    settings: { hopMs: [8500, 9000] },
    timeline: ADMITTED,
  },
  'splash-stuck': { about: 'The splash stays for ever.', settings: { splashMs: [Infinity, Infinity] } },
  'http-503-then-ok': { about: 'HTTP 503 once, then fine.', settings: { failedLoads: 1 }, timeline: ADMITTED },
  'http-503-forever': { about: 'HTTP 503 always.', settings: { failedLoads: Infinity } },
  'http-404': { about: 'HTTP 404.', settings: { load: 'http-404' } },
  'invalid-link': { about: 'No meeting has this id; said after joining.', settings: { afterJoin: 'notFound' } },
  'unknown-meeting-id': { about: 'No meeting has this id; said after joining.', settings: { afterJoin: 'notFound' } },
  'missing-passcode': {
    about: 'The link brought no passcode, or another one: the same words as for an unknown id.',
    settings: { afterJoin: 'notFound' },
  },
  'malformed-link-text': {
    about: '"Looks like the meeting URL is incorrect" in place of the form.',
    settings: { load: 'malformed' },
  },
  'login-wall': { about: 'The link leads to the sign-in form.', settings: { load: 'sign-in' } },
  'signin-host-redirect': { about: 'The link leads to the sign-in form.', settings: { load: 'sign-in' } },
  'signin-probe-only': {
    about: 'The silent attempt to sign in is a separate page for a moment.',
    settings: { signInProbe: 'page' },
    timeline: ADMITTED,
  },
  'av-confirm-before-prejoin': {
    about: 'The dialog about missing devices comes before the form.',
    settings: { beforePreJoin: 'av-confirm' },
    timeline: ADMITTED,
  },
  'av-confirm-after-join': {
    about: 'The dialog about missing devices comes after "Join now", which has to be pressed again.',
    settings: { avConfirm: 'once' },
    timeline: ADMITTED,
  },
  'av-confirm-in-iframe': {
    about: 'The dialog about missing devices comes in a frame.',
    settings: { avConfirm: 'in-frame' },
    timeline: ADMITTED,
  },
  'permission-gate': {
    about: '"Select Allow to let Microsoft Teams use your mic and camera" until a script asks for them.',
    settings: { beforePreJoin: 'permission-gate' },
    timeline: ADMITTED,
  },
  'winding-road': {
    about: 'A long link, 45 s of documents, the silent sign-in as a separate page; the page is French.',
    settings: { link: 'classic', hopMs: [8500, 9000], signInProbe: 'page', page: { lang: 'fr' } },
    timeline: ADMITTED,
  },
  'gates-and-dialogs': {
    about: 'The launcher asks, the page waits for devices, and "Join now" has to be pressed again after a dialog.',
    settings: { launcher: 'choice', beforePreJoin: 'permission-gate', avConfirm: 'once' },
    timeline: ADMITTED,
  },
  'personal-account-german': {
    about: 'A meeting of a personal account, a dialog about missing devices before the form; in German.',
    settings: { host: 'teams.live.com', beforePreJoin: 'av-confirm', page: { lang: 'de' } },
    timeline: ADMITTED,
  },
  'reload-and-frame': {
    about: 'The page loads once more 3 s after the form was shown; the dialog about missing devices is in a frame.',
    settings: { reloadMs: 3000, avConfirm: 'in-frame' },
    timeline: ADMITTED,
  },
  'no-devices': {
    about: 'No microphone and no camera: the switches stay disabled.',
    settings: { page: { devices: 'none' } },
    timeline: ADMITTED,
  },
  'name-field-shroud': {
    about: 'Four seconds in which what is typed is lost.',
    settings: { page: { shroudMs: 4000 } },
    timeline: ADMITTED,
  },
  'name-field-late': {
    about: 'The name field is drawn four seconds after a button that is enabled already.',
    settings: { page: { nameFieldMs: 4000 } },
    timeline: ADMITTED,
  },
  'name-input-missing-signed-in': {
    about: 'Signed in: no name field.',
    settings: { afterJoin: 'call', page: { accountName: 'Standin Notes' } },
  },
  'signed-in-join': {
    about: 'Signed in: no name field, straight in.',
    settings: { afterJoin: 'call', page: { accountName: 'Standin Notes' } },
  },
  'captcha-after-join': {
    about: 'A captcha after joining, which is never solved.',
    settings: { afterJoin: 'captcha' },
  },
  'captcha-solved-by-human': {
    about: 'A captcha that a person solves after 15 s.',
    settings: { afterJoin: 'captcha' },
    timeline: [{ in: 'captcha', afterMs: 15_000, do: 'show', with: ['solve-captcha'] }, ...ADMITTED],
  },
  'webinar-not-started': {
    about: 'An event that does not let external people in before it begins.',
    settings: { afterJoin: 'not-started' },
  },
  'could-not-connect-then-ok': {
    about: '"We couldn\'t connect you" for the first two joins, then fine.',
    settings: { failedJoins: 2 },
    timeline: ADMITTED,
  },
  'could-not-connect-always': {
    about: '"We couldn\'t connect you" at every join.',
    settings: { failedJoins: Infinity },
  },
  'page-freeze-before-join': {
    about: 'The page freezes for 20 s, 2 s after the form was shown.',
    timeline: [{ in: 'greenRoom', afterMs: 2000, do: 'show', with: ['freeze'] }, ...ADMITTED],
  },
  'tab-crash-before-admit': { about: 'A join request that waits while the tab crashes.' },
  'ui-language-fr': { about: 'The page speaks French.', settings: { page: { lang: 'fr' } }, timeline: ADMITTED },
  'ui-language-de': { about: 'The page speaks German.', settings: { page: { lang: 'de' } }, timeline: ADMITTED },
  ...walls(),
}

/**
 * The walls that ask for an account after joining, one scenario for each text
 * (docs/platform-notes/microsoft-teams.md#sign-in-walls).
 */
function walls(): Record<string, TeamsScenario> {
  const texts = {
    'org-only-wall-after-join': 'We need to verify your info before you can join',
    'org-only-wall-use-web': 'To join, sign in or use Teams on the web',
    'org-only-wall-work-account':
      'You need to be signed in to Teams to access this meeting. Sign in with a work or school account and try joining again.',
    'org-only-wall-contact-organizer':
      "If you're not signed in to a Teams (work or school) account, sign in and try joining again. If you still can't join, contact the organizer.",
    'org-only-wall-or-contact': 'Sign in to Teams to join, or contact the meeting organizer',
    'org-only-wall-any-account': 'To join this Teams meeting, you need to be signed in to an account.',
    'org-only-wall-other-account': 'To join this meeting, sign in again or select another account.',
    'org-only-wall-policy': 'Due to org policy, you need to sign in or use Teams on the web to join this meeting.',
  }
  return Object.fromEntries(
    Object.entries(texts).map(([name, wall]) => [
      name,
      { about: `After joining: "${wall}"`, settings: { afterJoin: 'wall', wall } },
    ]),
  )
}
