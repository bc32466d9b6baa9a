/** Stored events of bots, how far each journal is stored, and the files that bots reported. */
import type { Artifact, NumberedEvent } from '@standin/wire/events.ts'
import { sql } from 'kysely'
import { attemptFolder } from '../../bots/file-keys.ts'
import { instant } from '../../bots/instants.ts'
import { EVENT_TYPES } from '../../bots/shown-events.ts'
import type { Database, Tx } from '../database.ts'

/** Consecutive events of one journal. */
export interface JournalBatch {
  botId: string
  attempt: number
  journalId: string
  events: readonly NumberedEvent[]
}

export const keyOf = ({ botId, journalId }: JournalBatch) => `${botId} ${journalId}`

/** The highest stored number of each journal, by its bot and journal. */
export async function journalHeads(tx: Tx, batches: readonly JournalBatch[]): Promise<Map<string, number>> {
  if (batches.length === 0) return new Map()
  const journals = journalsOf(batches)
  const rows = await sql<{ bot_id: string; journal_id: string; last_seq: number }>`
    select bot_id, journal_id, last_seq from journals
    join unnest(${journals.map(({ bot }) => bot)}::uuid[], ${journals.map(({ journal }) => journal)}::uuid[])
      as asked (bot, journal) on bot_id = asked.bot and journal_id = asked.journal`.execute(tx)
  return new Map(rows.rows.map((row) => [`${row.bot_id} ${row.journal_id}`, row.last_seq]))
}

export async function writeHeads(tx: Tx, batches: readonly JournalBatch[], heads: Map<string, number>): Promise<void> {
  if (batches.length === 0) return
  const rows = journalsOf(batches).map((row) => ({ ...row, seq: heads.get(`${row.bot} ${row.journal}`) ?? 0 }))
  await sql`
    insert into journals (bot_id, journal_id, attempt, last_seq)
    select bot, journal, attempt, seq
    from json_to_recordset(${JSON.stringify(rows)}::json) as head (bot uuid, journal uuid, attempt int, seq int)
    on conflict (bot_id, journal_id) do update set last_seq = excluded.last_seq
      where journals.last_seq < excluded.last_seq`.execute(tx)
}

function journalsOf(batches: readonly JournalBatch[]) {
  const journals = new Map(
    batches.map((batch) => [keyOf(batch), { bot: batch.botId, journal: batch.journalId, attempt: batch.attempt }]),
  )
  return [...journals.values()]
}

export interface NewEvent {
  bot: string
  journal: string
  seq: number
  attempt: number
  type: string
  at: Date
  event: NumberedEvent['event']
}

export function newEvent(
  { botId, journalId, attempt }: JournalBatch,
  { seq, at, event }: NumberedEvent,
  now: Date,
): NewEvent {
  return { bot: botId, journal: journalId, seq, attempt, type: event.type, at: instant(at, now), event }
}

/** Stores events, and puts those that followers may see into the inbox of each endpoint that wants one of them. */
export async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await sql`
    with fresh as materialized (
      select * from json_to_recordset(${JSON.stringify(events)}::json)
        as row (bot uuid, journal uuid, seq int, attempt int, type text, at timestamptz, event jsonb)
    ), stored as (
      insert into bot_events (bot_id, journal_id, seq, attempt, type, at, event)
      select bot, journal, seq, attempt, type, at, event from fresh
    ), news as (
      select bots.team_id, bot, journal, min(seq) - 1 as after_seq, max(seq) as last_seq, array_agg(distinct type) as types
      from fresh join bots on bots.id = bot group by bots.team_id, bot, journal
      having array_agg(distinct type) && ${EVENT_TYPES}::text[]
    )
    insert into event_inbox (endpoint_id, journal_id, bot_id, after_seq, last_seq)
    select endpoints.id, news.journal, news.bot, news.after_seq, news.last_seq
    from news join endpoints on endpoints.team_id = news.team_id and live_types ?| news.types
    where disabled_at is null
    order by endpoints.id, news.journal
    on conflict (endpoint_id, journal_id, bot_id) do update set last_seq = excluded.last_seq`.execute(tx)
}

/**
 * Numbers the events that followers may see for the stream of their team. The count of a team stays locked until the commit,
 * so a reader that sees a number sees all before it. Call it last: the other transactions of the team wait from then on.
 */
export async function numberEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  const places = events.map(({ bot, journal, seq, type }) => ({ bot, journal, seq, type }))
  if (places.length === 0) return
  await sql`
    with news as (
      select bots.team_id, bot, journal, max(seq) as last_seq, count(*)::int as events
      from json_to_recordset(${JSON.stringify(places)}::json) as row (bot uuid, journal uuid, seq int, type text)
      join bots on bots.id = bot group by bots.team_id, bot, journal
      having array_agg(distinct type) && ${EVENT_TYPES}::text[]
    ), counts as (
      insert into team_event_counts (team_id, last_number)
      select team_id, sum(events) from news group by team_id order by team_id
      on conflict (team_id) do update set last_number = team_event_counts.last_number + excluded.last_number
      returning team_id, last_number
    )
    insert into team_events (team_id, last_number, bot_id, journal_id, last_seq, events)
    select team_id, counts.last_number - sum(events) over (partition by team_id order by bot, journal) + events,
      bot, journal, last_seq, events
    from news join counts using (team_id)`.execute(tx)
}

/** A file that is reported again is the same file, with the latest values. */
export async function upsertArtifacts(
  tx: Tx,
  files: readonly { botId: string; attempt: number; artifact: Artifact }[],
): Promise<void> {
  if (files.length === 0) return
  const rows = new Map(
    files.map(({ botId, attempt, artifact }) => [
      [botId, attempt, artifact.name].join('\n'),
      // The location that the bot reports is not trusted.
      { ...artifact, location: attemptFolder(botId, attempt) + artifact.name, bot: botId, attempt },
    ]),
  )
  await sql`
    insert into artifacts (bot_id, attempt, name, location, bytes, sha256, duration_seconds)
    select bot, attempt, name, location, bytes, sha256, duration_seconds
    from json_to_recordset(${JSON.stringify([...rows.values()])}::json) as file
      (bot uuid, attempt int, name text, location text, bytes bigint, sha256 text, duration_seconds double precision)
    on conflict (bot_id, attempt, name) do update set location = excluded.location, bytes = excluded.bytes,
      sha256 = excluded.sha256, duration_seconds = coalesce(excluded.duration_seconds, artifacts.duration_seconds)`.execute(
    tx,
  )
}

/** Those of the transcripts at providers that a bot of another team reported before. */
export async function transcriptsOfOthers(tx: Tx, teamId: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select reported.id from unnest(${ids}::text[]) as reported (id)
    where exists (select from bots where transcription_ids <> '[]'::jsonb and transcription_ids ? reported.id
      and team_id <> ${teamId})`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** The journal that an attempt last wrote; undefined if no event of it was ever stored. */
export async function journalOfAttempt(db: Database, botId: string, attempt: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('bot_events')
    .select('journal_id')
    .where('bot_id', '=', botId)
    .where('attempt', '=', attempt)
    .orderBy('stored_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.journal_id
}

/** Seconds of the recording that the attempt last reported as safe in files; null if it never did. */
export async function recordedSeconds(db: Database | Tx, botId: string, attempt: number): Promise<number | null> {
  const { rows } = await sql<{ seconds: number }>`
    select (event ->> 'seconds')::float as seconds from bot_events
    where bot_id = ${botId} and attempt = ${attempt} and type = 'recording_progress'
    order by at desc limit 1`.execute(db)
  return rows[0]?.seconds ?? null
}
