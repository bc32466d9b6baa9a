import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** Removes keys that are no longer answered. Returns how many. */
export async function removeOldIdempotencyKeys(db: Database, hours: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where created_at < now() - make_interval(hours => ${hours})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
