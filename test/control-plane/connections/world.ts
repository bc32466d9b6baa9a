/** A database, the stand-in of Zoom's OAuth server, and as many processes that use connections as a test needs. */
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { createJoinGrants } from '../../../control-plane/connections/join-grants.ts'
import { type ConnectionTokenSettings, connectionTokens } from '../../../control-plane/connections/tokens.ts'
import { createZoom } from '../../../control-plane/connections/zoom.ts'
import { createGuardedClient } from '../../../control-plane/platform/outgoing/guarded-client.ts'
import type { GrantRequest } from '../../../control-plane/platform/ports.ts'
import { createSeals, newSealKey, parseSealKeys } from '../../../control-plane/platform/secrets/seals.ts'
import { createConnection } from '../../../control-plane/store/connections/connections.ts'
import { createTeam } from '../../../control-plane/store/teams/teams.ts'
import { startZoomOauth, type ZoomOauthOptions } from '../../../packages/mock/zoom-oauth/index.ts'
import { openTestDatabase } from '../postgres.ts'

export const seals = createSeals(parseSealKeys(newSealKey('test')))
export const MEETING = 'https://zoom.us/j/88240852079?pwd=x'

export async function openConnectionWorld(options: ZoomOauthOptions = {}) {
  const { database, url, close } = await openTestDatabase(16)
  const client = createGuardedClient({ allowPrivate: true })

  async function setting() {
    const zoom = await startZoomOauth(options)
    const platform = createZoom({ client, address: zoom.url })
    const teamId = await createTeam(database, 'A team')
    const app = zoom.addApp()
    const logged: { fields: object; message: string }[] = []
    const note = (fields: object, message: string) => void logged.push({ fields, message })
    const log = { info: note, warn: note, error: note }
    onTestFinished(() => zoom.close())
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
        onTestFinished(() => tokens.close(1_000))
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

  return {
    database,
    url,
    setting,
    async close() {
      await client.close()
      await close()
    },
  }
}

export const unknownId = () => randomUUID()
