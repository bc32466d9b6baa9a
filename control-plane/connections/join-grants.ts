/** Fresh keys and tokens for a bot that starts now: fetched outside of any transaction, within bounds. */

import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import {
  GrantDelayed,
  GrantRefused,
  type GrantRequest,
  type JoinGrant,
  type JoinGrants,
  type Log,
  ProviderError,
  type Seals,
} from '../platform/ports.ts'
import {
  connectionPlace,
  connectionsOfUser,
  readClientSecret,
  readConnection,
  type ShownConnection,
} from '../store/connections/connections.ts'
import type { Database } from '../store/database.ts'
import type { OAuthTokens } from './oauth-tokens.ts'
import type { App, CompleteApp, ConferencingPlatform, UserTokenKind } from './ports.ts'
import { GONE, noteUse } from './tokens.ts'

/** Of one fetch: the launcher holds the bot for half a minute. */
const FETCH_MS = 20_000

const CODES = { obf: 'CONF_OBF_TOKEN_ERROR', zak: 'CONF_ACCESS_TOKEN_ERROR' } as const
const WORDS = { obf: 'on-behalf-of token', zak: 'access key' } as const

export interface JoinGrantSettings {
  database: Database
  seals: Seals
  platform: Pick<ConferencingPlatform, 'userToken'>
  tokens: Pick<OAuthTokens<'connections'>, 'withToken'>
  log: Log
  fetchMs?: number
  complete?: CompleteApp
}

export function createJoinGrants(settings: JoinGrantSettings): JoinGrants {
  const { fetchMs = FETCH_MS } = settings
  const late = () => new GrantDelayed(CODES.obf, `The provider did not answer within ${fetchMs / 1000} s.`)
  // Later fetches are not awaited; a running refresh finishes.
  return { fetch: (request) => within(systemClock, fetchMs, fetchGrant(settings, request), late) }
}

async function fetchGrant(settings: JoinGrantSettings, request: GrantRequest): Promise<JoinGrant> {
  try {
    const connection = await find(settings.database, request)
    const { clientId: sdkId, clientSecret: sdkPassword } = await appOf(settings, connection)
    const keys = { sdkId, sdkPassword }
    if (!request.wantsToken || connection.type !== 'user') return { ...keys, obfToken: null, accessKey: null }
    const { kind, token } = await userToken(settings, connection, meetingNumberOf(request.meetingUrl))
    return { ...keys, obfToken: kind === 'obf' ? token : null, accessKey: kind === 'zak' ? token : null }
  } catch (error) {
    if (error instanceof GrantRefused || error instanceof GrantDelayed) throw error
    settings.log.error({ error: String(error) }, 'A stored credential could not be read')
    throw new GrantDelayed(CODES.obf, 'The stored credential cannot be read right now.')
  }
}

async function find(database: Database, request: GrantRequest): Promise<ShownConnection> {
  const { teamId, credentialId, credentialUserId: userId } = request
  const ids = credentialId !== null ? [{ id: credentialId }] : await connectionsOfUser(database, teamId, userId ?? '')
  if (ids.length > 1)
    throw new GrantRefused(
      CODES.obf,
      `${ids.length} stored credentials belong to the conferencing user "${userId}"; name one of them with credential_id.`,
    )
  const connection = ids[0] && (await readConnection(database, teamId, ids[0].id))
  if (connection?.platform === 'zoom') return connection
  if (connection !== undefined) throw new GrantRefused(CODES.obf, 'The stored credential is not one of Zoom.')
  if (credentialId !== null) throw new GrantRefused(CODES.obf, GONE)
  throw new GrantRefused(CODES.obf, `No stored credential belongs to the conferencing user "${userId}".`)
}

async function appOf(
  { database, seals, complete = (app) => app }: JoinGrantSettings,
  { id, client_id: clientId }: ShownConnection,
): Promise<App> {
  const sealed = await readClientSecret(database, id)
  if (sealed === null) throw new GrantRefused(CODES.obf, GONE)
  return complete({ clientId, clientSecret: seals.open(sealed, connectionPlace('client_secret', id)) })
}

async function userToken(
  { platform, tokens, database, log }: JoinGrantSettings,
  { id, name, scopes }: ShownConnection,
  meetingNumber: string | null,
): Promise<{ kind: UserTokenKind; token: string }> {
  const kind = kindOf(scopes as string[])
  let version: number | null = null
  try {
    return await tokens.withToken(id, async (access) => {
      version = access.version
      const token = await platform.userToken(access.token, kind, meetingNumber)
      await noteUse({ database, log }, { id, version }, null)
      return { kind, token }
    })
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (error.kind === 'not_found') throw new GrantRefused(CODES.obf, error.message)
    if (version !== null) await noteUse({ database, log }, { id, version }, error)
    if (error.isPassing) throw new GrantDelayed(CODES[kind], failed(kind, name, error.message), error.retryAfterMs)
    throw new GrantRefused(CODES[kind], failed(kind, name, `${error.message}${adviceFor(error, kind)}`))
  }
}

/** On behalf of the user, but if the user has allowed only joins as the user. */
function kindOf(scopes: readonly string[]): UserTokenKind {
  const has = (scope: RegExp) => scopes.some((granted) => scope.test(granted))
  return !has(/^user:read:token(?::|$)/) && has(/^(?:user:read:zak|user_zak:read)(?::|$)/) ? 'zak' : 'obf'
}

const failed = (kind: UserTokenKind, name: string, why: string) =>
  `The ${WORDS[kind]} of the credential "${name}" could not be fetched. ${why}`

function adviceFor({ kind }: ProviderError, wanted: UserTokenKind): string {
  switch (kind) {
    case 'revoked':
      return ' Its user has to authorize the app again.'
    case 'client_refused':
      return ' Check the client id and the client secret of the app, and that the app is switched on.'
    case 'scope_missing':
      return ` Add the scope ${wanted === 'obf' ? 'user:read:token' : 'user:read:zak'} to the app, and let its user authorize it again.`
    case 'user_gone':
      return ' The user is no longer part of the account.'
    case 'token_refused':
      return ' The user may have taken the authorization back; let the user authorize the app again.'
    default:
      return ''
  }
}

/** Null if the link has a personal name. */
function meetingNumberOf(meetingUrl: string): string | null {
  const meeting = readMeeting(meetingUrl)
  return 'url' in meeting && meeting.platform === 'zoom' && /^\d+$/.test(meeting.meetingId) ? meeting.meetingId : null
}
