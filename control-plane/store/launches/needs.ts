/** The use of bots, as their heartbeats and the ends of their processes say. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** Attempts that are read at most; the newest ones. */
const MAX_LAUNCHES = 1_000
/** Of one team and kind: so that no team crowds out the others. */
const MAX_OF_TEAM = 50
const MAX_AGE_DAYS = 30
/** A younger bot has used every core to load the page of its meeting. */
const SETTLED_SECONDS = 60

/** The processor time of an attempt in cores, as its last heartbeat says: the mean since its start counts the wait, too. */
const CORES = sql`launches.cpu_percent / 100`
/** The most memory that a process of the attempt had. A bot that has not said it yet had that of its last heartbeat. */
const MEMORY = sql`greatest(launches.memory_bytes, (
  select max(peak_memory_bytes) from attempt_usage
  where attempt_usage.bot_id = launches.bot_id and attempt_usage.attempt = launches.attempt))`

export interface NeedRow {
  team: string
  mode: string
  platform: string
  cores: number
  memoryBytes: number
  /** Null unless it ended for lack of memory: its limit then, or what it had taken if there was none. */
  outOfMemoryAt: number | null
}

/**
 * One row for each bot: its last attempt. `offset 0` makes the planner find each bot by its id. Only attempts that ran for a while, or ended for lack of memory.
 */
export async function readNeedSamples(db: Database): Promise<NeedRow[]> {
  const { rows } = await sql<NeedRow>`
    with recent as materialized (
      select bot_id, attempt, launches.created_at, heartbeat_at, is_out_of_memory, ${CORES} as cores, ${MEMORY} as memory,
        case when is_out_of_memory then coalesce(memory_limit_bytes, ${MEMORY})::float8 end as killed_at
      from launches where created_at > now() - make_interval(days => ${MAX_AGE_DAYS})
      order by created_at desc limit ${MAX_LAUNCHES}
    ), last as (
      select distinct on (bot_id) * from recent
      where killed_at is not null or (cores is not null and memory is not null
        and heartbeat_at > created_at + make_interval(secs => ${SETTLED_SECONDS}))
      order by bot_id, attempt desc
    ), numbered as (
      select bots.team_id as team, bots.recording_mode as mode, bots.meeting_platform as platform, last.*,
        row_number() over (partition by bots.team_id, bots.recording_mode, bots.meeting_platform
          order by last.created_at desc) as number
      from last, lateral (select team_id, recording_mode, meeting_platform from bots where id = last.bot_id offset 0) bots
    )
    select team, mode, platform, coalesce(cores, 0)::float8 as cores, coalesce(memory, 0)::float8 as "memoryBytes",
      killed_at as "outOfMemoryAt"
    from numbered where number <= ${MAX_OF_TEAM}`.execute(db)
  return rows
}

export interface UseRow {
  botId: string
  attempt: number
  cores: number
  memoryBytes: number
}

/** The last reports of attempts that have not ended, of one kind of launcher. */
export async function readUse(db: Database, launcher: string): Promise<UseRow[]> {
  const { rows } = await sql<UseRow>`
    select bot_id as "botId", attempt, (cpu_percent / 100)::float8 as cores, memory_bytes::float8 as "memoryBytes"
    from launches where cleaned_at is null and ended_at is null and launcher = ${launcher}
      and cpu_percent is not null and memory_bytes is not null`.execute(db)
  return rows
}

/** Bytes at which the last attempt of the bot ended for lack of memory; null if its last end was another one. */
export async function outOfMemoryAt(db: Database, botId: string): Promise<number | null> {
  const { rows } = await sql<{ bytes: number | null }>`
    select case when is_out_of_memory then coalesce(memory_limit_bytes, ${MEMORY})::float8 end as bytes
    from launches where bot_id = ${botId} and ended_at is not null order by attempt desc limit 1`.execute(db)
  return rows[0]?.bytes ?? null
}
