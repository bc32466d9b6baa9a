import type { AccessModes } from '../shared/access-modes.ts'
import type { ScenarioSettings } from './settings.ts'

export const ACCESS_MODES: AccessModes<ScenarioSettings> = {
  open: { about: 'All guests come straight in.', settings: { joinResponse: 'open' } },
  'waiting-room': { about: 'A lobby in which a moderator decides.', settings: { joinResponse: 'lobby' } },
  account: { about: 'Guests are not allowed on this server.', settings: { joinResponse: 'account' } },
  token: { about: 'The room wants a token, which the link does not have.', settings: { joinResponse: 'not-allowed' } },
  locked: { about: 'The room has a password.', settings: { joinResponse: 'password', password: 'sesame' } },
  full: { about: 'There is no room for one more.', settings: { joinResponse: 'full' } },
  'not-started': { about: 'No moderator is there.', settings: { joinResponse: 'moderator' } },
}
