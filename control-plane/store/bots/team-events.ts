/** The events of all bots of a team. `insertEvents` gives them numbers in the order of their commits. */
import { sql } from 'kysely'
import type { StoredEvent } from '../../bots/shown-events.ts'
import type { Database } from '../database.ts'
import { PREPARED } from '../prepared.ts'
import { isOfTheBot } from './bot-events.ts'

export interface NumberedInTeam extends StoredEvent {
  number: number
}

/** The number of the team's newest event; 0 if it has none. */
export async function lastNumber(db: Database, teamId: string): Promise<number> {
  const query = db.selectFrom('team_event_counts').select('last_number').where('team_id', '=', teamId)
  return (await query.executeTakeFirst())?.last_number ?? 0
}

interface Row {
  bot_id: string
  journal_id: string
  last_number: number
  /** Null: none of these events is wanted. */
  number: number | null
  seq: number
  attempt: number
  at: Date
  event: StoredEvent['event']
}

/** The events after a number that are of these types, of bots of this generation, and of the attempts that are the bot. */
export async function readTeamEvents(
  db: Database,
  wanted: { teamId: string; types: readonly string[]; generation: 'v2' | 'any'; after: number; limit: number },
): Promise<{ events: NumberedInTeam[]; place: number; isCutOff: boolean }> {
  const { teamId, types, generation, after, limit } = wanted
  const { rows } = await sql<Row>`${PREPARED}
    with page as materialized (
      select bot_id, journal_id, last_number, last_seq, events from team_events
      where team_id = ${teamId} and last_number > ${after} order by last_number limit ${limit}
    )
    select page.bot_id, page.journal_id, page.last_number, page.last_number - page.last_seq + found.seq as number,
      found.seq, found.attempt, found.at, found.event
    from page left join lateral (
      select seq, bot_events.attempt, at, event from bot_events join bots on bots.id = bot_events.bot_id
      where bot_events.bot_id = page.bot_id and journal_id = page.journal_id
        and seq > page.last_seq - least(page.events, page.last_number - ${after}) and seq <= page.last_seq
        and type = any(${types}::text[]) and (bots.generation = ${generation} or ${generation} = 'any')
        and ${isOfTheBot(sql`bot_events.attempt`)}
    ) as found on true
    order by page.last_number, found.seq limit ${limit}`.execute(db)
  const last = rows.at(-1)
  const isCutOff = rows.length >= limit
  return {
    events: rows.flatMap(({ bot_id: botId, journal_id: journalId, number, seq, attempt, at, event }) =>
      number === null ? [] : [{ number, botId, journalId, seq, attempt, at, event }],
    ),
    // A row of the page that the limit cut off ends at its last event.
    place: last === undefined ? after : isCutOff && last.number !== null ? last.number : last.last_number,
    isCutOff,
  }
}
