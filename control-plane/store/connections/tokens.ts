/**
 * The tokens of connections. A refresh token works once, so one process at a time refreshes, under a lease, and writes the
 * new pair only over the pair that it used.
 */
import { sql } from 'kysely'
import type { Seals } from '../../ports.ts'
import type { ConnectionRow } from '../../rows/index.ts'
import type { Database } from '../database.ts'
import { type Claim, RowLease } from '../row-lease.ts'
import { type ConnectionTokens, tokenColumns } from './connections.ts'

/** Reads a connection with its sealed values, deleted ones too. `is_fresh`: the access token works for a while yet. */
export async function readTokens(
  db: Database,
  id: string,
  marginSeconds: number,
): Promise<(ConnectionRow & { is_fresh: boolean }) | undefined> {
  return db
    .selectFrom('connections')
    .selectAll()
    .select(
      sql<boolean>`coalesce(access_token_until > now() + make_interval(secs => ${marginSeconds}), false)`.as(
        'is_fresh',
      ),
    )
    .where('id', '=', id)
    .executeTakeFirst()
}

export const refreshLease = new RowLease('connections')

/** False if another has it, or where the pair is no longer this one. */
export function takeRefreshLease(db: Database, id: string, version: number, claim: Claim): Promise<boolean> {
  return refreshLease.acquire(db, id, claim, sql`tokens_version = ${version} and deleted_at is null`)
}

/**
 * Writes the pair that replaces pair `version`; the lease ends, and errors are cleared. False if the connection was
 * deleted, authorized again or written already.
 */
export async function writeTokens(
  db: Database,
  seals: Seals,
  { id, version }: { id: string; version: number },
  tokens: ConnectionTokens,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('connections')
    .set({
      ...tokenColumns(seals, id, tokens),
      tokens_version: version + 1,
      state: 'active',
      last_error_message: null,
      last_error_at: null,
      lease_owner: null,
      lease_until: null,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('tokens_version', '=', version)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The access token was refused before its time: the next use refreshes. */
export async function dropAccessToken(db: Database, id: string, version: number): Promise<void> {
  await db
    .updateTable('connections')
    .set({ access_token_until: null })
    .where('id', '=', id)
    .where('tokens_version', '=', version)
    .execute()
}

/**
 * Stores the outcome of a fetch with pair `version`: null clears the error. A connection with another pair is not
 * touched.
 */
export async function noteOutcome(
  db: Database,
  { id, version }: { id: string; version: number },
  error: { message: string; isPermanent: boolean } | null,
): Promise<void> {
  await db
    .updateTable('connections')
    .set(
      error === null
        ? { state: 'active', last_error_message: null, last_error_at: null, updated_at: sql<Date>`now()` }
        : {
            last_error_message: error.message,
            last_error_at: sql<Date>`now()`,
            ...(error.isPermanent && { state: 'invalid' }),
            updated_at: sql<Date>`now()`,
          },
    )
    .where('id', '=', id)
    .where('tokens_version', '=', version)
    .where('deleted_at', 'is', null)
    .$if(error === null, (query) => query.where('last_error_message', 'is not', null))
    .execute()
}
