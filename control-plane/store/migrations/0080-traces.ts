import { type Kysely, sql } from 'kysely'

/** The trace that a bot belongs to, as W3C Trace Context writes it; null where the request for it had no trace. */
const COLUMNS = `
alter table bots add column traceparent text;
`

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw(COLUMNS).execute(database)
}
