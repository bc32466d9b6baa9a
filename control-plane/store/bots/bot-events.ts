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

interface Row {
  bot_id: string
  journal_id: string
  last_seq: number
  attempt: number
  /** Null: the journal has no further event of these types. */
  seq: number | null
  at: Date | null
  event: BotEvent | null
}

export interface ReadEvents {
  /** In the order of each journal; earlier attempts of a bot first. */
  events: StoredEvent[]
  /** By bot: how far each journal with news has been read, events of other types included. */
  places: Map<string, Map<string, number>>
  /** Whether there may be more. */
  isCutOff: boolean
}

/** Whether the attempt is the bot, as its row says now: the one that joined, a part of its recording, or any if none joined. */
export const isOfTheBot = (attempt: RawBuilder<unknown>) => sql`(bots.joined_attempt is null
  or bots.joined_attempt = ${attempt} or bots.parts @> jsonb_build_array(jsonb_build_object('attempt', ${attempt})))`

/** The events of these types that `known` (by bot) does not cover; of the attempts that are the bot, if one joined. */
export async function readEvents(
  db: Database,
  botIds: readonly string[],
  { types, known, limit }: { types: readonly string[]; known: ReadonlyMap<string, EventPlaces>; limit: number },
): Promise<ReadEvents> {
  const covered = [...known].flatMap(([bot, places]) => [...places].map(([journal, seq]) => ({ bot, journal, seq })))
  const { rows } = await sql<Row>`${PREPARED}
    select journals.bot_id, journals.journal_id, journals.last_seq, journals.attempt, found.seq, found.at, found.event
    from journals join bots on bots.id = journals.bot_id
    left join json_to_recordset(${JSON.stringify(covered)}::json) as known (bot uuid, journal uuid, seq int)
      on known.bot = journals.bot_id and known.journal = journals.journal_id
    left join lateral (
      select seq, at, event from bot_events
      where bot_id = journals.bot_id and journal_id = journals.journal_id
        and bot_events.seq > coalesce(known.seq, 0) and type = any(${types}::text[])
      order by seq limit ${limit}
    ) as found on true
    where journals.bot_id = any(${botIds}::uuid[]) and journals.last_seq > coalesce(known.seq, 0)
      and ${isOfTheBot(sql`journals.attempt`)}
    order by journals.bot_id, journals.attempt, journals.journal_id, found.seq
    limit ${limit}`.execute(db)
  const isCutOff = rows.length >= limit
  const events: StoredEvent[] = []
  const places = new Map<string, Map<string, number>>()
  for (const { bot_id: botId, journal_id: journalId, last_seq, seq, at, attempt, event } of rows) {
    const ofBot = places.get(botId) ?? new Map<string, number>()
    places.set(botId, ofBot)
    // A journal that the limit cut off ends at its last row.
    ofBot.set(journalId, isCutOff && seq !== null ? seq : last_seq)
    if (seq !== null) events.push({ botId, journalId, seq, attempt, at: at!, event: event! })
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
