/** Lists of the newer generation: bots newest first, scheduled bots by their join time. Pages begin behind a place. */
import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'
import { containing } from './like.ts'
import type { BotRow } from './tables.ts'

/** Where a bot stands in a list. */
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

export interface Page {
  bots: BotRow[]
  /** Of the page behind this one; null at the end. */
  next: Place | null
  /** Of the page before it; null at the start. */
  previous: Place | null
}

/** All that are given must match. Texts are partial matches of any case, but for `extra`, which is exact. */
export interface BotFilter {
  botName?: string | undefined
  meetingUrl?: string | undefined
  botId?: string | undefined
  participantName?: string | undefined
  createdAfter?: Date | undefined
  createdBefore?: Date | undefined
  endedAfter?: Date | undefined
  extra?: readonly { field: string; value: string }[] | undefined
  platforms?: readonly string[] | undefined
  statuses?: readonly string[] | undefined
}

export interface ScheduledFilter extends BotFilter {
  scheduledAfter?: Date | undefined
  scheduledBefore?: Date | undefined
}

/** Days back that lists reach. */
export const LIST_DAYS = 90

/** A bot of the newer generation that is more than a plan: it was queued, or refused at its join time. */
export const isSpawned = sql<boolean>`(not is_scheduled or queued_at is not null or schedule_status = 'failed')`

export async function listBots(db: Database, teamId: string, filter: BotFilter, page: PageRequest): Promise<Page> {
  const conditions = [
    ...commonConditions(teamId, filter),
    isSpawned,
    sql`created_at > now() - make_interval(days => ${LIST_DAYS})`,
    ...(filter.statuses === undefined ? [] : [sql`status = any (${[...filter.statuses]}::text[])`]),
  ]
  return readPage(db, conditions, page, { column: 'created_at', direction: 'desc' })
}

export async function listScheduledBots(
  db: Database,
  teamId: string,
  filter: ScheduledFilter,
  page: PageRequest,
): Promise<Page> {
  const conditions = [
    ...commonConditions(teamId, filter),
    sql`is_scheduled`,
    ...(filter.statuses === undefined ? [] : [sql`schedule_status = any (${[...filter.statuses]}::text[])`]),
    ...(filter.scheduledAfter === undefined ? [] : [sql`join_at >= ${filter.scheduledAfter}`]),
    ...(filter.scheduledBefore === undefined ? [] : [sql`join_at <= ${filter.scheduledBefore}`]),
  ]
  return readPage(db, conditions, page, { column: 'join_at', direction: 'asc' })
}

type Condition = RawBuilder<unknown>

function commonConditions(teamId: string, filter: BotFilter): Condition[] {
  const conditions: Condition[] = [sql`team_id = ${teamId}`, sql`generation = 'v2'`]
  const partly = (value: string | undefined, column: Condition) => {
    if (value !== undefined) conditions.push(sql`${column} ilike ${containing(value)}`)
  }
  partly(filter.botName, sql`bot_name`)
  partly(filter.meetingUrl, sql`meeting_url`)
  partly(filter.botId, sql`id::text`)
  if (filter.participantName !== undefined)
    conditions.push(sql`exists (
      select from jsonb_array_elements(participants) person where person ->> 'name' ilike ${containing(filter.participantName)})`)
  if (filter.createdAfter) conditions.push(sql`created_at >= ${filter.createdAfter}`)
  if (filter.createdBefore) conditions.push(sql`created_at <= ${filter.createdBefore}`)
  if (filter.endedAfter) conditions.push(sql`ended_at >= ${filter.endedAfter}`)
  if (filter.platforms !== undefined) conditions.push(sql`meeting_platform = any (${[...filter.platforms]}::text[])`)
  for (const { field, value } of filter.extra ?? [])
    conditions.push(sql`jsonb_typeof(extra) = 'object' and extra ->> ${field}::text = ${value}`)
  return conditions
}

async function readPage(
  db: Database,
  conditions: readonly Condition[],
  { limit, from }: PageRequest,
  order: { column: 'created_at' | 'join_at'; direction: 'asc' | 'desc' },
): Promise<Page> {
  const isBackwards = from?.direction === 'before'
  const isAscending = (order.direction === 'asc') !== isBackwards
  const column = sql.ref(order.column)
  const direction = sql.raw(isAscending ? 'asc' : 'desc')
  const beyond =
    from === null
      ? []
      : [
          sql`(${column}, id) ${sql.raw(isAscending ? '>' : '<')} (${from.place.at}::timestamptz, ${from.place.id}::uuid)`,
        ]
  const { rows } = await sql<BotRow & { place: string }>`
    select *, to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place
    from bots where ${sql.join([...conditions, ...beyond], sql` and `)}
    order by ${column} ${direction}, id ${direction} limit ${limit + 1}`.execute(db)
  const hasMore = rows.length > limit
  const shown = rows.slice(0, limit)
  if (isBackwards) shown.reverse()
  const placeOf = (row: (typeof rows)[number] | undefined) => (row ? { at: row.place, id: row.id } : null)
  return {
    bots: shown,
    next: isBackwards || hasMore ? placeOf(shown.at(-1)) : null,
    previous: (isBackwards ? hasMore : from !== null) ? placeOf(shown[0]) : null,
  }
}
