/**
 * Credentials and access tokens of calendars. A process that refreshes holds a lease; the new credentials replace those
 * that it used.
 */
import { sql } from 'kysely'
import type { Seals } from '../../ports.ts'
import type { Database } from '../database.ts'
import { type Claim, RowLease } from '../row-lease.ts'
import { accessTokenPlace, credentialsPlace } from './calendars.ts'

export interface TokenState {
  platform: string
  /** JSON with the secrets. */
  credentials: string
  version: number
  /** Null without one, or where it is about to expire. */
  accessToken: string | null
}

/** Undefined if the calendar is not connected. `marginSeconds`: for how long the token has to work still. */
export async function readTokens(
  db: Database,
  seals: Seals,
  calendarId: string,
  marginSeconds: number,
): Promise<TokenState | undefined> {
  const row = await db
    .selectFrom('calendars')
    .select(['platform', 'credentials', 'credentials_version', 'access_token'])
    .select(
      sql<boolean>`coalesce(access_token_expires_at > now() + make_interval(secs => ${marginSeconds}), false)`.as(
        'is_fresh',
      ),
    )
    .where('id', '=', calendarId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined || row.credentials === null) return undefined
  return {
    platform: row.platform,
    credentials: seals.open(row.credentials, credentialsPlace(calendarId)),
    version: row.credentials_version,
    accessToken:
      row.access_token !== null && row.is_fresh ? seals.open(row.access_token, accessTokenPlace(calendarId)) : null,
  }
}

export const refreshLease = new RowLease('calendars', 'refresh_lease')

/** False if another process refreshes, or the credentials have been replaced. */
export function takeRefreshLease(db: Database, calendarId: string, version: number, claim: Claim): Promise<boolean> {
  return refreshLease.acquire(db, calendarId, claim, sql`credentials_version = ${version} and deleted_at is null`)
}

export interface Refreshed {
  accessToken: string
  expiresInSeconds: number
  /** JSON with the secrets, if the refresh token was replaced. */
  credentials: string | null
}

/**
 * Stores the result of a refresh if the credentials are still those that it used, even if another process has the lease
 * by now: a replaced refresh token is the only one that works. False if the credentials differ.
 */
export async function storeRefreshed(
  db: Database,
  seals: Seals,
  calendarId: string,
  version: number,
  refreshed: Refreshed,
): Promise<boolean> {
  const { credentials } = refreshed
  const { numUpdatedRows } = await db
    .updateTable('calendars')
    .set({
      access_token: seals.seal(refreshed.accessToken, accessTokenPlace(calendarId)),
      access_token_expires_at: sql<Date>`now() + make_interval(secs => ${refreshed.expiresInSeconds})`,
      refresh_lease_owner: null,
      refresh_lease_until: null,
      ...(credentials !== null && {
        credentials: seals.seal(credentials, credentialsPlace(calendarId)),
        credentials_version: version + 1,
      }),
    })
    .where('id', '=', calendarId)
    .where('credentials_version', '=', version)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
