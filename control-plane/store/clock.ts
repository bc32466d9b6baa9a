/**
 * The database's clock. Times that are compared with it, such as deadlines, are computed from it: clocks of machines
 * differ.
 */
import { sql } from 'kysely'
import type { Database, Tx } from './database.ts'

/** The time of this statement, not of the beginning of the transaction. */
export async function nowOf(db: Database | Tx): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return rows[0]!.now
}
