/** The exchange of a code, with the refusals of both generations, and the check that a bot's credentials exist. */
import type { ConferencingRequest } from '../bots/request.ts'
import {
  type AuthorizedUser,
  type ConnectionApp,
  connectionsOfUser,
  readConnection,
} from '../store/connections/connections.ts'
import type { Database, Tx } from '../store/database.ts'
import type { ApiDependencies } from './dependencies.ts'
import { refusals } from './http/errors.ts'

/** Rejects with 400 where the provider refuses, and with 503 where it cannot be reached. Then the code may be spent. */
export async function authorizedUser(
  { conferencing }: Pick<ApiDependencies, 'conferencing'>,
  app: ConnectionApp,
  grant: { code: string; redirectUri: string },
): Promise<AuthorizedUser> {
  const result = await conferencing.authorize(app, grant)
  if ('user' in result) return result.user
  if ('refused' in result) throw refusals.exchangeFailed(result.refused)
  throw refusals.conferencingUnavailable(result.unavailable, result.retryAfterMs)
}

/** The credential that a `conf_config` names. */
export function namedCredential(
  given:
    | { credential_id?: string | null | undefined; credential_user_id?: string | null | undefined }
    | null
    | undefined,
): Pick<ConferencingRequest, 'credentialId' | 'credentialUserId'> | null {
  return given
    ? { credentialId: given.credential_id ?? null, credentialUserId: given.credential_user_id ?? null }
    : null
}

/** Rejects where the bot names a credential that the team does not have, or a user of more than one. */
export async function checkCredential(
  database: Database | Tx,
  teamId: string,
  { conferencing }: { conferencing: Pick<ConferencingRequest, 'credentialId' | 'credentialUserId'> | null },
): Promise<void> {
  const { credentialId = null, credentialUserId = null } = conferencing ?? {}
  if (credentialId !== null) {
    if ((await readConnection(database, teamId, credentialId)) === undefined)
      throw refusals.credentialNotFound(credentialId)
  } else if (credentialUserId !== null) {
    // A missing connection is reported at the join time: the user may be connected until then.
    const found = await connectionsOfUser(database, teamId, credentialUserId)
    if (found.length > 1) throw refusals.credentialUser(found.length)
  }
}
