/** Access tokens of connections. */
import { ProviderError } from '../platform/ports.ts'
import { connectionPlace, type SecretColumn } from '../store/connections/connections.ts'
import { noteOutcome } from '../store/connections/outcomes.ts'
import type { ConnectionRow } from '../store/rows/index.ts'
import { type OAuthTokenSettings, OAuthTokens } from './oauth-tokens.ts'
import type { CompleteApp, ConferencingPlatform } from './ports.ts'

export const GONE = 'The stored credential was deleted or never existed.'

export interface ConnectionTokenSettings extends OAuthTokenSettings {
  platform: Pick<ConferencingPlatform, 'refresh'>
  /** The secret of the operator's app is not stored. Absent: the operator has no app. */
  complete?: CompleteApp
}

export function connectionTokens({
  platform,
  complete = (app) => app,
  ...settings
}: ConnectionTokenSettings): OAuthTokens<'connections'> {
  const { seals, log } = settings
  const open = (row: ConnectionRow, column: SecretColumn) => {
    const sealed = row[column]
    if (sealed === null) throw new ProviderError('not_found', GONE)
    return seals.open(sealed, connectionPlace(column, row.id))
  }
  return new OAuthTokens(settings, {
    table: 'connections',
    name: 'connection',
    gone: GONE,
    async refresh(row) {
      const app = complete({ clientId: row.client_id, clientSecret: open(row, 'client_secret') })
      const answer = await platform.refresh(app, open(row, 'refresh_token'))
      log.info({ connection: row.id }, 'Tokens of a connection refreshed')
      const { refreshToken, scopes } = answer
      const columns = {
        ...(refreshToken !== null && {
          refresh_token: seals.seal(refreshToken, connectionPlace('refresh_token', row.id)),
        }),
        // The platform may leave the scopes out.
        ...(scopes?.length && { scopes: JSON.stringify(scopes) }),
      }
      return { answer, columns }
    },
    async failed({ id, tokens_version: version }, { kind, message, retryAfterMs }) {
      const error = new ProviderError(kind, `Token refresh failed: ${message}`, { retryAfterMs })
      log.warn({ connection: id, kind, error: error.message }, 'Tokens of a connection could not be refreshed')
      await noteUse(settings, { id, version }, error)
      return error
    },
  })
}

/** Stores the outcome of a request with a token; null: it worked. Never rejects. */
export async function noteUse(
  { database, log }: Pick<OAuthTokenSettings, 'database' | 'log'>,
  used: { id: string; version: number },
  error: ProviderError | null,
): Promise<void> {
  await noteOutcome(
    database,
    used,
    error && { message: error.message, isPermanent: NEEDS_A_PERSON.has(error.kind) },
  ).catch((failure) =>
    log.warn({ connection: used.id, error: String(failure) }, 'The state of a connection could not be written'),
  )
}

const NEEDS_A_PERSON = new Set(['revoked', 'client_refused', 'user_gone'])
