/** The exchange of a code, with the refusals of both generations. */
import type { AuthorizedUser, ConnectionApp } from '../store/connections/connections.ts'
import type { ApiDependencies } from './dependencies.ts'
import { refusals } from './http/errors.ts'

/** Rejects with 400 if the provider refuses, and with 503 where it cannot be reached. Then the code may be spent. */
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
