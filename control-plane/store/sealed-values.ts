/** Every column that holds sealed values, for their change to another key. */
import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Each table has the uuid `id`, which is the row of the value's place. */
export const SEALED_COLUMNS = [
  { table: 'bots', column: 'secrets' },
  { table: 'endpoints', column: 'secret' },
  { table: 'endpoints', column: 'previous_secret' },
  { table: 'api_keys', column: 'sealed' },
  { table: 'retranscriptions', column: 'secret' },
  { table: 'connections', column: 'client_secret' },
  { table: 'connections', column: 'refresh_token' },
  { table: 'connections', column: 'access_token' },
  { table: 'calendars', column: 'credentials' },
  { table: 'calendars', column: 'access_token' },
  { table: 'calendar_series_intents', column: 'secrets' },
  { table: 'calendar_intents', column: 'secrets' },
  { table: 'job_offers', column: 'job' },
  { table: 'accounts', column: 'session' },
] as const
export type SealedColumn = (typeof SEALED_COLUMNS)[number]

/** Values after the row `after`, in the order of ids. */
export async function sealedValues(
  db: Database,
  { table, column }: SealedColumn,
  after: string,
  limit: number,
): Promise<{ row: string; sealed: Buffer }[]> {
  const { rows } = await sql<{ row: string; sealed: Buffer }>`
    select id as row, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where id > ${after}::uuid and ${sql.ref(column)} is not null order by id limit ${limit}`.execute(db)
  return rows
}

/** False if the value has changed in the meantime. */
export async function replaceSealed(
  db: Database,
  { table, column }: SealedColumn,
  row: string,
  from: Buffer,
  to: Buffer,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${to} where id = ${row}::uuid and ${sql.ref(column)} = ${from}`.execute(
    db,
  )
  return numAffectedRows === 1n
}
