/** The tables of an installation in PostgreSQL's catalog. */
import type pg from 'pg'

export interface CopiedTable {
  name: string
  columns: string[]
}

export interface SequenceValue {
  name: string
  value: string
}

interface TableRow extends CopiedTable {
  refers_to: string[]
}

/** Every table but the migrator's, those first to which rows of others refer. */
export async function tablesInOrder(client: pg.ClientBase): Promise<CopiedTable[]> {
  const { rows } = await client.query<TableRow>(`
    select relname::text as name,
      (select array_agg(attname::text order by attnum) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      array(select confrelid::regclass::text from pg_constraint
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid) as refers_to
    from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and relname not like 'kysely%' order by relname`)
  const ordered: CopiedTable[] = []
  for (let left = rows; left.length > 0; ) {
    const ready = left.filter(({ refers_to: others }) => !left.some(({ name }) => others.includes(name)))
    if (ready.length === 0) throw new Error(`Tables refer to each other: ${left.map(({ name }) => name).join(', ')}`)
    ordered.push(...ready.map(({ name, columns }) => ({ name, columns })))
    left = left.filter((table) => !ready.includes(table))
  }
  return ordered
}

export async function sequenceValues(client: pg.ClientBase): Promise<SequenceValue[]> {
  const { rows } = await client.query<SequenceValue>(`
    select sequencename::text as name, last_value::text as value from pg_sequences
    where schemaname = current_schema() and last_value is not null`)
  return rows
}

export async function setSequences(client: pg.ClientBase, values: readonly SequenceValue[]): Promise<void> {
  await client.query(
    `select setval(quote_ident(name)::regclass, value::bigint)
    from json_to_recordset($1) as sequence (name text, value text)`,
    [JSON.stringify(values)],
  )
}

/** Tables that have rows. */
export async function filledTables(client: pg.ClientBase): Promise<string[]> {
  const filled: string[] = []
  for (const { name } of await tablesInOrder(client)) {
    const { rows } = await client.query<{ has: boolean }>(`select exists (select from ${quoted(name)}) as has`)
    if (rows[0]!.has) filled.push(name)
  }
  return filled
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Table and columns as `copy` takes them. */
export const copied = ({ name, columns }: CopiedTable) => `${quoted(name)} (${columns.map(quoted).join(', ')})`
