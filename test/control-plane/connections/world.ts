/** The stand-in of Zoom's OAuth server, and as many processes that use connections of a world as a test needs. */
import { createJoinGrants } from '../../../control-plane/connections/join-grants.ts'
import { type ConnectionTokenSettings, connectionTokens } from '../../../control-plane/connections/tokens.ts'
import { createZoom } from '../../../control-plane/connections/zoom.ts'
import { createGuardedClient } from '../../../control-plane/platform/outgoing/guarded-client.ts'
import type { GrantRequest } from '../../../control-plane/platform/ports.ts'
import { createConnection } from '../../../control-plane/store/connections/connections.ts'
import { startZoomOauth } from '../../../packages/mock/zoom-oauth/index.ts'
import { atEnd } from '../../fakes/at-end.ts'
import { type Base, seals } from '../world.ts'

export const MEETING = 'https://zoom.us/j/88240852079?pwd=x'

export function openConnectionParts({ database, teamId: newTeam, closes }: Base) {
  const client = createGuardedClient({ allowPrivate: true })
  closes(() => client.close())

  async function connectionSetting() {
    const zoom = await startZoomOauth()
    const platform = createZoom({ client, address: zoom.url })
    const teamId = await newTeam()
    const app = zoom.addApp()
    const logged: { fields: object; message: string }[] = []
    const note = (fields: object, message: string) => void logged.push({ fields, message })
    const log = { info: note, warn: note, error: note }
    atEnd(() => zoom.close())
    return {
      database,
      zoom,
      platform,
      teamId,
      app,
      log,
      logged,
      /** The parts of one process of the service. */
      process(settings: Partial<ConnectionTokenSettings> = {}, fetchMs?: number) {
        const tokens = connectionTokens({ database, seals, platform, log, ...settings })
        const grants = createJoinGrants({ database, seals, platform, tokens, log, ...(fetchMs && { fetchMs }) })
        atEnd(() => tokens.close(1_000))
        return { tokens, grants }
      },
      /** A connection of a new user, whose access token has ended. */
      async connection({ scopes, isFresh = false }: { scopes?: readonly string[]; isFresh?: boolean } = {}) {
        const user = zoom.addUser()
        const code = zoom.allow(app, user, scopes === undefined ? {} : { scopes })
        const tokens = await platform.exchange(app, { code, redirectUri: app.redirectUris[0]! })
        const profile = { userId: user.id, accountId: user.accountId, email: user.email, displayName: 'Ann' }
        const made = await createConnection(database, seals, {
          teamId,
          name: 'Ann',
          app,
          user: { tokens: isFresh ? tokens : { ...tokens, accessTokenSeconds: 0 }, profile },
          extra: null,
        })
        return { id: made.id, user, grant: zoom.account.grants.at(-1)! }
      },
      row: (id: string) =>
        database.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      asking: (credentialId: string, values: Partial<GrantRequest> = {}): GrantRequest => ({
        teamId,
        credentialId,
        credentialUserId: null,
        wantsToken: true,
        meetingUrl: MEETING,
        ...values,
      }),
    }
  }

  return { connectionSetting }
}
