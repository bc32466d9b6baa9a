/** The older generation's list of bots: filters, an order by a field of `extra`, and pages that begin behind a place. */
import { type RawBuilder, sql } from 'kysely'
import type { BotRow } from '../../rows/index.ts'
import type { Database } from '../database.ts'
import { contains } from '../like.ts'

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

/** The position of a bot in the list. Bots with the same value are sorted newest first. */
export interface ListPlace {
  /** Microseconds since 1970. */
  createdAt: number
  number: number
  /** Its value of the field that orders the list; null if it has none or the list has no such order. */
  value: string | null
}

export interface ListedBot {
  bot: BotRow
  place: ListPlace
}

/** Lists at most `limit` bots of the team, behind `after`. */
export async function listOlderBots(
  db: Database,
  teamId: string,
  query: { filter: OlderFilter; order: ExtraOrder | null; after: ListPlace | null; limit: number },
): Promise<ListedBot[]> {
  const { order, after, limit } = query
  const value = orderValue(order)
  const direction = order?.direction === 'desc' ? sql`desc` : sql`asc`
  const conditions = [
    sql<boolean>`team_id = ${teamId} and generation = 'older'`,
    ...conditionsOf(query.filter),
    ...(after === null ? [] : [behind(after, order, value)]),
  ]
  const { rows } = await sql<BotRow & { list_value: string | null; list_created_at: number }>`
    select *, ${value} as list_value, ${CREATED_AT} as list_created_at
    from bots
    where ${sql.join(conditions, sql` and `)}
    order by ${order === null ? sql`` : sql`${value} collate "C" ${direction} nulls last, `}created_at desc, number desc
    limit ${limit}`.execute(db)
  return rows.map(({ list_value, list_created_at, ...bot }) => ({
    bot,
    place: { value: list_value, createdAt: list_created_at, number: bot.number! },
  }))
}

/** The current position of the team's bot of this number; undefined if there is none. */
export async function placeOfOlderBot(
  db: Database,
  teamId: string,
  number: number,
  order: ExtraOrder | null,
): Promise<ListPlace | undefined> {
  const { rows } = await sql<ListPlace>`
    select ${orderValue(order)} as value, ${CREATED_AT} as "createdAt", number
    from bots where number = ${number} and team_id = ${teamId} and generation = 'older'`.execute(db)
  return rows[0]
}

const CREATED_AT = sql<number>`(extract(epoch from created_at) * 1000000)::bigint`

function orderValue(order: ExtraOrder | null): RawBuilder<string | null> {
  return order === null ? sql<string | null>`null::text` : extraText(order.field)
}

/** A field of `extra` as text; null if `extra` is no object or has no such field. */
function extraText(field: string): RawBuilder<string | null> {
  return sql<string | null>`(extra ->> ${field}::text)`
}

function conditionsOf(filter: OlderFilter): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = []
  if (filter.botName !== undefined) conditions.push(contains(sql`bot_name`, filter.botName))
  if (filter.meetingUrl !== undefined) conditions.push(contains(sql`meeting_url`, filter.meetingUrl))
  if (filter.createdAfter !== undefined) conditions.push(sql`created_at >= ${filter.createdAfter}`)
  if (filter.createdBefore !== undefined) conditions.push(sql`created_at <= ${filter.createdBefore}`)
  if (filter.endedAfter !== undefined) conditions.push(sql`ended_at >= ${filter.endedAfter}`)
  if (filter.speakerName !== undefined)
    conditions.push(sql`exists (
      select from jsonb_array_elements(speakers) as speaker
      where ${contains(sql`(speaker ->> 'name')`, filter.speakerName)})`)
  for (const { field, value } of filter.extra) conditions.push(sql`${extraText(field)} = ${value}`)
  return conditions
}

/** Whether a bot comes after the position: by the value of the order, then older, then of a smaller number. */
function behind(
  { value: placeValue, createdAt, number }: ListPlace,
  order: ExtraOrder | null,
  value: RawBuilder<string | null>,
): RawBuilder<boolean> {
  const isOlder = sql<boolean>`
    (created_at, number) < (timestamptz 'epoch' + ${createdAt}::bigint * interval '1 microsecond', ${number}::bigint)`
  if (order === null) return isOlder
  if (placeValue === null) return sql`(${value} is null and ${isOlder})`
  const comparison = order.direction === 'asc' ? sql`>` : sql`<`
  return sql`(${value} is null or ${value} collate "C" ${comparison} ${placeValue}
    or (${value} = ${placeValue} and ${isOlder}))`
}
