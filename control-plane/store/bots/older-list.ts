/** The older generation's list of bots: filters, an order by a field of `extra`, and pages that begin behind a place. */
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import { contains, isSame } from '../like.ts'
import { type Condition, type Place, readPage } from '../pages.ts'
import type { BotRow } from '../rows/index.ts'
import { createdWithin } from './list.ts'

export interface OlderFilter {
  /** Partial matches, of any case. */
  botName?: string | undefined
  meetingUrl?: string | undefined
  speakerName?: string | undefined
  /** Inclusive bounds. */
  createdAfter?: Date | undefined
  createdBefore?: Date | undefined
  endedAfter?: Date | undefined
  /** All must match: exact, with numbers and booleans as they are printed. Bots without the field drop out. */
  extra: readonly { field: string; value: string }[]
}

/** Compared as text. Bots with the field come before those without, in both directions. */
export interface ExtraOrder {
  field: string
  direction: 'asc' | 'desc'
}

/** The position of a bot in the list. Bots with the same value are sorted newest first; `id` is the bot's number. */
export interface ListPlace extends Place {
  /** Its value of the field that orders the list; null if it has none or the list has no such order. */
  value: string | null
}

/** Lists at most `limit` bots of the team, behind `after`. `next`: the number of the bot that the next page follows. */
export async function listOlderBots(
  db: Database,
  teamId: string,
  query: { filter: OlderFilter; order: ExtraOrder | null; after: ListPlace | null; limit: number },
): Promise<{ bots: BotRow[]; next: number | null }> {
  const { filter, order, after, limit } = query
  const conditions = [sql`team_id = ${teamId} and generation = 'older'`, ...createdWithin(filter)]
  const filters = filtersOf(filter)
  if (order === null) {
    const from = after && { place: after, direction: 'after' as const }
    const { rows, next } = await readPage<BotRow>(
      db,
      { columns: sql`*`, from: sql`bots`, conditions, filters, order: NEWEST_FIRST },
      { limit, from },
    )
    return { bots: rows, next: next && Number(next.id) }
  }
  const value = extraText(order.field)
  const all = [...conditions, ...filters, ...(after === null ? [] : [behind(after, order, value)])]
  const { rows } = await sql<BotRow>`
    select * from bots
    where ${sql.join(all, sql` and `)}
    order by ${value} collate "C" ${sql.raw(order.direction)} nulls last, created_at desc, number desc
    limit ${limit + 1}`.execute(db)
  const bots = rows.slice(0, limit)
  return { bots, next: rows.length > limit ? bots.at(-1)!.number! : null }
}

const NEWEST_FIRST = {
  column: sql.ref('created_at'),
  id: sql.ref('number'),
  direction: 'desc' as const,
  idType: 'bigint' as const,
}

/** The current position of the team's bot of this number; undefined if there is none. */
export async function placeOfOlderBot(
  db: Database,
  teamId: string,
  number: number,
  order: ExtraOrder | null,
): Promise<ListPlace | undefined> {
  const { rows } = await sql<ListPlace>`
    select ${order === null ? sql`null` : extraText(order.field)} as value, created_at::text as at, number::text as id
    from bots where number = ${number} and team_id = ${teamId} and generation = 'older'`.execute(db)
  return rows[0]
}

/** A field of `extra` as text; null if `extra` is no object or has no such field. */
function extraText(field: string): RawBuilder<string | null> {
  return sql<string | null>`(extra ->> ${field}::text)`
}

function filtersOf(filter: OlderFilter): Condition[] {
  const conditions: Condition[] = []
  if (filter.botName !== undefined) conditions.push(contains(sql`bot_name`, filter.botName))
  if (filter.meetingUrl !== undefined) conditions.push(contains(sql`meeting_url`, filter.meetingUrl))
  if (filter.endedAfter !== undefined) conditions.push(sql`ended_at >= ${filter.endedAfter}`)
  if (filter.speakerName !== undefined)
    conditions.push(sql`exists (
      select from jsonb_array_elements(speakers) as speaker
      where ${contains(sql`(speaker ->> 'name')`, filter.speakerName)})`)
  for (const { field, value } of filter.extra) conditions.push(isSame(extraText(field), value))
  return conditions
}

/** Whether a bot comes after the position: by the value of the order, then older, then of a smaller number. */
function behind(place: ListPlace, order: ExtraOrder, value: RawBuilder<string | null>): Condition {
  const isOlder = sql`(created_at, number) < (${place.at}::timestamptz, ${place.id}::bigint)`
  if (place.value === null) return sql`(${value} is null and ${isOlder})`
  const comparison = order.direction === 'asc' ? sql`>` : sql`<`
  return sql`(${value} is null or ${value} collate "C" ${comparison} ${place.value}
    or (${value} = ${place.value} and ${isOlder}))`
}
