/** The events of bots, for those who follow them. */
import type { BotEvent } from '@standin/wire/events.ts'
import { type RawBuilder, sql } from 'kysely'
import type { StoredEvent } from '../../bots/shown-events.ts'
import type { Database } from '../database.ts'
import { PREPARED } from '../prepared.ts'

/**
 * How far a reader has read each journal of a bot. A bot has a journal for each start. Each is stored in the order of its
 * numbers; times are not in order.
 */
export type EventPlaces = ReadonlyMap<string, number>

/** The events of one page, in JSON. An event of up to 2 MiB may be larger, and is a page of its own. */
const PAGE_BYTES = 256 * 1024

interface Row {
  bot_id: string
  journal_id: string
  last_seq: number
  attempt: number
  /** Null: the journal has no further event of these types. */
  seq: number | null
  at: Date | null
  type: string | null
  text: string | null
  /** How many rows there are with those that did not fit into the page. */
  found: number
}

/** Its content stays text until it is asked for: most of it is only passed on. */
export class ReadEvent implements StoredEvent {
  readonly botId: string
  readonly journalId: string
  readonly seq: number
  readonly attempt: number
  readonly at: Date
  readonly type: string
  /** JSON, without the type. */
  readonly text: string

  constructor({ botId, journalId, seq, attempt, at, type, text }: Omit<ReadEvent, 'event' | 'shown'>) {
    this.botId = botId
    this.journalId = journalId
    this.seq = seq
    this.attempt = attempt
    this.at = at
    this.type = type
    this.text = text
  }

  get event(): BotEvent {
    return { type: this.type, ...JSON.parse(this.text) }
  }
}

export interface ReadEvents {
  /** In the order of each journal; earlier attempts of a bot first. */
  events: ReadEvent[]
  /** By bot: how far each journal with news has been read, events of other types included. */
  places: Map<string, Map<string, number>>
  /** Whether there may be more. */
  isCutOff: boolean
}

/** Whether the attempt is the bot, as its row says now: the one that joined, a part of its recording, or any if none joined. */
export const isOfTheBot = (attempt: RawBuilder<unknown>) => sql`(bots.joined_attempt is null
  or bots.joined_attempt = ${attempt} or bots.parts @> jsonb_build_array(jsonb_build_object('attempt', ${attempt})))`

/**
 * As many of the rows, in this order, as a page holds, at least one: their `event` as `text` without its type, and how many rows were `found`.
 * Rows that do not fit by their stored size, which is compressed, are left out before any text is made of them.
 */
export const pageOf = (rows: RawBuilder<unknown>, order: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select fitting.*, sum(octet_length(text)) over (order by ${order}) - octet_length(text) as bytes_before
  from (
    select sized.*, (event - 'type')::text as text
    from (
      select read.*, count(*) over ()::int as found,
        sum(pg_column_size(event)) over (order by ${order}) - pg_column_size(event) as stored_before
      from (${rows}) as read
    ) as sized
    where coalesce(stored_before, 0) < ${PAGE_BYTES}
    -- Keeps PostgreSQL from making each text three times.
    offset 0
  ) as fitting
)`
export const FITS = sql`coalesce(bytes_before, 0) < ${PAGE_BYTES}`

/** The events of these types that `known` (by bot) does not cover; of the attempts that are the bot, if one joined. At most `limit`, and one page. */
export async function readEvents(
  db: Database,
  botIds: readonly string[],
  { types, known, limit }: { types: readonly string[]; known: ReadonlyMap<string, EventPlaces>; limit: number },
): Promise<ReadEvents> {
  const covered = [...known].flatMap(([bot, places]) => [...places].map(([journal, seq]) => ({ bot, journal, seq })))
  const found = sql`
    select journals.bot_id, journals.journal_id, journals.last_seq, journals.attempt, found.seq, found.at, found.type, found.event
    from journals join bots on bots.id = journals.bot_id
    left join json_to_recordset(${JSON.stringify(covered)}::json) as known (bot uuid, journal uuid, seq int)
      on known.bot = journals.bot_id and known.journal = journals.journal_id
    left join lateral (
      select seq, at, type, event from bot_events
      where bot_id = journals.bot_id and journal_id = journals.journal_id
        and bot_events.seq > coalesce(known.seq, 0) and type = any(${types}::text[])
      order by seq limit ${limit}
    ) as found on true
    where journals.bot_id = any(${botIds}::uuid[]) and journals.last_seq > coalesce(known.seq, 0)
      and ${isOfTheBot(sql`journals.attempt`)}
    order by journals.bot_id, journals.attempt, journals.journal_id, found.seq
    limit ${limit}`
  const order = sql`bot_id, attempt, journal_id, seq`
  const { rows } = await sql<Row>`${PREPARED}
    select bot_id, journal_id, last_seq, attempt, seq, at, type, text, found
    from ${pageOf(found, order)} as page where ${FITS} order by ${order}`.execute(db)
  const isCutOff = rows.length >= limit || rows.length < (rows[0]?.found ?? 0)
  const events: ReadEvent[] = []
  const places = new Map<string, Map<string, number>>()
  for (const { bot_id: botId, journal_id: journalId, last_seq, seq, at, attempt, type, text } of rows) {
    const ofBot = places.get(botId) ?? new Map<string, number>()
    places.set(botId, ofBot)
    // A journal that the limit cut off ends at its last row.
    ofBot.set(journalId, isCutOff && seq !== null ? seq : last_seq)
    if (seq !== null) events.push(new ReadEvent({ botId, journalId, seq, attempt, at: at!, type: type!, text: text! }))
  }
  return { events, places, isCutOff }
}

/**
 * How far the journals of the bot are stored. A journal of an attempt that is not the bot is left out: followers have none
 * of its events, and get them from the first if its attempt is the bot again.
 */
export async function readHeads(db: Database, botId: string): Promise<EventPlaces> {
  const { rows } = await sql<{ journal_id: string; last_seq: number }>`
    select journal_id, last_seq from journals join bots on bots.id = journals.bot_id
    where journals.bot_id = ${botId} and ${isOfTheBot(sql`journals.attempt`)}`.execute(db)
  return new Map(rows.map(({ journal_id, last_seq }) => [journal_id, last_seq]))
}
