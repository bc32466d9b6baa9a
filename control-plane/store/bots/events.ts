/** Events of bots: stored once and in order, together with everything that follows from them. */
import type { Artifact, NumberedEvent } from '@standin/wire/events.ts'
import { sql } from 'kysely'
import { type BotChange, emptyChange } from '../../bots/change.ts'
import { fold } from '../../bots/fold.ts'
import { instant } from '../../bots/instants.ts'
import { decides, isOver, withPatch } from '../../bots/row.ts'
import type { BotRow } from '../../rows/index.ts'
import { nowOf } from '../clock.ts'
import type { Database, Tx } from '../database.ts'
import { jsonText, lockBots } from './bots.ts'
import { applyChanges } from './changes.ts'

/** Consecutive events of one journal. */
export interface JournalBatch {
  botId: string
  attempt: number
  journalId: string
  events: readonly NumberedEvent[]
}

export interface Stored {
  /** The highest number of the journal that is stored: may be acknowledged. */
  lastSeq: number
  /** How the service saw the bot before these events: a bot that reports its own end is not yet `closed`. */
  standing: Standing
  /** The bot after these events; null where none of them was stored. */
  bot: BotRow | null
}

/**
 * `named`: its events decide. `stopped`: they do, and it was asked to leave. `stale`: another attempt is the bot,
 * or is going to be. `closed`: the bot is over.
 */
export type Standing = 'named' | 'stopped' | 'stale' | 'closed'

export function standingOf(
  bot: Pick<BotRow, 'phase' | 'attempt' | 'joined_attempt' | 'stop_requested_at'>,
  attempt: number,
): Standing {
  if (!decides(bot, attempt)) return 'stale'
  if (isOver(bot)) return 'closed'
  return bot.stop_requested_at === null ? 'named' : 'stopped'
}

/**
 * Stores batches of events in one transaction: the events, the bots' changes, webhook messages, tokens and files.
 * Events that were stored before are skipped. Events after a gap are left out, so the returned number requests them
 * again. Null for a bot that is unknown. Nothing is acknowledged before this resolves.
 */
export async function appendEvents(db: Database, batches: readonly JournalBatch[]): Promise<(Stored | null)[]> {
  return db.transaction().execute(async (tx) => {
    // All writes for one bot happen under the lock of its row, so two links of one journal take turns.
    const bots = new Map(
      (await lockBots(tx, [...new Set(batches.map(({ botId }) => botId))])).map((bot) => [bot.id, bot]),
    )
    const now = await nowOf(tx)
    const known = batches.filter(({ botId }) => bots.has(botId))
    const heads = await journalHeads(tx, known)
    const changes = new Map<string, { bot: BotRow; change: BotChange }>()
    const rows: NewEvent[] = []
    const files: { botId: string; attempt: number; artifact: Artifact }[] = []
    const results = batches.map((batch) => {
      const stored = bots.get(batch.botId)
      if (stored === undefined) return null
      const key = keyOf(batch)
      const head = heads.get(key) ?? 0
      const fresh = consecutive(batch.events, head)
      const entry = changes.get(stored.id) ?? { bot: stored, change: emptyChange() }
      changes.set(stored.id, entry)
      const before = withPatch(stored, entry.change.patch)
      const standing = standingOf(before, batch.attempt)
      if (fresh.length === 0) return { lastSeq: head, standing, bot: null }
      const lastSeq = head + fresh.length
      heads.set(key, lastSeq)
      // The content of a deleted bot is not kept, and acknowledged all the same.
      if (stored.data_deleted_at !== null) return { lastSeq, standing, bot: null }
      rows.push(...fresh.map((event) => newEvent(batch, event, now)))
      const { change, artifacts } = fold(before, { ...batch, events: fresh, now })
      files.push(...artifacts.map((artifact) => ({ botId: stored.id, attempt: batch.attempt, artifact })))
      entry.change = joined(entry.change, change)
      return { lastSeq, standing, bot: withPatch(before, change.patch) }
    })
    await writeHeads(tx, known, heads)
    await insertEvents(tx, rows)
    await upsertArtifacts(tx, files)
    await applyChanges(tx, [...changes.values()])
    return results
  })
}

const keyOf = ({ botId, journalId }: JournalBatch) => `${botId} ${journalId}`

/** The events that follow `head` without a gap; repeats are left out. */
function consecutive(events: readonly NumberedEvent[], head: number): NumberedEvent[] {
  const fresh: NumberedEvent[] = []
  for (const event of events) if (event.seq === head + fresh.length + 1) fresh.push(storable(event))
  return fresh
}

/** The event without characters that PostgreSQL refuses in JSON, which would keep everything behind it from being stored. */
function storable(event: NumberedEvent): NumberedEvent {
  return /\\u(0000|d[89a-f])/i.test(JSON.stringify(event)) ? JSON.parse(jsonText(event)) : event
}

function joined(first: BotChange, second: BotChange): BotChange {
  return {
    patch: { ...first.patch, ...second.patch },
    steps: [...first.steps, ...second.steps],
    messages: [...first.messages, ...second.messages],
    ledger: [...first.ledger, ...second.ledger],
  }
}

async function journalHeads(tx: Tx, batches: readonly JournalBatch[]): Promise<Map<string, number>> {
  if (batches.length === 0) return new Map()
  const journals = journalsOf(batches)
  const rows = await sql<{ bot_id: string; journal_id: string; last_seq: number }>`
    select bot_id, journal_id, last_seq from journals
    join unnest(${journals.map(({ bot }) => bot)}::uuid[], ${journals.map(({ journal }) => journal)}::uuid[])
      as asked (bot, journal) on bot_id = asked.bot and journal_id = asked.journal`.execute(tx)
  return new Map(rows.rows.map((row) => [`${row.bot_id} ${row.journal_id}`, row.last_seq]))
}

async function writeHeads(tx: Tx, batches: readonly JournalBatch[], heads: Map<string, number>): Promise<void> {
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

interface NewEvent {
  bot: string
  journal: string
  seq: number
  attempt: number
  type: string
  at: Date
  event: NumberedEvent['event']
}

function newEvent({ botId, journalId, attempt }: JournalBatch, { seq, at, event }: NumberedEvent, now: Date): NewEvent {
  return { bot: botId, journal: journalId, seq, attempt, type: event.type, at: instant(at, now), event }
}

async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await sql`
    insert into bot_events (bot_id, journal_id, seq, attempt, type, at, event)
    select bot, journal, seq, attempt, type, at, event
    from json_to_recordset(${JSON.stringify(events)}::json)
      as row (bot uuid, journal uuid, seq int, attempt int, type text, at timestamptz, event jsonb)`.execute(tx)
}

/** A file that is reported again is the same file, with the latest values. */
async function upsertArtifacts(
  tx: Tx,
  files: readonly { botId: string; attempt: number; artifact: Artifact }[],
): Promise<void> {
  if (files.length === 0) return
  const rows = new Map(
    files.map(({ botId, attempt, artifact }) => [
      [botId, attempt, artifact.name].join('\n'),
      { ...artifact, bot: botId, attempt },
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

/** The journal that an attempt last wrote; undefined where no event of it was ever stored. */
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

/** Seconds of the recording that the attempt last reported as safe in files; null where it never did. */
export async function recordedSeconds(db: Database | Tx, botId: string, attempt: number): Promise<number | null> {
  const { rows } = await sql<{ seconds: number }>`
    select (event ->> 'seconds')::float as seconds from bot_events
    where bot_id = ${botId} and attempt = ${attempt} and type = 'recording_progress'
    order by at desc limit 1`.execute(db)
  return rows[0]?.seconds ?? null
}
