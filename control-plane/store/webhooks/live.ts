/** The inbox of endpoints that get live webhooks. */
import { sql } from 'kysely'
import type { BotRow } from '../../rows/index.ts'
import { type JournalNews, type NewsRow, newsOf, wantedEvents } from '../bots/subscriptions.ts'
import type { Database, Tx } from '../database.ts'

const IS_LIVE = sql`endpoints.live_types is not null and endpoints.disabled_at is null and inbox.last_seq > inbox.after_seq`
const DUE_AT = sql`inbox.waits_since + endpoints.live_within_ms * interval '1 millisecond'`

export interface LiveNews extends JournalNews {
  endpointId: string
  bot: Pick<BotRow, 'id' | 'team_id' | 'event_id' | 'extra' | 'is_compat'>
}

interface TakenRow {
  receiver_id: string
  journal_id: string
  bot_id: string
  after_seq: number
  last_seq: number
  live_types: string[]
}

interface LiveRow extends NewsRow, Pick<BotRow, 'team_id' | 'event_id' | 'extra' | 'is_compat'> {
  receiver_id: string
}

/** The events of journals that are due, locked until the transaction ends. Those that another one has locked are left out. */
export async function takeLive(tx: Tx, journals: number, each: number): Promise<LiveNews[]> {
  const { rows: taken } = await sql<TakenRow>`
    select inbox.receiver_id, inbox.journal_id, inbox.bot_id, inbox.after_seq, inbox.last_seq, endpoints.live_types
    from endpoints join event_inbox inbox on inbox.receiver_id = endpoints.id
    where ${IS_LIVE} and ${DUE_AT} <= now()
    order by inbox.receiver_id, inbox.journal_id limit ${journals} for update of inbox skip locked`.execute(tx)
  if (taken.length === 0) return []
  // A lock gives the newest row, which may count events that its own statement does not see yet: the next one does.
  const { rows } = await sql<LiveRow>`
    with waiting as materialized (
      select * from json_to_recordset(${JSON.stringify(taken)}::json) as taken
        (receiver_id uuid, journal_id uuid, bot_id uuid, after_seq int, last_seq int, live_types jsonb)
    )
    select waiting.receiver_id, waiting.journal_id, waiting.bot_id, waiting.last_seq, found.*,
      bots.team_id, bots.event_id, bots.extra, bots.is_compat
    from waiting join bots on bots.id = waiting.bot_id
    left join lateral (${wantedEvents(sql`waiting.live_types ? type`, each)}) as found on true
    order by waiting.receiver_id, waiting.journal_id, found.seq`.execute(tx)
  return [...Map.groupBy(rows, ({ receiver_id }) => receiver_id)].flatMap(([endpointId, ofEndpoint]) =>
    newsOf(ofEndpoint, each).map(({ row, ...news }) => ({ ...news, endpointId, bot: { ...row, id: row.bot_id } })),
  )
}

/** Until something is due; null: nothing waits. */
export async function secondsToLive(db: Database): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from min(${DUE_AT}) - now())::float as seconds
    from endpoints join event_inbox inbox on inbox.receiver_id = endpoints.id where ${IS_LIVE}`.execute(db)
  return rows[0]!.seconds
}
