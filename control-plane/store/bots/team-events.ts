/** The events of all bots of a team. `numberEvents` gives them numbers in the order of their commits. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { PREPARED } from '../prepared.ts'
import { FITS, isOfTheBot, pageOf, ReadEvent } from './bot-events.ts'

export interface NumberedInTeam {
  number: number
  event: ReadEvent
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
  type: string
  text: string
  found: number
}

/** The events after a number that are of these types, of bots of this generation, and of the attempts that are the bot: at most `limit`, and one page. */
export async function readTeamEvents(
  db: Database,
  wanted: { teamId: string; types: readonly string[]; generation: 'v2' | 'any'; after: number; limit: number },
): Promise<{ events: NumberedInTeam[]; place: number; isCutOff: boolean }> {
  const { teamId, types, generation, after, limit } = wanted
  const found = sql`
    select stored.bot_id, stored.journal_id, stored.last_number, stored.last_number - stored.last_seq + found.seq as number,
      found.seq, found.attempt, found.at, found.type, found.event
    from stored left join lateral (
      select seq, bot_events.attempt, at, type, event from bot_events join bots on bots.id = bot_events.bot_id
      where bot_events.bot_id = stored.bot_id and journal_id = stored.journal_id
        and seq > stored.last_seq - least(stored.events, stored.last_number - ${after}) and seq <= stored.last_seq
        and type = any(${types}::text[]) and (bots.generation = ${generation} or ${generation} = 'any')
        and ${isOfTheBot(sql`bot_events.attempt`)}
    ) as found on true
    order by stored.last_number, found.seq limit ${limit}`
  const order = sql`last_number, seq`
  const { rows } = await sql<Row>`${PREPARED}
    with stored as materialized (
      select bot_id, journal_id, last_number, last_seq, events from team_events
      where team_id = ${teamId} and last_number > ${after} order by last_number limit ${limit}
    )
    select bot_id, journal_id, last_number, number, seq, attempt, at, type, text, found
    from ${pageOf(found, order)} as page where ${FITS} order by ${order}`.execute(db)
  const last = rows.at(-1)
  const isCutOff = rows.length >= limit || rows.length < (rows[0]?.found ?? 0)
  return {
    events: rows.flatMap(({ bot_id: botId, journal_id: journalId, number, ...row }) =>
      number === null ? [] : [{ number, event: new ReadEvent({ botId, journalId, ...row }) }],
    ),
    // A row of the page that the limit cut off ends at its last event.
    place: last === undefined ? after : isCutOff && last.number !== null ? last.number : last.last_number,
    isCutOff,
  }
}
