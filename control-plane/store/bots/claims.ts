/** Bots whose time has come: which of them a launcher takes. The database's clock decides what is due. */
import type { RecordingMode } from '@standin/wire/codes.ts'
import { sql } from 'kysely'
import { PICKUP_DELAYED_SECONDS } from '../../bots/deadlines.ts'
import type { Database } from '../database.ts'
import { PREPARED } from '../prepared.ts'
import { RowLease } from '../row-lease.ts'
import type { BotRow } from '../rows/index.ts'

/**
 * Due bots that one claim reads, for each that it takes: other launchers may hold some. They are shared by the teams
 * that have some; of each team at least one.
 */
const LOOKED_AT_EACH = 4

export interface DueRules {
  /** Fence: only the holder of this lease decides what became of the launch. */
  owner: string
  launcher: string
  limit: number
  leaseSeconds: number
  /** Recording modes of the bots that it takes; absent: of all. */
  modes?: readonly RecordingMode[]
}

/** What a launcher has to know of a bot. The statement of the claim is prepared, so it names its columns. */
const CLAIMED = [
  ...([
    'id',
    'team_id',
    'phase',
    'status',
    'version',
    'attempt',
    'resumes',
    'denials',
    'parts',
    'participants',
  ] as const),
  ...(['bot_name', 'meeting_url', 'meeting_platform', 'recording_mode', 'extra', 'request', 'secrets'] as const),
  ...(['is_scheduled', 'join_at', 'created_at', 'updated_at', 'waiting_at', 'joined_at'] as const),
  ...(['recording_started_at', 'traceparent'] as const),
] satisfies (keyof BotRow)[]
export type ClaimedBot = Pick<BotRow, (typeof CLAIMED)[number]>

export interface DueLook {
  /** Whether scheduled bots have to be admitted now. */
  scheduled: boolean
  /** Whether admitted bots wait for a launcher. */
  due: boolean
  /** Seconds until the next one is due, if that is within `aheadSeconds`; null otherwise. */
  next_in: number | null
}

/** No index is found by it. */
const IS_TIME = sql`coalesce(due_at <= now(), false)`

/** Whether there is something to do, and when. `leadSeconds`: how early bots are started. */
export async function lookForDue(db: Database, leadSeconds: number, aheadSeconds: number): Promise<DueLook> {
  const lead = sql`make_interval(secs => ${leadSeconds})`
  const ahead = sql`make_interval(secs => ${aheadSeconds})`
  const { rows } = await sql<DueLook>`
    ${PREPARED} select
      exists (select from bots where phase = 'scheduled' and due_at <= now() + ${lead}) as scheduled,
      -- Not by time: scheduled bots may be due as well, and would be read one by one.
      exists (select from bots where phase = 'due' and ${IS_TIME}) as due,
      extract(epoch from least(
        (select due_at from bots where phase = 'scheduled' and due_at > now() + ${lead}
          and due_at <= now() + ${lead} + ${ahead} order by due_at limit 1) - ${lead},
        (select due_at from bots where phase = 'due' and due_at > now() and due_at <= now() + ${ahead}
          order by due_at limit 1)) - now())::float8 as next_in`.execute(db)
  return rows[0]!
}

/** Whether there are bots that `latePickups` or `hopelessBots` would find. */
export async function hasLateBots(db: Database): Promise<boolean> {
  const { rows } = await sql<{ is_late: boolean }>`
    ${PREPARED} select exists (select from bots where ${IS_LATE_PICKUP})
      or exists (select from bots where phase = 'due' and give_up_at <= now()) as is_late`.execute(db)
  return rows[0]!.is_late
}

/** Scheduled bots that are due, by team, those that wait longest first. */
export async function dueForAdmission(
  db: Database,
  leadSeconds: number,
  limit: number,
): Promise<{ id: string; team_id: string }[]> {
  return db
    .selectFrom('bots')
    .select(['id', 'team_id'])
    .where('phase', '=', 'scheduled')
    .where('due_at', '<=', sql<Date>`now() + make_interval(secs => ${leadSeconds})`)
    .orderBy('due_at')
    .limit(limit)
    .execute()
}

/**
 * Takes due bots and begins their next attempt, whose link tokens have these hashes. This launcher holds them until their
 * lease is over. Teams take turns, so that one with many bots does not delay the others. At most as many bots as there
 * are hashes; each has the hash of its place.
 */
export async function claimDue(
  db: Database,
  { owner, launcher, limit, leaseSeconds, modes }: DueRules,
  tokenHashes: readonly Buffer[],
): Promise<ClaimedBot[]> {
  const isOfModes = modes === undefined ? sql`true` : sql`recording_mode = any(${modes})`
  const columns = (table: string) => sql.join(CLAIMED.map((column) => sql.ref(`${table}.${column}`)))
  // When many bots have just become due, the planner's statistics still say that there are none. So no index may be found by
  // the time (`coalesce`), or by an equal team (`between`): it would read all due bots for each. The order is that of the right index.
  const { rows } = await sql<ClaimedBot>`
    ${PREPARED} with recursive next as (
      (select team_id from bots where phase = 'due' order by team_id, due_at limit 1)
      union all
      select (select team_id from bots where phase = 'due' and team_id > next.team_id
        order by team_id, due_at limit 1)
      from next where next.team_id is not null
    ), team as materialized (
      select team_id from next where team_id is not null
    ), waiting as materialized (
      select first.*, row_number() over (partition by team.team_id order by first.due_at, first.id) as turn
      from team, lateral (
        select id, due_at from bots
        where phase = 'due' and team_id between team.team_id and team.team_id and ${IS_TIME}
          and ${isOfModes}
        order by bots.team_id, due_at, id limit (select greatest(1, ${LOOKED_AT_EACH * limit} / count(*)) from team)
      ) first
      order by turn, due_at, id
    ), chosen as (
      -- One after the other, until enough are locked.
      select free.id from waiting, lateral (
        select id from bots where id = waiting.id and coalesce(phase = 'due' and due_at <= now(), false)
        for no key update skip locked
      ) free
      limit ${Math.min(limit, tokenHashes.length)}
    ), claimed as (
      update bots set phase = 'launching', attempt = attempt + 1, lease_owner = ${owner}, stop_sent_at = null,
        lease_until = now() + make_interval(secs => ${leaseSeconds}), version = version + 1, updated_at = now()
      from chosen where bots.id = chosen.id
      returning ${columns('bots')}
    ), placed as (
      select *, row_number() over () as place from claimed
    ), launch as (
      insert into launches (bot_id, attempt, launcher, token_hash)
      select placed.id, placed.attempt, ${launcher}, given.hash from placed
      join unnest(${tokenHashes}::bytea[]) with ordinality as given (hash, place) using (place)
    )
    select ${columns('placed')} from placed order by place`.execute(db)
  return rows
}

/** A bot that found no room is due again within this time. */
const RETRIED_WITHIN_SECONDS = 5

/** Recording modes of due bots, those of which a bot has waited longest first. */
export async function dueModes(db: Database): Promise<RecordingMode[]> {
  const { rows } = await sql<{ mode: RecordingMode }>`
    select recording_mode as mode from bots
    where phase = 'due' and due_at <= now() + make_interval(secs => ${RETRIED_WITHIN_SECONDS})
    group by 1 order by min(greatest(queued_at, join_at))`.execute(db)
  return rows.map(({ mode }) => mode)
}

/** Due bots that no reason to wait is written for yet. */
export async function dueWithoutReason(db: Database, limit: number) {
  return db
    .selectFrom('bots')
    .select(['id', sql<RecordingMode>`recording_mode`.as('mode')])
    .where('phase', '=', 'due')
    .where('due_at', '<=', sql<Date>`now()`)
    .where('wait_reason', 'is', null)
    .orderBy('due_at')
    .limit(limit)
    .execute()
}

const IS_LATE_PICKUP = sql`phase <> 'closed' and phase in ('due', 'launching', 'starting') and pickup_delayed_at is null and resumes = 0
  and greatest(queued_at, join_at) < now() - make_interval(secs => ${PICKUP_DELAYED_SECONDS})`

/** Bots that should have been in their meeting for two minutes and whose process has not reported yet. */
export async function latePickups(db: Database, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from bots
    where ${IS_LATE_PICKUP}
    order by queued_at limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Due bots whose time to try is over. */
export async function hopelessBots(db: Database, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('bots')
    .select('id')
    .where('phase', '=', 'due')
    .where('give_up_at', '<=', sql<Date>`now()`)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Whether a reconciler has work: attempts of this kind of launcher, or launches that were left. */
export async function hasOpenAttempts(db: Database, launcher: string): Promise<boolean> {
  const { rows } = await sql<{ is_there: boolean }>`
    ${PREPARED} select exists (select from launches where cleaned_at is null and launcher = ${launcher})
      or exists (select from bots where phase = 'launching' and lease_until < now())
      or exists (select from bots where phase = 'assembling') as is_there`.execute(db)
  return rows[0]!.is_there
}

/** Bots whose launcher did not come back before its lease was over. */
export async function expiredLeases(
  db: Database,
  limit: number,
): Promise<{ id: string; team: string; attempt: number; owner: string | null }[]> {
  return db
    .selectFrom('bots')
    .select(['id', 'team_id as team', 'attempt', 'lease_owner as owner'])
    .where('phase', '=', 'launching')
    .where('lease_until', '<', sql<Date>`now()`)
    .orderBy('lease_until')
    .limit(limit)
    .execute()
}

/**
 * Bots whose files can be put together: nothing is left to recover of their attempts, or that takes too long. Those that
 * another reconciler holds are left out.
 */
export async function botsToAssemble(db: Database, patienceSeconds: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from bots
    where phase = 'assembling' and ${botLease.isFree}
      and (updated_at < now() - make_interval(secs => ${patienceSeconds})
        or not exists (select from launches where bot_id = bots.id and cleaned_at is null))
    order by updated_at limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Phases in which a reconciler may work on a bot. */
const LEASABLE = ['starting', 'running', 'ending', 'processing', 'assembling']

const botLease = new RowLease('bots')
const isLeasable = sql`phase in (${sql.join(LEASABLE)})`

/** Takes the lease of a bot that has a process or parts to join, for work that one reconciler does at a time. False if another has it. */
export function takeBotLease(db: Database, botId: string, owner: string, leaseSeconds: number): Promise<boolean> {
  return botLease.acquire(db, botId, { owner, leaseSeconds }, isLeasable)
}

/** Keeps such a lease for so many seconds from now, if the owner still has it. */
export function keepBotLease(db: Database, botId: string, owner: string, leaseSeconds: number): Promise<boolean> {
  return botLease.renew(db, botId, { owner, leaseSeconds })
}

/** Gives such a lease back after `seconds`. */
export function endBotLease(db: Database, botId: string, owner: string, seconds = 0): Promise<void> {
  return botLease.release(db, botId, owner, seconds, isLeasable)
}
