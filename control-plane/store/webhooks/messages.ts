/**
 * The outbox: webhook messages and their deliveries, written in the transaction that causes them. Only this file inserts
 * deliveries, and each of its functions wakes the dispatcher.
 */
import { type RawBuilder, sql } from 'kysely'
import type { OutgoingMessage } from '../../bots/change.ts'
import { jsonText } from '../bots/bots.ts'
import { type Database, type Tx, wakeDispatcher } from '../database.ts'
import { PREPARED } from '../prepared.ts'
import { sendAtOnce } from './deliveries.ts'

/**
 * Stores messages, and one delivery for each endpoint that wants it: the team's endpoints by event; for the older
 * generation the bot's own address, else the account's; the bot's callback. A message whose id is known changes nothing.
 */
export async function insertMessages(tx: Tx, messages: readonly OutgoingMessage[]): Promise<void> {
  if (messages.length === 0) return
  await withMessages(tx, messages, (parts) => sql`${PREPARED} with ${parts[0]} select 1`)
}

/** The same in a larger statement: `build` gets the parts of its `with`, none without messages. */
export async function withMessages(
  db: Database | Tx,
  messages: readonly OutgoingMessage[],
  build: (parts: RawBuilder<unknown>[]) => RawBuilder<unknown>,
): Promise<void> {
  await build(messages.length === 0 ? [] : [messageParts(messages)]).execute(db)
  if (messages.length > 0) await wakeDispatcher(db)
}

function messageParts(messages: readonly OutgoingMessage[]): RawBuilder<unknown> {
  return sql`${storedMessages(messages.map(rowOf))}, delivery as (
      insert into deliveries (message_id, endpoint_id, team_id, bot_id, ordering_key, state)
      select wanted.id, endpoints.id, wanted.team_id, wanted.bot_id, wanted.ordering_key, 'waiting'
      from wanted
      join stored on stored.id = wanted.id
      join endpoints on endpoints.team_id = wanted.team_id and endpoints.disabled_at is null and (
        (wanted.generation = 'webhooks' and endpoints.kind = 'team'
          and (endpoints.events is null or endpoints.events ? wanted.event))
        or (wanted.generation = 'callback' and endpoints.kind = 'callback' and endpoints.bot_id = wanted.bot_id
          and (endpoints.events is null or endpoints.events ? wanted.event))
        or (wanted.generation = 'older' and endpoints.kind = 'bot' and endpoints.bot_id = wanted.bot_id
          and endpoints.events is null)
        or (wanted.generation = 'older' and endpoints.kind = 'account' and not exists (
          select from endpoints own where own.kind = 'bot' and own.bot_id = wanted.bot_id and own.events is null)))
      order by wanted.place, endpoints.created_at
    )`
}

const rowOf = (message: OutgoingMessage, place: number) => ({
  place,
  id: message.id,
  team_id: message.teamId,
  bot_id: message.botId,
  event: message.event,
  ordering_key: message.orderingKey,
  body: message.body,
  is_compat: message.isCompat,
  generation: message.channel,
})

const storedMessages = (rows: readonly ReturnType<typeof rowOf>[]) => sql`
    wanted as (
      select * from json_to_recordset(${jsonText(rows)}::json) as message
        (place int, id text, team_id uuid, bot_id uuid, event text, ordering_key text, body jsonb, is_compat boolean,
         generation text, endpoint_id uuid)
    ), stored as (
      insert into messages (id, team_id, bot_id, event, ordering_key, body, is_compat, generation)
      select id, team_id, bot_id, event, ordering_key, body, is_compat, generation from wanted order by place
      on conflict (id) do nothing
      returning id
    )`

/**
 * One message to one endpoint, as a person asked, whether or not it subscribes to the event. Resolves with the delivery's id; null without
 * the endpoint, or if it is disabled.
 */
export async function sendTo(
  db: Database | Tx,
  endpointId: string,
  message: { id: string; event: string; body: unknown; botId?: string; isCompat?: boolean },
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    with stored as (
      insert into messages (id, team_id, bot_id, event, ordering_key, body, is_compat, generation)
      select ${message.id}, team_id, ${message.botId ?? null}::uuid, ${message.event}, ${message.id},
        ${JSON.stringify(message.body)}::jsonb, ${message.isCompat ?? false},
        case kind when 'team' then 'webhooks' when 'callback' then 'callback' else 'older' end
      from endpoints where id = ${endpointId}::uuid and disabled_at is null
      returning *
    )
    insert into deliveries (message_id, endpoint_id, team_id, bot_id, ordering_key, state)
    select id, ${endpointId}::uuid, team_id, bot_id, ordering_key, 'waiting' from stored
    returning id`.execute(db)
  await sendAtOnce(db, [message.id])
  await wakeDispatcher(db)
  return rows[0]?.id ?? null
}

/** Messages that go to one endpoint each. One whose id is known changes nothing. */
export async function sendEach(tx: Tx, messages: readonly (OutgoingMessage & { endpointId: string })[]): Promise<void> {
  if (messages.length === 0) return
  const rows = messages.map((message, place) => ({ ...rowOf(message, place), endpoint_id: message.endpointId }))
  await sql`
    with ${storedMessages(rows)}
    insert into deliveries (message_id, endpoint_id, team_id, bot_id, ordering_key, state)
    select id, endpoint_id, wanted.team_id, wanted.bot_id, wanted.ordering_key, 'waiting'
    from wanted join stored using (id) order by place`.execute(tx)
  await wakeDispatcher(tx)
}
