/** The exchange of a code, with the refusals of both generations. */
import type { AuthorizedUser, ConnectionApp } from '../store/connections/connections.ts'
import type { ApiDependencies, ProviderRefusal } from './dependencies.ts'
import { refusals } from './http/errors.ts'

/** Rejects with 400 if the provider refuses, and with 503 where it cannot be reached. Then the code may be spent. */
export async function authorizedUser(
  { conferencing }: Pick<ApiDependencies, 'conferencing'>,
  app: ConnectionApp,
  grant: { code: string; redirectUri: string },
): Promise<AuthorizedUser> {
  const result = await conferencing.authorize(app, grant)
  if ('user' in result) return result.user
  throw problemOf(result)
}

/** Rejects likewise. */
export async function checkTeamsApp(
  { conferencing }: Pick<ApiDependencies, 'conferencing'>,
  app: ConnectionApp & { tenantId: string },
): Promise<void> {
  const result = await conferencing.checkTeamsApp(app)
  if (result !== null) throw problemOf(result)
}

function problemOf(result: ProviderRefusal): Error {
  if ('refused' in result) return refusals.exchangeFailed(result.refused)
  return refusals.conferencingUnavailable(result.unavailable, result.retryAfterMs)
}
