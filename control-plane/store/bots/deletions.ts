/** Deletion of a bot's data: requested, repeated until verified, checked once more later, with a receipt. */
import { sql } from 'kysely'
import { logChange } from '../audit-log.ts'
import type { Database, Tx } from '../database.ts'
import { blankRequest } from './blank-request.ts'

export type DeletionAsked = 'requested' | 'already_deleted' | 'active' | 'not_found'

const ENDED = ['completed', 'failed']

/**
 * Links answer null from the commit on; the files follow. Only for bots that have ended. While a new transcript is made,
 * callers have to wait for it, and retention does not.
 */
export async function requestDeletion(
  tx: Tx,
  botId: string,
  asked: {
    reason: 'request' | 'retention'
    by: string | null
    /** Transcripts that the speech provider keeps are deleted there too. Default: not. */
    fromProvider?: boolean
  },
): Promise<DeletionAsked> {
  const bot = await tx
    .selectFrom('bots')
    .select(['team_id', 'phase', 'status', 'data_deleted_at', 'attempt'])
    .where('id', '=', botId)
    .forUpdate()
    .executeTakeFirst()
  if (bot === undefined) return 'not_found'
  if (bot.phase !== 'closed' || (asked.reason === 'request' && !ENDED.includes(bot.status))) return 'active'
  if (bot.data_deleted_at !== null) return 'already_deleted'
  await tx
    .updateTable('bots')
    .set({ data_deleted_at: sql<Date>`now()`, updated_at: sql<Date>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', botId)
    .execute()
  await tx
    .insertInto('deletions')
    .values({
      bot_id: botId,
      reason: asked.reason,
      requested_by: asked.by,
      from_provider: asked.fromProvider ?? false,
    })
    .execute()
  await tx
    .insertInto('bot_steps')
    .values({
      bot_id: botId,
      attempt: bot.attempt,
      at: sql<Date>`now()`,
      kind: 'data_deleted',
      reason: asked.reason === 'retention' ? 'The time for which data is kept is over.' : 'Its deletion was requested.',
    })
    .execute()
  await logChange(tx, { teamId: bot.team_id, action: 'bot.delete_data', target: botId })
  return 'requested'
}

export interface OpenDeletion {
  id: string
  bot_id: string
  /** Verified before; this is the sweep for uploads that came late. */
  is_sweep: boolean
  from_provider: boolean
  /** Times that it failed. */
  tries: number
  transcription_ids: string[]
  /** Of the bot, sealed. */
  secrets: Buffer | null
}

/** Hours after which the prefix is checked once more. */
const SWEEP_AFTER_HOURS = 24

/** Whether `openDeletions` would find any. */
export async function hasOpenDeletions(db: Database): Promise<boolean> {
  return (await openDeletions(db, 1)).length > 0
}

/** Deletions to do now, those that waited longest first. */
export async function openDeletions(db: Database, limit: number): Promise<OpenDeletion[]> {
  const { rows } = await sql<OpenDeletion>`
    select deletions.id, bot_id, verified_at is not null as is_sweep, from_provider, tries, transcription_ids, secrets
    from deletions join bots on bots.id = bot_id
    where (verified_at is null or swept_at is null) and next_try_at <= now()
    order by next_try_at limit ${limit}`.execute(db)
  return rows
}

/** Blanks the data for the provider's deletion: the transcripts' ids, and the caller's secrets. */
export async function blankSecrets(db: Database, botId: string): Promise<void> {
  await sql`
    update bots set transcription_ids = '[]', secrets = null, updated_at = now(), version = version + 1
    where id = ${botId} and (secrets is not null or transcription_ids <> '[]'::jsonb)`.execute(db)
}

/**
 * Blanks the bot's speech, picture and messages, and what the caller wrote into its request; secrets follow (`blankSecrets`).
 * The row keeps who asked for which meeting, when, how it ended and its cost.
 */
export async function blankBot(db: Database, botId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`
      update bots set participants = '[]', speakers = '[]', report = null,
        updated_at = now(), version = version + 1
      where id = ${botId}`.execute(tx)
    // Every open delivery of it would carry an empty body, also one that is being sent and would be tried again.
    await sql`
      update deliveries set state = 'dropped', claim = null, lease_until = null, finished_at = now()
      where bot_id = ${botId} and state in ('waiting', 'sending')`.execute(tx)
    await sql`update messages set body = '{}' where bot_id = ${botId}`.execute(tx)
    await sql`
      update delivery_attempts set answer = null
      where answer is not null and delivery_id in (select id from deliveries where bot_id = ${botId})`.execute(tx)
    await sql`
      update launches set log_tail = null, evidence = null where bot_id = ${botId}`.execute(tx)
    await sql`update bot_steps set evidence = null where bot_id = ${botId}`.execute(tx)
    await sql`
      update bot_commands set command = jsonb_build_object('type', command -> 'type'), answer = null
      where bot_id = ${botId}`.execute(tx)
    await sql`
      update retranscriptions set secret = null, custom_params = null, last_error = null
      where bot_id = ${botId}`.execute(tx)
    await blankRequest(tx, botId)
    await sql`delete from bot_events where bot_id = ${botId}`.execute(tx)
    await sql`delete from team_events where bot_id = ${botId}`.execute(tx)
    await sql`delete from artifacts where bot_id = ${botId}`.execute(tx)
  })
}

/** The speech provider's result for the transcripts that it was asked to delete. */
export interface AtProvider {
  deleted: number
  /** It did not have them any more. */
  missing: number
}

/** The receipt; counts of several tries add up. A failed one waits 10 s, doubled up to about three hours. */
export async function finishDeletion(
  db: Database,
  { id, is_sweep }: OpenDeletion,
  done: { files: number; bytes: number; provider: AtProvider | null; error: string | null },
): Promise<void> {
  const isDone = done.error === null
  await sql`
    update deletions set files = coalesce(files, 0) + ${done.files}, bytes = coalesce(bytes, 0) + ${done.bytes},
      verified_at = case when ${isDone} and not ${is_sweep} then now() else verified_at end,
      swept_at = case when ${isDone} and ${is_sweep} then now() else swept_at end,
      provider_deleted = coalesce(${done.provider?.deleted ?? null}::int, provider_deleted),
      provider_missing = coalesce(${done.provider?.missing ?? null}::int, provider_missing),
      tries = case when ${isDone} then 0 else tries + 1 end, last_error = ${done.error},
      next_try_at = now() + case when ${isDone} then make_interval(hours => ${SWEEP_AFTER_HOURS})
        else make_interval(secs => 10 * power(2::float8, least(tries, 10))) end
    where id = ${id}`.execute(db)
}

/** Bots whose data is older than their team keeps it. */
export async function botsPastRetention(db: Database, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select b.id from bots b join teams t on t.id = b.team_id
    where b.phase = 'closed' and b.data_deleted_at is null and t.retention_days is not null
      and b.ended_at < now() - make_interval(days => t.retention_days)
    order by b.ended_at limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}
