import type { AccessModes } from '../shared/access-modes.ts'
import { OPEN } from './scenario.ts'
import type { ScenarioSettings } from './settings.ts'

export const ACCESS_MODES: AccessModes<ScenarioSettings> = {
  open: { about: 'All guests come straight in.', settings: OPEN },
  'waiting-room': { about: 'Guests ask, and the host decides.', settings: { afterJoin: 'lobby' } },
  rtms: { about: 'The wall against bots, which names RTMS, after Join.', settings: { botWall: 'after-join' } },
  'removed-before': { about: 'The host removed this bot before.', settings: { afterJoin: 'removed-before' } },
  invited: {
    about: 'Accounts come straight in, as if they were invited; guests ask.',
    settings: { afterJoin: 'lobby', accountsAreInvited: true },
  },
  account: { about: 'Only people who are signed in.', settings: { load: 'authorized-only' } },
  registration: { about: 'Only people who registered.', settings: { load: 'registration' } },
  'not-started': { about: 'The host has not started the meeting.', settings: { afterJoin: 'waiting-for-host' } },
  locked: { about: 'The host has locked the meeting.', settings: { afterJoin: 'locked' } },
  full: { about: 'There is no room for one more.', settings: { afterJoin: 'full' } },
  ended: { about: 'The meeting ends while the bot joins.', settings: { afterJoin: 'ended' } },
  captcha: { about: 'Letters to be typed from a picture.', settings: { preview: { captcha: 'characters' } } },
}
