/**
 * Tokens of OAuth in the rows of calendars and connections, whose columns for them have the same names. A process that
 * refreshes holds a lease of the row; the new tokens replace only those that it used.
 */
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { type Claim, RowLease } from './row-lease.ts'
import type { CalendarRow, ConnectionRow } from './rows/index.ts'

interface TokenTables {
  calendars: CalendarRow
  connections: ConnectionRow
}
export type TokenTable = keyof TokenTables
export type TokenRow<T extends TokenTable> = TokenTables[T] & { is_fresh: boolean }

const LEASES = {
  calendars: new RowLease('calendars', 'refresh_lease'),
  connections: new RowLease('connections', 'refresh_lease'),
}

/** Undefined if the row was deleted. `is_fresh`: the access token works for `marginSeconds` more. */
export async function readTokens<T extends TokenTable>(
  db: Database,
  table: T,
  id: string,
  marginSeconds: number,
): Promise<TokenRow<T> | undefined> {
  const { rows } = await sql<TokenRow<T>>`
    select *, coalesce(access_token_until > now() + make_interval(secs => ${marginSeconds}), false) as is_fresh
    from ${sql.table(table)} where id = ${id}::uuid and deleted_at is null`.execute(db)
  return rows[0]
}

/** False if another process refreshes, or the tokens have been replaced. */
export function takeRefreshLease(
  db: Database,
  table: TokenTable,
  { id, version }: { id: string; version: number },
  claim: Claim,
): Promise<boolean> {
  return LEASES[table].acquire(db, id, claim, sql`tokens_version = ${version} and deleted_at is null`)
}

export function releaseRefreshLease(db: Database, table: TokenTable, id: string, owner: string): Promise<void> {
  return LEASES[table].release(db, id, owner)
}

export interface NewTokens {
  /** Sealed; null if the provider gave none that can be used. */
  accessToken: Buffer | null
  accessTokenSeconds: number
  /** Further columns of the table. */
  columns: Readonly<Record<string, Buffer | string>>
  /** Rises with each new refresh token, and only with one: of two refreshes at once, the one that got it must be stored. */
  nextVersion: number
}

const AFTER_REFRESH = {
  // The tokens before may have been used and refused since the refresh: a sync corrects the status.
  calendars: sql`, sync_due_at = case when status = 'active' then sync_due_at else to_timestamp(0) end`,
  connections: sql`, state = 'active', last_error_message = null, last_error_at = null, updated_at = now()`,
}

/**
 * Replaces the tokens of `version`, even if another process has the lease by now: a replaced refresh token is the only
 * one that works. False if the row was deleted or has other tokens.
 */
export async function writeTokens(
  db: Database,
  table: TokenTable,
  { id, version }: { id: string; version: number },
  { accessToken, accessTokenSeconds, columns, nextVersion }: NewTokens,
): Promise<boolean> {
  const further = Object.entries(columns).map(([name, value]) => sql`, ${sql.ref(name)} = ${value}`)
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set access_token = ${accessToken}, tokens_version = ${nextVersion},
      access_token_until = now() + make_interval(secs => ${accessTokenSeconds}),
      refresh_lease_owner = null, refresh_lease_until = null${sql.join([AFTER_REFRESH[table], ...further], sql``)}
    where id = ${id}::uuid and tokens_version = ${version} and deleted_at is null`.execute(db)
  return numAffectedRows === 1n
}
