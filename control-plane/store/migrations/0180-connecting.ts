/** The page of consent that a session is sent to: the SHA-256 of its state, until the first answer. */
import { type Kysely, sql } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table sessions add column consent_state bytea`.execute(database)
}
