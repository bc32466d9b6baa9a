/** Programs that follow all bots of a team. Events that they have not acknowledged wait in their inbox, which `insertEvents` fills. */
import { type RawBuilder, sql } from 'kysely'
import type { StoredEvent } from '../../bots/shown-events.ts'
import { logChange } from '../audit-log.ts'
import { type Database, inTransaction, type Tx } from '../database.ts'
import { PREPARED } from '../prepared.ts'
import { isOfTheBot } from './bot-events.ts'

export interface Subscription {
  id: string
  name: string
  types: readonly string[]
  followed_at: Date | null
  created_at: Date
  /** Bots with events that are not acknowledged. */
  waiting_bots: number
}

/** Null if the team has `most` subscriptions; `taken` if it has one of this name. */
export async function createSubscription(
  db: Database,
  { teamId, name, types, most }: { teamId: string; name: string; types: readonly string[]; most: number },
): Promise<Subscription | 'taken' | null> {
  return inTransaction(db, async (tx) => {
    await tx.selectFrom('teams').select('id').where('id', '=', teamId).forUpdate().execute()
    const others = await tx.selectFrom('event_subscriptions').select('name').where('team_id', '=', teamId).execute()
    if (others.some((one) => one.name === name)) return 'taken'
    if (others.length >= most) return null
    const made = await tx
      .insertInto('event_subscriptions')
      .values({ team_id: teamId, name, types: JSON.stringify(types) })
      .returning(['id', 'name', 'followed_at', 'created_at'])
      .executeTakeFirstOrThrow()
    await logChange(tx, { teamId, action: 'subscription.create', target: made.id, details: { name } })
    return { ...made, types, waiting_bots: 0 }
  })
}

/** Sorted by name. */
export async function listSubscriptions(db: Database, teamId: string): Promise<Subscription[]> {
  const { rows } = await sql<Subscription>`
    select id, name, types, followed_at, created_at,
      (select count(distinct bot_id)::int from event_inbox where receiver_id = id and last_seq > after_seq) as waiting_bots
    from event_subscriptions where team_id = ${teamId} order by name`.execute(db)
  return rows
}

export async function findSubscription(db: Database, teamId: string, name: string) {
  const found = await db
    .selectFrom('event_subscriptions')
    .select(['id', 'types'])
    .where('team_id', '=', teamId)
    .where('name', '=', name)
    .executeTakeFirst()
  return found && { id: found.id, types: found.types as string[] }
}

/** False if there is none of this name. */
export async function deleteSubscription(db: Database, teamId: string, name: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const gone = await tx
      .deleteFrom('event_subscriptions')
      .where('team_id', '=', teamId)
      .where('name', '=', name)
      .returning('id')
      .executeTakeFirst()
    if (gone === undefined) return false
    await emptyInbox(tx, gone.id)
    await logChange(tx, { teamId, action: 'subscription.delete', target: gone.id, details: { name } })
    return true
  })
}

export async function emptyInbox(tx: Tx, receiverId: string): Promise<void> {
  await tx.deleteFrom('event_inbox').where('receiver_id', '=', receiverId).execute()
}

/** Gives the events to this connection from now on. */
export async function holdSubscription(db: Database, id: string, holder: string): Promise<void> {
  await sql`update event_subscriptions set holder = ${holder}, followed_at = now() where id = ${id}`.execute(db)
}

/** Null: the subscription was deleted. */
export async function holderOf(db: Database, id: string): Promise<{ holder: string | null } | null> {
  const query = db.selectFrom('event_subscriptions').select('holder').where('id', '=', id)
  return (await query.executeTakeFirst()) ?? null
}

/** The news of one journal: some events, which may be all that it has. */
export interface JournalNews {
  botId: string
  journalId: string
  /** Events up to here are among `events`, or of other types. */
  readTo: number
  events: StoredEvent[]
}

/**
 * Events of these types that the receiver has not acknowledged, and that are behind the places in `sent` (by journal).
 * No journal comes before the others again and again, so each has its turn.
 */
export async function readInbox(
  db: Database,
  receiverId: string,
  types: readonly string[],
  { sent, journals, each }: { sent: ReadonlyMap<string, number>; journals: number; each: number },
): Promise<JournalNews[]> {
  const places = [...sent].map(([journal, seq]) => ({ journal, seq }))
  const { rows } = await sql<NewsRow>`${PREPARED}
    with waiting as materialized (
      select inbox.bot_id, inbox.journal_id, inbox.last_seq, greatest(inbox.after_seq, sent.seq) as after_seq
      from event_inbox inbox
      left join json_to_recordset(${JSON.stringify(places)}::json) as sent (journal uuid, seq int)
        on sent.journal = inbox.journal_id
      where inbox.receiver_id = ${receiverId} and inbox.last_seq > greatest(inbox.after_seq, sent.seq)
      order by random() limit ${journals}
    )
    select waiting.bot_id, waiting.journal_id, waiting.last_seq, found.* from waiting
    left join lateral (${wantedEvents(sql`type = any(${types}::text[])`, each)}) as found on true
    order by waiting.journal_id, found.seq`.execute(db)
  return newsOf(rows, each)
}

export interface NewsRow {
  bot_id: string
  journal_id: string
  last_seq: number
  /** Null: the journal has no further event of these types. */
  seq: number | null
  attempt: number
  at: Date
  event: StoredEvent['event']
}

/** Events of the attempts that are the bot, for each row of `waiting`. */
export const wantedEvents = (isWanted: RawBuilder<unknown>, each: number) => sql`
  select seq, bot_events.attempt, at, event from bot_events join bots on bots.id = bot_events.bot_id
  where bot_events.bot_id = waiting.bot_id and journal_id = waiting.journal_id
    and seq > waiting.after_seq and seq <= waiting.last_seq and ${isWanted}
    and ${isOfTheBot(sql`bot_events.attempt`)}
  order by seq limit ${each}`

export function newsOf<Row extends NewsRow>(rows: readonly Row[], each: number): (JournalNews & { row: Row })[] {
  const byJournal = Map.groupBy(rows, ({ bot_id, journal_id }) => `${bot_id} ${journal_id}`)
  return [...byJournal.values()].map((ofJournal) => {
    const row = ofJournal[0]!
    const { bot_id: botId, journal_id: journalId, last_seq } = row
    const events = ofJournal.flatMap(({ seq, attempt, at, event }) =>
      seq === null ? [] : [{ botId, journalId, seq, attempt, at, event }],
    )
    return { botId, journalId, events, readTo: events.length < each ? last_seq : events.at(-1)!.seq, row }
  })
}

/** The receiver has everything up to these places, by journal. */
export async function acknowledge(db: Database | Tx, receiverId: string, places: ReadonlyMap<string, number>) {
  if (places.size === 0) return
  const acked = [...places].map(([journal, seq]) => ({ journal, seq }))
  // In the order in which `insertEvents` locks them.
  await sql`
    with acked as (select * from json_to_recordset(${JSON.stringify(acked)}::json) as acked (journal uuid, seq int)),
    mine as (
      select receiver_id, journal_id, bot_id, seq from event_inbox join acked on acked.journal = journal_id
      where receiver_id = ${receiverId} and seq > after_seq and seq <= last_seq
      order by journal_id for update of event_inbox
    )
    update event_inbox inbox set after_seq = mine.seq, waits_since = now() from mine
    where inbox.receiver_id = mine.receiver_id and inbox.journal_id = mine.journal_id and inbox.bot_id = mine.bot_id`.execute(
    db,
  )
  await sql`delete from event_inbox
    where receiver_id = ${receiverId} and journal_id = any(${[...places.keys()]}::uuid[]) and last_seq <= after_seq`.execute(
    db,
  )
}
