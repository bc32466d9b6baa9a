/** The stand-in of Zoom's OAuth server as the API's authority, with an app and users that have allowed it. */
import { authorizeUser } from '../../../control-plane/connections/authorize.ts'
import { createZoom } from '../../../control-plane/connections/zoom.ts'
import { createGuardedClient } from '../../../control-plane/outgoing/guarded-client.ts'
import { startZoomOauth } from '../../../mock/zoom-oauth/index.ts'

export async function openConferencing() {
  const zoom = await startZoomOauth()
  const client = createGuardedClient({ allowPrivate: true })
  const platform = createZoom({ client, address: zoom.url })
  const app = zoom.addApp({ clientSecret: 'marker-client-secret' })
  return {
    zoom,
    app,
    authority: { authorize: (...asked: [never, never]) => authorizeUser(platform, ...asked) },
    async close() {
      await client.close()
      await zoom.close()
    },
  }
}
