/**
 * The database's clock. Times that are compared with it, such as deadlines, are computed from it: clocks of machines
 * differ.
 */
import { sql } from 'kysely'
import type { Tx } from './database.ts'

/** The time of this statement, not of the beginning of the transaction. */
export async function nowOf(tx: Tx): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx)
  return rows[0]!.now
}
