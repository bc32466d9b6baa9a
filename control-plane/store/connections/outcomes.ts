/** The answer of the platform to the last use of a connection. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'

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
