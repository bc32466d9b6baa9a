/** Lists as the newer generation has them: bots newest first, scheduled bots by their join time. Pages begin behind a place. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { contains, isSame } from '../like.ts'
import { type Condition, type PageRequest, type Places, readPage } from '../pages.ts'
import type { BotRow } from '../rows/index.ts'

export type Page = Places & { bots: BotRow[] }

/** All that are given must match. Texts are partial matches of any case, but for `extra`, which is exact. */
export interface BotFilter {
  /** Of which generation of the API. */
  generation: 'v2' | 'any'
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

/** A bot that is no longer only scheduled: it was queued, or refused at its join time. */
const isSpawned = sql<boolean>`(not is_scheduled or queued_at is not null or schedule_status = 'failed')`

export async function listBots(db: Database, teamId: string, filter: BotFilter, page: PageRequest): Promise<Page> {
  const conditions = [
    sql`team_id = ${teamId} and created_at > now() - make_interval(days => ${LIST_DAYS})`,
    ...createdWithin(filter),
    ...wholeId(filter),
  ]
  const filters = [
    isSpawned,
    ...commonFilters(filter),
    ...(filter.statuses === undefined ? [] : [sql`status = any (${[...filter.statuses]}::text[])`]),
  ]
  return readBots(db, conditions, filters, page, { column: 'created_at', direction: 'desc' })
}

export async function listScheduledBots(
  db: Database,
  teamId: string,
  filter: ScheduledFilter,
  page: PageRequest,
): Promise<Page> {
  const conditions = [
    sql`team_id = ${teamId} and is_scheduled`,
    ...(filter.scheduledAfter === undefined ? [] : [sql`join_at >= ${filter.scheduledAfter}`]),
    ...(filter.scheduledBefore === undefined ? [] : [sql`join_at <= ${filter.scheduledBefore}`]),
    ...wholeId(filter),
  ]
  const filters = [
    ...commonFilters(filter),
    ...createdWithin(filter),
    ...(filter.statuses === undefined ? [] : [sql`schedule_status = any (${[...filter.statuses]}::text[])`]),
  ]
  return readBots(db, conditions, filters, page, { column: 'join_at', direction: 'asc' })
}

const WHOLE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An index finds a whole id, and no part of one. */
function wholeId({ botId }: BotFilter): Condition[] {
  return botId !== undefined && WHOLE_ID.test(botId) ? [sql`id = ${botId}::uuid`] : []
}

/** Inclusive bounds. */
export function createdWithin({
  createdAfter,
  createdBefore,
}: Pick<BotFilter, 'createdAfter' | 'createdBefore'>): Condition[] {
  return [
    ...(createdAfter === undefined ? [] : [sql`created_at >= ${createdAfter}`]),
    ...(createdBefore === undefined ? [] : [sql`created_at <= ${createdBefore}`]),
  ]
}

function commonFilters(filter: BotFilter): Condition[] {
  const conditions: Condition[] = []
  if (filter.generation !== 'any') conditions.push(sql`generation = ${filter.generation}`)
  const partly = (value: string | undefined, column: Condition) => {
    if (value !== undefined) conditions.push(contains(column, value))
  }
  partly(filter.botName, sql`bot_name`)
  partly(filter.meetingUrl, sql`meeting_url`)
  partly(filter.botId, sql`id::text`)
  if (filter.participantName !== undefined)
    conditions.push(sql`exists (
      select from jsonb_array_elements(participants) person where ${contains(sql`(person ->> 'name')`, filter.participantName)})`)
  if (filter.endedAfter) conditions.push(sql`ended_at >= ${filter.endedAfter}`)
  if (filter.platforms !== undefined) conditions.push(sql`meeting_platform = any (${[...filter.platforms]}::text[])`)
  for (const { field, value } of filter.extra ?? [])
    conditions.push(sql`jsonb_typeof(extra) = 'object' and ${isSame(sql`extra ->> ${field}::text`, value)}`)
  return conditions
}

async function readBots(
  db: Database,
  conditions: readonly Condition[],
  filters: readonly Condition[],
  page: PageRequest,
  { column, direction }: { column: 'created_at' | 'join_at'; direction: 'asc' | 'desc' },
): Promise<Page> {
  const order = { column: sql.ref(column), id: sql.ref('id'), direction }
  const query = { columns: sql`*`, from: sql`bots`, conditions, filters, order }
  const { rows, ...places } = await readPage<BotRow>(db, query, page)
  return { bots: rows, ...places }
}
