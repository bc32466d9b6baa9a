import type { AccessModes } from '../shared/access-modes.ts'
import type { ScenarioSettings } from './settings.ts'

export const ACCESS_MODES: AccessModes<ScenarioSettings> = {
  open: { about: 'All guests come straight in.', settings: { afterJoin: 'call' } },
  'waiting-room': { about: 'Guests ask, and the host decides.', settings: { afterJoin: 'lobby' } },
  suspected: {
    about: 'The second queue, for risky guests: without an answer the platform denies them after 5 minutes.',
    settings: { afterJoin: 'suspected' },
  },
  'denied-at-once': {
    about: '"Anyone can ask to join" is off: the platform denies each request at once.',
    settings: { afterJoin: 'denied' },
  },
  blocked: { about: 'The platform refuses before the bot can ask.', settings: { isBlocked: true } },
  invited: {
    about: 'Accounts come straight in, as if they were invited; guests ask.',
    settings: { afterJoin: 'lobby', accountsAreInvited: true },
  },
  account: { about: 'Only people who are signed in.', settings: { load: 'login-wall' } },
  full: { about: 'There is no room for one more.', settings: { afterJoin: 'full' } },
  'host-not-there': { about: 'The host has not come.', settings: { afterJoin: 'waiting-for-host' } },
  captcha: { about: 'A visible captcha over the form.', settings: { page: { captcha: 'live' } } },
}
