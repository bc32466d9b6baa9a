/** The database's clock. What is compared with it, such as a deadline, is computed from it: clocks of machines differ. */
import { sql } from 'kysely'
import type { Tx } from './database.ts'

/** The time of this statement, not of the beginning of the transaction. */
export async function nowOf(tx: Tx): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx)
  return rows[0]!.now
}
