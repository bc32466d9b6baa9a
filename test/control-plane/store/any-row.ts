/** Rows with the fewest values that their tables accept, made from the catalog, so that a new table needs no line here. */
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../control-plane/store/database.ts'

export type Row = Record<string, unknown>

/** One row of each table, as JSON. */
export interface RowsOfTeam {
  teamId: string
  rows: Map<string, Row>
}

/** Rows without which a row could not be stored. */
const ALSO: Readonly<Record<string, Row>> = { connections: { client_secret: Buffer.from('sealed') } }

/** The table of the row that a column names. A column such as `bot_id` without a foreign key names one of `bots`. */
const NAMED = sql`coalesce(
  (select confrelid::regclass from pg_constraint where conrelid = attrelid and contype = 'f' and conkey = array[attnum]),
  to_regclass(substring(attname::text from '(.*)_id$') || 's'))`

/** Tables whose rows others name come before those others. */
export async function tablesOf(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string; named: string[] }>`
    select relname as name, array_remove(array_agg(distinct ${NAMED}::text), null) as named
    from pg_class c join pg_attribute a on a.attrelid = c.oid and attnum > 0
    where relkind = 'r' and relnamespace = 'public'::regnamespace
      and (attnotnull or ${NAMED} is null) and ${NAMED} is distinct from c.oid::regclass
    group by relname order by relname`.execute(db)
  const ordered: string[] = []
  while (ordered.length < rows.length) {
    const next = rows.filter(
      ({ name, named }) => !ordered.includes(name) && named.every((one) => ordered.includes(one)),
    )
    if (next.length === 0) throw new Error('Tables name each other in a ring')
    ordered.push(...next.map(({ name }) => name))
  }
  return ordered
}

/** A new team with a row of each table. */
export async function addRowOfEveryTable(db: Database, tables: readonly string[]): Promise<RowsOfTeam> {
  const team: RowsOfTeam = { teamId: '', rows: new Map() }
  for (const table of tables) {
    const { columns, values } = await newRow(db, table, team)
    const { rows } = await sql<{ row: Row }>`insert into ${sql.table(table)} (${columns}) values (${values})
      returning to_jsonb(${sql.table(table)}) as row`.execute(db)
    team.rows.set(table, rows[0]!.row)
    if (table === 'teams') team.teamId = String(rows[0]!.row.id)
  }
  return team
}

interface Column {
  name: string
  type: string
  /** The table whose id it holds. */
  named: string | null
  /** Of its check, if that lists the values. */
  first: string | null
}

/** Columns and values of a row that would be stored beside those of the team. */
export async function newRow(
  db: Database,
  table: string,
  team: RowsOfTeam,
): Promise<Record<'columns' | 'values', RawBuilder<unknown>>> {
  const { rows } = await sql<Column>`
    select attname as name, format_type(atttypid, null) as type, ${NAMED}::text as named,
      (select substring(pg_get_constraintdef(oid) from 'ARRAY.''([^'']+)''') from pg_constraint
        where conrelid = attrelid and contype = 'c' and conkey = array[attnum] limit 1) as first
    from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
      and (attnotnull and not atthasdef or attname = 'id') and attidentity = '' order by attnum`.execute(db)
  const values: Row = Object.fromEntries(rows.map((column) => [column.name, valueFor(column, team)]))
  Object.assign(values, ALSO[table])
  const names = Object.keys(values)
  return {
    columns: sql.join(names.map((name) => sql.ref(name))),
    values: sql.join(names.map((name) => sql`${values[name]}`)),
  }
}

function valueFor({ type, named, first }: Column, { rows }: RowsOfTeam): unknown {
  const id = rows.get(named ?? '')?.id
  if (id !== undefined) return id
  if (first !== null) return first
  if (type === 'uuid' || type === 'text') return randomUUID()
  if (type === 'bytea') return Buffer.from(randomUUID())
  if (type === 'jsonb') return '{}'
  if (type === 'boolean') return true
  if (type.startsWith('timestamp')) return new Date()
  return 1
}
