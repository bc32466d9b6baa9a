/**
 * Scenarios of the way to the pre-join page: links, launcher, sign-in, dialogs before the name
 * (docs/platform-notes/microsoft-teams.md#the-mock).
 */
import { ADMITTED } from '../shared/scenario.ts'
import type { TeamsScenario } from './meeting.ts'

export const JOIN_SCENARIOS: Readonly<Record<string, TeamsScenario>> = {
  'waiting-room': { about: 'A request that waits until the host decides.' },
  open: { about: 'No waiting room: "Join now" leads straight in.', settings: { afterJoin: 'call' } },
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
  'splash-stuck': { about: 'The splash stays for ever.', settings: { splashMs: [Infinity, Infinity] } },
  'http-503-forever': { about: 'HTTP 503 always.', settings: { failedLoads: Infinity } },
  'http-404': { about: 'HTTP 404.', settings: { load: 'http-404' } },
  'invalid-link': { about: 'No meeting has this id; said after joining.', settings: { afterJoin: 'notFound' } },
  'malformed-link-text': {
    about: '"Looks like the meeting URL is incorrect" in place of the form.',
    settings: { load: 'malformed' },
  },
  'login-wall': { about: 'The link leads to the sign-in form.', settings: { load: 'sign-in' } },
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
