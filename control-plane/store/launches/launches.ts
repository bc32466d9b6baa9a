/** Attempts to start a bot: their tokens, their handles at the launcher, and the evidence of their end. */
import { sql } from 'kysely'
import type { EndEvidence, LaunchHandle } from '../../platform/ports.ts'
import { jsonText } from '../bots/bots.ts'
import type { Database, Tx } from '../database.ts'
import { RowLease } from '../row-lease.ts'

/** Characters of a log that are kept. */
const MAX_LOG_LENGTH = 64 * 1024

const updateLaunch = (db: Database | Tx, botId: string, attempt: number) =>
  db.updateTable('launches').where('bot_id', '=', botId).where('attempt', '=', attempt)

/** An attempt that was not begun. */
export async function removeLaunch(tx: Tx, botId: string, attempt: number): Promise<void> {
  await tx
    .deleteFrom('launches')
    .where('bot_id', '=', botId)
    .where('attempt', '=', attempt)
    .where('started_at', 'is', null)
    .execute()
}

/** The launcher has answered for these attempts. Keeps the time of the first answer. */
export async function launchesStarted(
  db: Database | Tx,
  started: readonly { botId: string; attempt: number; handle: LaunchHandle }[],
): Promise<void> {
  if (started.length === 0) return
  await sql`
    update launches set handle = answer.handle, started_at = coalesce(launches.started_at, now())
    from json_to_recordset(${jsonText(started)}::json) as answer ("botId" uuid, attempt int, handle jsonb)
    where launches.bot_id = answer."botId" and launches.attempt = answer.attempt`.execute(db)
}

/**
 * Stores how the attempt ended, without its log where the bot's data was deleted. False if the end was stored
 * before.
 */
export async function launchEnded(
  db: Database | Tx,
  botId: string,
  attempt: number,
  { exitCode, signal, isOutOfMemory, reason, endedAt, logTail }: EndEvidence,
): Promise<boolean> {
  const { numUpdatedRows } = await updateLaunch(db, botId, attempt)
    .set({
      ended_at: endedAt ?? sql<Date>`now()`,
      end_seen_at: sql<Date>`now()`,
      exit_code: exitCode,
      signal,
      is_out_of_memory: isOutOfMemory,
      reason,
      log_tail: keptLog(botId, logTail),
    })
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Replaces the kept log of an attempt. */
export async function launchLogged(db: Database, botId: string, attempt: number, log: string): Promise<void> {
  await updateLaunch(db, botId, attempt)
    .set({ log_tail: keptLog(botId, log) })
    .execute()
}

/** The end of it; null once the data of the bot is deleted. */
const keptLog = (botId: string, log: string | null) => {
  const end = log?.slice(-MAX_LOG_LENGTH).replaceAll('\0', '\u{FFFD}') ?? null
  return sql<string | null>`case when not exists (
    select from bots where id = ${botId} and data_deleted_at is not null) then ${end}::text end`
}

/** Closes the attempt. `isKept`: its files stay at the launcher, because not all of them were recovered. */
export async function launchCleaned(db: Database | Tx, botId: string, attempt: number, isKept = false): Promise<void> {
  await updateLaunch(db, botId, attempt)
    .set({ cleaned_at: sql`now()`, ...(isKept && { evidence: jsonText({ is_kept: true }) }) })
    .execute()
}

/** Ends an attempt of which nothing is left at its launcher. */
export async function closeLaunch(
  db: Database | Tx,
  botId: string,
  attempt: number,
  evidence: EndEvidence,
): Promise<void> {
  await launchEnded(db, botId, attempt, evidence)
  await launchCleaned(db, botId, attempt)
}

/**
 * The recording of the attempt has to be recovered before its other files are removed; its bot continues without it.
 */
export async function wantRecovery(db: Database | Tx, botId: string, attempt: number): Promise<void> {
  await updateLaunch(db, botId, attempt).set({ recovery: 'wanted' }).where('recovery', 'is', null).execute()
}

/** Of the reconciler that recovers an attempt. */
export const recoveryLease = new RowLease('launches', 'recovery')
export const isAttempt = (botId: string, attempt: number) => sql<boolean>`bot_id = ${botId} and attempt = ${attempt}`
export const isRecoveryWanted = sql<boolean>`recovery = 'wanted'`

/** The attempt is not recovered any more. False if another recovers it. */
export async function endRecovery(db: Database, botId: string, attempt: number, owner: string): Promise<boolean> {
  const { numUpdatedRows } = await updateLaunch(db, botId, attempt)
    .set({ recovery: 'done', recovery_owner: null, recovery_until: null })
    .where('recovery_owner', '=', owner)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** A launch that is not cleaned up yet, with columns of its bot. Times are seconds until now. */
export interface OpenLaunch {
  bot_id: string
  team_id: string
  attempt: number
  handle: LaunchHandle | null
  /** Since the launch was begun. */
  age: number
  /** Since the service first knew of its end; null while it does not. */
  end_seen_for: number | null
  phase: string
  /** The attempt whose events decide. */
  named_attempt: number
  /** Whether the bot ended by its own report. */
  has_report: boolean
  /** Since the bot was over. */
  closed_for: number | null
  /** Since the bot's deadline; below zero before it, null without one. */
  overdue: number | null
  /** Its bot continued in another attempt, and the recording of this one is not recovered yet. */
  is_part: boolean
  /** Seconds since the launcher asked the named attempt to end. */
  stop_sent_for: number | null
  /** Seconds without an event that brings the end nearer, since the bot heard that it has to leave or was lost. */
  quiet_for: number | null
}

/**
 * Attempts of this kind of launcher that are not cleaned up, oldest first. `suspect`: those that may have ended, or have
 * to; the others belong to bots that run and report.
 */
export async function openLaunches(
  db: Database,
  launcher: string,
  which: 'all' | 'suspect',
  limit: number,
): Promise<OpenLaunch[]> {
  // Those that are being launched are watched by their lease.
  const isSuspect = sql`(bots.phase not in ('launching', 'running') or launches.ended_at is not null or bots.link_lost_at is not null
    or bots.deadline_at < now() or launches.attempt <> coalesce(bots.joined_attempt, bots.attempt))`
  const { rows } = await sql<OpenLaunch>`
    select launches.bot_id, bots.team_id, launches.attempt, launches.handle, bots.phase,
      extract(epoch from now() - launches.created_at)::float as age,
      extract(epoch from now() - launches.end_seen_at)::float as end_seen_for,
      coalesce(bots.joined_attempt, bots.attempt) as named_attempt,
      bots.report is not null as has_report,
      case when bots.phase in ('assembling', 'closed') then extract(epoch from now() - bots.updated_at)::float end as closed_for,
      extract(epoch from now() - bots.deadline_at)::float as overdue,
      launches.recovery is not distinct from 'wanted' as is_part,
      extract(epoch from now() - bots.stop_sent_at)::float as stop_sent_for,
      extract(epoch from now() - greatest(leaving.since, progress.at))::float as quiet_for
    from launches join bots on bots.id = launches.bot_id
    left join lateral (
      -- A transcript takes long without an event, so a bot that makes one has to be lost as well.
      select coalesce(case when bots.phase = 'ending' then (select min(sent_at) from bot_commands
          where bot_id = bots.id and command ->> 'type' = 'leave') end,
        case when bots.link_lost_at is not null then greatest(bots.stop_requested_at, bots.link_lost_at) end) as since
      where bots.stop_requested_at is not null and bots.phase in ('ending', 'processing')
    ) as leaving on true
    left join lateral (
      select max(stored_at) as at from bot_events where bot_id = bots.id and attempt = launches.attempt
        and type in ('status_change', 'artifact', 'transcription_started', 'final_report')
    ) as progress on leaving.since is not null
    where launches.launcher = ${launcher} and launches.cleaned_at is null
      and ${which === 'all' ? sql`true` : isSuspect}
    order by launches.created_at limit ${limit}`.execute(db)
  return rows
}

/** Which of these attempts are known and not cleaned up, or kept; the others are orphans. */
export async function knownLaunches(
  db: Database,
  attempts: readonly { botId: string; attempt: number }[],
): Promise<Set<string>> {
  if (attempts.length === 0) return new Set()
  const rows = attempts.map(({ botId, attempt }) => ({ bot: botId, attempt }))
  const known = await sql<{ bot_id: string; attempt: number }>`
    select launches.bot_id, launches.attempt from launches
    join json_to_recordset(${JSON.stringify(rows)}::json) as asked (bot uuid, attempt int)
      on launches.bot_id = asked.bot and launches.attempt = asked.attempt
    where launches.cleaned_at is null or launches.evidence is not null`.execute(db)
  return new Set(known.rows.map(({ bot_id, attempt }) => `${bot_id} ${attempt}`))
}

/** Seconds from the claim to `joining_call` that 95 of the last 100 bots of a day kept; null if too few are known. */
export async function startSeconds(db: Database, launcher: string): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null; samples: number }>`
    select percentile_cont(0.95) within group (order by seconds) as seconds, count(*) as samples from (
      select extract(epoch from bots.joining_at - launches.created_at)::float as seconds
      from launches join bots on bots.id = launches.bot_id and bots.joined_attempt = launches.attempt
      where launches.created_at > now() - interval '1 day' and launches.launcher = ${launcher}
        and bots.joining_at > launches.created_at
      order by launches.created_at desc limit 100) recent`.execute(db)
  const { seconds, samples } = rows[0]!
  return samples < 5 ? null : seconds
}
