/** The events of a bot, for clients that follow it. */
import type { BotEvent } from '@standin/wire/events.ts'
import { sql } from 'kysely'
import { partsOf } from '../../bots/parts.ts'
import type { BotRow } from '../../rows/index.ts'
import type { Database } from '../database.ts'

/** The last event that a reader has of each journal. A journal is stored in the order of its numbers; times are not. */
export type EventPlaces = ReadonlyMap<string, number>

export interface StoredEvent {
  journalId: string
  seq: number
  attempt: number
  at: Date
  event: BotEvent
}

interface Row {
  journal_id: string
  seq: number
  attempt: number
  at: Date
  event: BotEvent
}

/** The events of these types that `known` does not cover, oldest first; of the attempts that are the bot, if one joined. */
export async function readBotEvents(
  db: Database,
  bot: Pick<BotRow, 'id' | 'joined_attempt' | 'parts'>,
  { types, known, limit }: { types: readonly string[]; known: EventPlaces; limit: number },
): Promise<StoredEvent[]> {
  const earlier = partsOf(bot).map(({ attempt }) => attempt)
  const { rows } = await sql<Row>`
    select bot_events.journal_id, seq, attempt, at, event
    from bot_events
    left join unnest(${[...known.keys()]}::uuid[], ${[...known.values()]}::int[]) as known (journal_id, last_seq)
      on known.journal_id = bot_events.journal_id
    where bot_id = ${bot.id} and type = any(${types}::text[])
      and (${bot.joined_attempt}::int is null or attempt = ${bot.joined_attempt}::int or attempt = any(${earlier}::int[]))
      and seq > coalesce(last_seq, 0)
    order by attempt, bot_events.journal_id, seq
    limit ${limit}`.execute(db)
  return rows.map(({ journal_id: journalId, ...row }) => ({ journalId, ...row }))
}
