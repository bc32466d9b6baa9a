import type { AccessModes } from '../shared/access-modes.ts'
import type { ScenarioSettings } from './settings.ts'

/** The first three are the values of `ExternalBotAccessMode`; a registered bot is never a suspect. */
export const ACCESS_MODES: AccessModes<ScenarioSettings> = {
  'allow-all-bots': {
    about: 'AllowAllBots: bots are not looked for; all guests come straight in.',
    settings: { afterJoin: 'call', botAccess: 'AllowAllBots' },
  },
  'require-approval': {
    about: 'RequireApprovalWhenDetected: a detected bot waits among the suspected threats, even in an open meeting.',
    settings: { afterJoin: 'call', botAccess: 'RequireApprovalWhenDetected' },
  },
  'block-detected': {
    about: 'BlockDetectedBots: a detected bot is refused before the lobby.',
    settings: { afterJoin: 'call', botAccess: 'BlockDetectedBots' },
  },
  'waiting-room': { about: 'Guests ask, and the organizer decides.', settings: { afterJoin: 'lobby' } },
  'guests-off': {
    about: 'Anonymous users cannot join.',
    settings: { afterJoin: 'wall', wall: "Anonymous users can't join this meeting. Contact your admin." },
  },
  invited: {
    about: 'Accounts come straight in, as if they were invited; guests ask.',
    settings: { afterJoin: 'lobby', accountsAreInvited: true },
  },
  account: { about: 'The link leads to the sign-in form.', settings: { load: 'sign-in' } },
  'not-started': { about: 'An event that admits guests only after its start.', settings: { afterJoin: 'not-started' } },
  locked: { about: 'The organizer has locked the meeting.', settings: { afterJoin: 'locked' } },
  full: { about: 'There is no room for one more.', settings: { afterJoin: 'full' } },
  captcha: { about: 'A captcha after joining.', settings: { afterJoin: 'captcha' } },
}
