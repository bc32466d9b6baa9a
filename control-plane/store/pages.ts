/** Lists in pages that begin behind a place: two columns of a row, a time and its id, so an index can lead there. */
import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

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
  /** Tables with their joins. */
  from: RawBuilder<unknown>
  conditions: readonly Condition[]
  /** The time that orders the list, and the id that orders rows of one time. */
  order: { column: RawBuilder<unknown>; id: RawBuilder<unknown>; direction: 'asc' | 'desc' }
}

export async function readPage<Row extends object>(
  db: Database,
  { columns, from: tables, conditions, order }: PagedQuery,
  { limit, from }: PageRequest,
): Promise<Places & { rows: Row[] }> {
  const { column, id } = order
  const isBackwards = from?.direction === 'before'
  const isAscending = (order.direction === 'asc') !== isBackwards
  const direction = sql.raw(isAscending ? 'asc' : 'desc')
  const beyond =
    from === null
      ? []
      : [
          sql`(${column}, ${id}) ${sql.raw(isAscending ? '>' : '<')} (${from.place.at}::timestamptz, ${from.place.id}::uuid)`,
        ]
  const { rows } = await sql<Row & { place_at: string; place_id: string }>`
    select ${columns}, to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place_at,
      ${id} as place_id
    from ${tables} where ${sql.join([...conditions, ...beyond], sql` and `)}
    order by ${column} ${direction}, ${id} ${direction} limit ${limit + 1}`.execute(db)
  const hasMore = rows.length > limit
  const shown = rows.slice(0, limit)
  if (isBackwards) shown.reverse()
  const placeOf = (row: (typeof rows)[number] | undefined) => (row ? { at: row.place_at, id: row.place_id } : null)
  return {
    rows: shown,
    next: isBackwards || hasMore ? placeOf(shown.at(-1)) : null,
    previous: (isBackwards ? hasMore : from !== null) ? placeOf(shown[0]) : null,
  }
}
