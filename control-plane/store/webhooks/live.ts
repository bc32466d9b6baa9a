/** Events that wait for endpoints with live webhooks. `insertEvents` fills their inbox. */
import { sql } from 'kysely'
import type { StoredEvent } from '../../bots/shown-events.ts'
import { isOfTheBot } from '../bots/bot-events.ts'
import type { Database, Tx } from '../database.ts'
import type { BotRow } from '../rows/index.ts'

const IS_LIVE = sql`endpoints.live_types is not null and endpoints.disabled_at is null and inbox.last_seq > inbox.after_seq`
const DUE_AT = sql`inbox.waits_since + endpoints.live_within_ms * interval '1 millisecond'`

/** News of one journal: some events, which may be all that it has. */
export interface LiveNews {
  endpointId: string
  bot: Pick<BotRow, 'id' | 'team_id' | 'event_id' | 'extra' | 'is_compat'>
  journalId: string
  /** Events up to here are among `events`, or of other types. */
  readTo: number
  events: StoredEvent[]
}

interface TakenRow {
  endpoint_id: string
  journal_id: string
  bot_id: string
  after_seq: number
  last_seq: number
  live_types: string[]
}

interface LiveRow extends Pick<BotRow, 'team_id' | 'event_id' | 'extra' | 'is_compat'> {
  endpoint_id: string
  journal_id: string
  bot_id: string
  last_seq: number
  /** Null: the journal has no further event of these types. */
  seq: number | null
  attempt: number
  at: Date
  event: StoredEvent['event']
}

/** The events of journals that are due, locked until the transaction ends. Those that another one has locked are left out. */
export async function takeLive(tx: Tx, journals: number, each: number): Promise<LiveNews[]> {
  const { rows: taken } = await sql<TakenRow>`
    select inbox.endpoint_id, inbox.journal_id, inbox.bot_id, inbox.after_seq, inbox.last_seq, endpoints.live_types
    from endpoints join event_inbox inbox on inbox.endpoint_id = endpoints.id
    where ${IS_LIVE} and ${DUE_AT} <= now()
    order by inbox.endpoint_id, inbox.journal_id limit ${journals} for update of inbox skip locked`.execute(tx)
  if (taken.length === 0) return []
  // A lock gives the newest row, which may count events that its own statement does not see yet: the next one does.
  const { rows } = await sql<LiveRow>`
    with waiting as materialized (
      select * from json_to_recordset(${JSON.stringify(taken)}::json) as taken
        (endpoint_id uuid, journal_id uuid, bot_id uuid, after_seq int, last_seq int, live_types jsonb)
    )
    select waiting.endpoint_id, waiting.journal_id, waiting.bot_id, waiting.last_seq, found.*,
      bots.team_id, bots.event_id, bots.extra, bots.is_compat
    from waiting join bots on bots.id = waiting.bot_id
    left join lateral (
      select seq, attempt, at, event from bot_events
      where bot_events.bot_id = waiting.bot_id and journal_id = waiting.journal_id
        and seq > waiting.after_seq and seq <= waiting.last_seq and waiting.live_types ? type
        and ${isOfTheBot(sql`bot_events.attempt`)}
      order by seq limit ${each}
    ) as found on true
    order by waiting.endpoint_id, waiting.journal_id, found.seq`.execute(tx)
  const ofJournals = Map.groupBy(rows, ({ endpoint_id, journal_id, bot_id }) =>
    [endpoint_id, journal_id, bot_id].join(' '),
  )
  return [...ofJournals.values()].map((ofJournal) => {
    const { endpoint_id: endpointId, bot_id: botId, journal_id: journalId, last_seq, ...bot } = ofJournal[0]!
    const events = ofJournal.flatMap(({ seq, attempt, at, event }) =>
      seq === null ? [] : [{ botId, journalId, seq, attempt, at, event }],
    )
    const readTo = events.length < each ? last_seq : events.at(-1)!.seq
    return { endpointId, bot: { ...bot, id: botId }, journalId, readTo, events }
  })
}

/** Until something is due; null: nothing waits. */
export async function secondsToLive(db: Database): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from min(${DUE_AT}) - now())::float as seconds
    from endpoints join event_inbox inbox on inbox.endpoint_id = endpoints.id where ${IS_LIVE}`.execute(db)
  return rows[0]!.seconds
}

/** The endpoint has everything up to these places, by journal. */
export async function removeTaken(tx: Tx, endpointId: string, places: ReadonlyMap<string, number>): Promise<void> {
  const taken = [...places].map(([journal, seq]) => ({ journal, seq }))
  // In the order in which `insertEvents` locks them.
  await sql`
    with taken as (select * from json_to_recordset(${JSON.stringify(taken)}::json) as taken (journal uuid, seq int)),
    mine as (
      select endpoint_id, journal_id, bot_id, seq from event_inbox join taken on taken.journal = journal_id
      where endpoint_id = ${endpointId} and seq > after_seq and seq <= last_seq
      order by journal_id for update of event_inbox
    )
    update event_inbox inbox set after_seq = mine.seq, waits_since = now() from mine
    where inbox.endpoint_id = mine.endpoint_id and inbox.journal_id = mine.journal_id and inbox.bot_id = mine.bot_id`.execute(
    tx,
  )
  await sql`delete from event_inbox
    where endpoint_id = ${endpointId} and journal_id = any(${[...places.keys()]}::uuid[]) and last_seq <= after_seq`.execute(
    tx,
  )
}

export async function emptyInbox(tx: Tx, endpointId: string): Promise<void> {
  await tx.deleteFrom('event_inbox').where('endpoint_id', '=', endpointId).execute()
}
