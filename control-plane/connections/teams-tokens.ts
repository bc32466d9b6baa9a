/** A token for a bot that joins Microsoft Teams, made of the registration that its team stored. */
import { type Log, ProviderError, type Seals } from '../platform/ports.ts'
import { connectionPlace, readClientSecret, teamsAppOf } from '../store/connections/connections.ts'
import { noteOutcome } from '../store/connections/outcomes.ts'
import type { Database } from '../store/database.ts'
import type { FreshTokenAnswer } from './fresh-tokens.ts'
import type { TeamsSignIn } from './ports.ts'

export interface TeamsTokenSettings {
  database: Database
  seals: Seals
  teams: TeamsSignIn
  log: Log
}

/** Rejects only if the database cannot be asked. A refusal is stored with the credential. */
export async function teamsTokenOf(
  { database, seals, teams, log }: TeamsTokenSettings,
  teamId: string,
  credentialId: string | null,
): Promise<FreshTokenAnswer> {
  const app = await teamsAppOf(database, teamId, credentialId)
  const sealed = app && (await readClientSecret(database, app.id))
  if (!app || !sealed) return { message: 'The stored credential was deleted.', can_retry: false }
  const pair = { id: app.id, version: app.tokens_version }
  try {
    const clientSecret = seals.open(sealed, connectionPlace('client_secret', app.id))
    const token = await teams.botToken({ tenantId: app.tenant_id!, clientId: app.client_id, clientSecret })
    await noteOutcome(database, pair, null)
    return { token, can_retry: false }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const { message, isPassing } = error
    log.warn(
      { connection: app.id, kind: error.kind, error: message },
      'A token of Microsoft Teams could not be fetched',
    )
    await noteOutcome(database, pair, { message, isPermanent: !isPassing })
    const advice = isPassing ? '' : ' Check its tenant id, client id and client secret.'
    return { message: `The credential "${app.name}" gives no token. ${message}${advice}`, can_retry: isPassing }
  }
}
