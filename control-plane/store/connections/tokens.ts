/**
 * The tokens of connections. A refresh token works once, so one process at a time refreshes, under a lease, and writes the
 * new pair only over the pair that it used.
 */
import { sql } from 'kysely'
import type { Seals } from '../../ports.ts'
import type { ConnectionRow } from '../../rows/index.ts'
import type { Database } from '../database.ts'
import { type ConnectionTokens, tokenColumns } from './connections.ts'

/** With its sealed values, deleted ones too. `is_fresh`: the access token works for a while yet. */
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

/** False where another has it, or where the pair is no longer this one. */
export async function takeRefreshLease(
  db: Database,
  { id, version, owner, seconds }: { id: string; version: number; owner: string; seconds: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('connections')
    .set({ lease_owner: owner, lease_until: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .where('id', '=', id)
    .where('tokens_version', '=', version)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('lease_until', 'is', null), where('lease_until', '<', sql<Date>`now()`)]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function endRefreshLease(db: Database, id: string, owner: string): Promise<void> {
  await db
    .updateTable('connections')
    .set({ lease_owner: null, lease_until: null })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .execute()
}

/**
 * Writes the pair that replaces pair `version`; the lease ends, and errors are cleared. False where the connection was
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
