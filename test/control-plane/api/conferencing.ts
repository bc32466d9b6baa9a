/** The stand-ins of Zoom's OAuth server and of Microsoft's sign-in as the API's authority, with apps and users that have allowed them. */

import { authorizeUser, checkTeamsApp } from '../../../control-plane/connections/authorize.ts'
import { createTeams } from '../../../control-plane/connections/teams.ts'
import { createZoom } from '../../../control-plane/connections/zoom.ts'
import { createGuardedClient } from '../../../control-plane/platform/outgoing/guarded-client.ts'
import { startMockMicrosoftCalendar } from '../../../packages/mock/calendars/microsoft/index.ts'
import { startZoomOauth } from '../../../packages/mock/zoom-oauth/index.ts'
import { atEnd } from '../../fakes/at-end.ts'

export async function openConferencing() {
  const zoom = await startZoomOauth()
  const microsoft = await startMockMicrosoftCalendar()
  const client = createGuardedClient({ allowPrivate: true })
  const platform = createZoom({ client, address: zoom.url })
  const teams = createTeams({ client, address: microsoft.loginUrl })
  const app = zoom.addApp({ clientSecret: 'marker-client-secret' })
  let closing: Promise<unknown> | undefined
  const close = () => (closing ??= Promise.all([client.close(), microsoft.close(), zoom.close()]))
  atEnd(close)
  return {
    zoom,
    microsoft,
    teams,
    app,
    authority: {
      authorize: (...asked: [never, never]) => authorizeUser(platform, ...asked),
      checkTeamsApp: (asked: never) => checkTeamsApp(teams, asked),
    },
    /** The body that stores the registered bot which the stand-in of Microsoft's sign-in knows. */
    registration: () => ({
      name: 'Our registered bot',
      platform: 'teams',
      tenant_id: 'example.com',
      client_id: microsoft.tokens.clientId,
      client_secret: microsoft.tokens.clientSecret,
    }),
    close,
  }
}
