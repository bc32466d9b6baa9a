/**
 * Lists in pages that begin behind a place: two columns of a row, a time and its id, so an index can lead there. Filters
 * that have no index are read row by row for a limited time; a page may then have fewer rows than its limit, or none, and
 * its cursor continues behind the last row that was read.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

/** Rows that one statement reads for filters. */
const MAX_READ = 10_000
/** After this time a page is answered as it is. */
const MAX_READ_MS = 1000

/** The position of a row in its list. */
export interface Place {
  /** ISO 8601 with microseconds. */
  at: string
  id: string
}

export interface PageRequest {
  limit: number
  /** Null: the first page. */
  from: { place: Place; direction: 'after' | 'before' } | null
}

export interface Places {
  /** Of the page behind this one; null at the end. */
  next: Place | null
  /** Of the page before it; null at the start. */
  previous: Place | null
}

export type Condition = RawBuilder<unknown>

export interface PagedQuery {
  columns: RawBuilder<unknown>
  /** Tables with their joins; a single table if there are filters. */
  from: RawBuilder<unknown>
  /** An index leads to the rows that meet them. */
  conditions: readonly Condition[]
  /** Checked for each of these rows. */
  filters?: readonly Condition[]
  /** The time that orders the list, and the id that orders rows of one time. */
  order: {
    column: RawBuilder<unknown>
    id: RawBuilder<unknown>
    direction: 'asc' | 'desc'
    idType?: 'uuid' | 'bigint' | 'text'
  }
}

export async function readPage<Row extends object>(
  db: Database,
  query: PagedQuery,
  { limit, from }: PageRequest,
): Promise<Places & { rows: (Row & PlacedRow)[] }> {
  const isBackwards = from?.direction === 'before'
  const isAscending = (query.order.direction === 'asc') !== isBackwards
  const until = performance.now() + MAX_READ_MS
  const rows: (Row & PlacedRow)[] = []
  let start = from?.place ?? null
  /** Of the last row that was read for filters; null at the end of the list. */
  let end: Place | null
  do {
    rows.push(...(await readRows<Row>(db, query, { start, isAscending, limit: limit + 1 - rows.length })))
    end = rows.length > limit || !query.filters?.length ? null : await lastRead(db, query, start, isAscending)
    start = end
  } while (end !== null && performance.now() < until)
  const hasMore = rows.length > limit
  const shown = rows.slice(0, limit)
  const ahead = hasMore ? placeOf(shown.at(-1)) : end
  const behind = from === null ? null : (placeOf(shown[0]) ?? end)
  if (isBackwards) shown.reverse()
  return isBackwards ? { rows: shown, next: behind, previous: ahead } : { rows: shown, next: ahead, previous: behind }
}

export type PlacedRow = { place_at: string; place_id: string }

const placeOf = (row: PlacedRow | undefined) => (row ? { at: row.place_at, id: row.place_id } : null)

async function readRows<Row extends object>(
  db: Database,
  { columns, from, conditions, filters = [], order }: PagedQuery,
  { start, isAscending, limit }: { start: Place | null; isAscending: boolean; limit: number },
): Promise<(Row & PlacedRow)[]> {
  const rows = sql`where ${allOf(conditions, order, start, isAscending)} ${inOrder(order, isAscending)}`
  const source =
    filters.length === 0
      ? sql`${from} ${rows}`
      : sql`(select * from ${from} ${rows} limit ${MAX_READ}) ${from}
          where ${sql.join(filters, sql` and `)} ${inOrder(order, isAscending)}`
  const page = await sql<Row & PlacedRow>`
    select ${columns}, ${placeColumns(order)} from ${source} limit ${limit}`.execute(db)
  return page.rows
}

/** The place of the last row that `readRows` read; null if it read all. */
async function lastRead(
  db: Database,
  { from, conditions, order }: PagedQuery,
  start: Place | null,
  isAscending: boolean,
): Promise<Place | null> {
  const { rows } = await sql<PlacedRow>`
    select ${placeColumns(order)} from ${from} where ${allOf(conditions, order, start, isAscending)}
    ${inOrder(order, isAscending)} offset ${MAX_READ - 1} limit 1`.execute(db)
  return placeOf(rows[0])
}

const placeColumns = ({ column, id }: PagedQuery['order']) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place_at, ${id}::text as place_id`

function inOrder({ column, id }: PagedQuery['order'], isAscending: boolean): Condition {
  const direction = sql.raw(isAscending ? 'asc' : 'desc')
  return sql`order by ${column} ${direction}, ${id} ${direction}`
}

function allOf(
  conditions: readonly Condition[],
  { column, id, idType = 'uuid' }: PagedQuery['order'],
  start: Place | null,
  isAscending: boolean,
): Condition {
  const beyond = start && [
    sql`(${column}, ${id}) ${sql.raw(isAscending ? '>' : '<')} (${start.at}::timestamptz, ${start.id}::${sql.raw(idType)})`,
  ]
  return sql.join([...conditions, ...(beyond ?? [])], sql` and `)
}
