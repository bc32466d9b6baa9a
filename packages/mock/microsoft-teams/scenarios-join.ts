/**
 * Scenarios of the way to the pre-join page: links, launcher, sign-in, dialogs before the name
 * (docs/platform-notes/microsoft-teams.md#the-mock).
 */
import { ADMITTED, admitted } from '../shared/scenario.ts'
import type { TeamsScenario } from './meeting.ts'

export const JOIN_SCENARIOS: Readonly<Record<string, TeamsScenario>> = {
  'waiting-room': { about: 'A request that waits until the host decides.' },
  open: { about: 'No waiting room: "Join now" leads straight in.', settings: { afterJoin: 'call' } },
  'gov-host-join-on-web': admitted('A government host, where the launcher asks.', {
    host: 'gov.teams.microsoft.us',
    launcher: 'choice',
  }),
  'launcher-choice-click': admitted('The launcher waits for the choice between app and browser.', {
    launcher: 'choice',
  }),
  'splash-stuck': { about: 'The splash stays for ever.', settings: { splashMs: [Infinity, Infinity] } },
  'http-503-forever': { about: 'HTTP 503 always.', settings: { failedLoads: Infinity } },
  'http-404': { about: 'HTTP 404.', settings: { load: 'http-404' } },
  'invalid-link': { about: 'No meeting has this id; said after joining.', settings: { afterJoin: 'notFound' } },
  'malformed-link-text': {
    about: '"Looks like the meeting URL is incorrect" in place of the form.',
    settings: { load: 'malformed' },
  },
  'login-wall': { about: 'The link leads to the sign-in form.', settings: { load: 'sign-in' } },
  'winding-road': admitted(
    'A long link, 45 s of documents, the silent sign-in as a separate page; the page is French.',
    { link: 'classic', hopMs: [8500, 9000], signInProbe: 'page', page: { lang: 'fr' } },
  ),
  'gates-and-dialogs': admitted(
    'The launcher asks, the page waits for devices, and "Join now" has to be pressed again after a dialog.',
    { launcher: 'choice', beforePreJoin: 'permission-gate', avConfirm: 'once' },
  ),
  'personal-account-german': admitted(
    'A meeting of a personal account, a dialog about missing devices before the form; in German.',
    { host: 'teams.live.com', beforePreJoin: 'av-confirm', page: { lang: 'de' } },
  ),
  'reload-and-frame': admitted(
    'The page loads once more 3 s after the form was shown; the dialog about missing devices is in a frame.',
    { reloadMs: 3000, avConfirm: 'in-frame' },
  ),
  'no-devices': admitted('No microphone and no camera: the switches stay disabled.', { page: { devices: 'none' } }),
  'name-field-shroud': admitted('Four seconds in which what is typed is lost.', { page: { shroudMs: 4000 } }),
  'name-field-late': admitted('The name field is drawn four seconds after a button that is enabled already.', {
    page: { nameFieldMs: 4000 },
  }),
  'signed-in-join': {
    about: 'Signed in: no name field, straight in.',
    settings: { afterJoin: 'call', page: { accountName: 'Standin Notes' } },
  },
  'captcha-solved-by-human': {
    about: 'A captcha that a person solves after 15 s.',
    settings: { afterJoin: 'captcha' },
    timeline: [{ in: 'captcha', afterMs: 15_000, do: 'show', with: ['solve-captcha'] }, ...ADMITTED],
  },
  'org-only-wall-after-join': {
    about: 'After joining: "We need to verify your info before you can join".',
    settings: { afterJoin: 'wall' },
  },
  'could-not-connect-always': {
    about: '"We couldn\'t connect you" at every join.',
    settings: { afterJoin: 'couldNotConnect' },
  },
}
